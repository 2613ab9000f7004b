// surface_ids.h — the numbers that name what a pixel shows: its object and its material.
//
// Paths know the instance that they hit. Layers of numbers (engine/film/aov.h) hold what the scene
// calls it: an object is a node's name, and all nodes of one name are one object. Made once for
// each scene that a frame shows; then read by any thread.
#pragma once

#include <vector>

#include "engine/film/aov.h"
#include "engine/scene/model/scene.h"

namespace weft::frame {

struct SurfaceIds {
    // By layer of the film, and in it by instance; empty for layers without numbers, and for
    // instances, which are their own.
    std::vector<std::vector<u32>> of_layer;

    // The id in that layer of an instance, or of kNone.
    [[nodiscard]] u32 of(u32 layer, u32 instance) const {
        const bool is_own = layer >= of_layer.size() || of_layer[layer].empty();
        return is_own || instance == kNone ? instance : of_layer[layer][instance];
    }
};

// Objects are numbered in the order in which the scene's instances first name them; materials as in
// the scene.
SurfaceIds surface_ids(const scene::Scene& scene, const std::vector<film::Aov>& aovs);

}  // namespace weft::frame
