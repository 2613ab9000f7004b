// surface_ids.h — what names a surface in a picture: numbers and Cryptomatte ids.
//
// Paths know the instance that they hit. Layers of numbers (engine/film/aov.h) hold what the scene
// calls it, and layers of mattes the ids of its names; names that edits gave count. An object is a
// node's name: all nodes of one name are one object. Made once for each scene that a frame shows;
// then read by any thread.
#pragma once

#include <vector>

#include "engine/film/cryptomatte.h"
#include "engine/scene/model/scene.h"

namespace weft::frame {

struct SurfaceIds {
    // By layer of the film, and in it by instance; empty for layers without numbers and mattes, and
    // for instances, which are their own.
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

// The names of all instances in the layers of mattes.
film::MatteNames matte_names(const scene::Scene& scene, const std::vector<film::Aov>& aovs);

}  // namespace weft::frame
