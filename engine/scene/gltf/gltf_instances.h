// gltf_instances.h — the shown nodes' meshes as instances: each primitive once in memory, however
// often it is placed.
//
// One call per file, on the importer thread.
#pragma once

#include <vector>

#include "engine/scene/gltf/gltf_nodes.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"

namespace weft::scene::gltf {

// `materials`: the scene's index of each of the file's materials. Everything is counted before it
// is read: an error where `rule` or the memory left refuses it.
base::Status append_instances(const Document& document,
                              const ImportConfig& config,
                              const std::vector<PlacedNode>& nodes,
                              const std::vector<u32>& materials,
                              SizeRule& rule,
                              Scene& scene,
                              Notes& notes);

}  // namespace weft::scene::gltf
