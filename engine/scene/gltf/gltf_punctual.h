// gltf_punctual.h — cameras and KHR_lights_punctual where the shown nodes put them.
//
// One call per file, on the importer thread.
#pragma once

#include <vector>

#include "engine/scene/gltf/gltf_nodes.h"

namespace weft::scene::gltf {

void append_cameras(const Document& document,
                    const std::vector<PlacedNode>& nodes,
                    Scene& scene,
                    Notes& notes);
base::Status append_lights(const Document& document,
                           const std::vector<PlacedNode>& nodes,
                           Scene& scene,
                           Notes& notes);

}  // namespace weft::scene::gltf
