// scene_boxes.h — the world box of a scene, and what it was put together from, so that of an edited
// scene only what has moved is looked at again.
//
// Plain data. Made by any thread that may read the scene; looking at triangles fans out.
#pragma once

#include <array>
#include <vector>

#include "engine/scene/scene.h"

namespace weft::scene {

using SceneBox = std::array<std::array<float, 3>, 2>;  // low > high where there is nothing

struct SceneBoxes {
    SceneBox whole{};  // scene_bounds(), to the bit
    // By instance where each corner is placed, by mesh in its own space where there are too many.
    std::vector<SceneBox> boxes;
    bool is_by_mesh = false;
    u64 made = 0;  // of these, not taken from others
    // What they are boxes of: shared arrays.
    Arena<u32> indices;
    Arena<float> positions;
    Arena<Mesh> meshes;
    Arena<Instance> instances;
};

// With those of a former scene (null: none), whose boxes are kept where the same triangles still
// stand in the same place under the same number.
SceneBoxes make_scene_boxes(const Scene& scene, const SceneBoxes* maybe_former);

}  // namespace weft::scene
