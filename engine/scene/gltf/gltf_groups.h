// gltf_groups.h — nodes with something shown below them, or with several places of their mesh,
// become groups of the scene.
//
// The mesh, camera and light of such a node stand in its group beside its children. Joints and
// empty branches make no group. One call per file, on the importer thread.
#pragma once

#include <vector>

#include "engine/scene/gltf/gltf_nodes.h"
#include "engine/scene/model/size_rule.h"

namespace weft::scene::gltf {

// Sets PlacedNode::group of all nodes. Error: `rule` or the memory limit refuses so many groups.
base::Status append_groups(const Document& document,
                           SizeRule& rule,
                           std::vector<PlacedNode>& nodes,
                           Scene& scene);

}  // namespace weft::scene::gltf
