// set_boxes.h — the boxes that several selected things fill in the world.
//
// Interface thread only.
#pragma once

#include <span>
#include <unordered_map>

#include "engine/math/box.h"
#include "engine/scene/model/scene.h"

namespace weft::app {

class SetBoxes {
public:
    // Of the eight corners of each mesh's own box: at least as large as the things. Visits the
    // triangles of a mesh once. Empty where there is no instance.
    math::Box of(const scene::Scene& scene, std::span<const u32> instances);

private:
    struct OfMesh {
        u64 triangle_count = 0;
        math::Box box;
    };

    const math::Box& of_mesh(const scene::Scene& scene, u32 mesh);

    std::unordered_map<const float*, OfMesh> meshes_;  // by their first vertex
};

}  // namespace weft::app
