// gltf_instances.h — the meshes of the shown nodes as instances: each primitive once in memory,
// however many nodes place it.
//
// One call per file, on the importer thread.
#pragma once

#include <vector>

#include "engine/scene/gltf/gltf_nodes.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"

namespace weft::scene::gltf {

// `materials`: the scene's index of each of the file's materials. Counts all memory before it reads
// any geometry; an error where `rule` or the memory limit refuses it.
base::Status append_instances(const Document& document,
                              const ImportConfig& config,
                              const std::vector<PlacedNode>& nodes,
                              const std::vector<u32>& materials,
                              SizeRule& rule,
                              Scene& scene,
                              Notes& notes);

}  // namespace weft::scene::gltf
