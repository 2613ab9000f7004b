#include "engine/scene/gltf/gltf_groups.h"

#include <algorithm>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/model/scene_tree.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene::gltf {

namespace {

constexpr u64 kBytesOfGroup = sizeof(Group) + 32;  // with a name that is allocated by itself

bool has_own_content(const Document& document, const PlacedNode& placed) {
    return shown_mesh(document, placed) >= 0 || document.model.nodes[placed.node].camera >= 0 ||
           shown_light(document, placed) != nullptr;
}

bool has_many_places(const Document& document, const PlacedNode& placed) {
    return shown_mesh(document, placed) >= 0 && document.model.nodes[placed.node].skin < 0 &&
           find_extension(element(document, "nodes", placed.node), "EXT_mesh_gpu_instancing") !=
               nullptr;
}

// By node: whether it becomes a group.
std::vector<bool> find_groups(const Document& document, const std::vector<PlacedNode>& nodes) {
    std::vector<bool> is_group(nodes.size(), false);
    // Children come after their parents: from the last one on, tell each parent.
    for (std::size_t k = nodes.size(); k-- > 0;) {
        const bool has_content = is_group[k] || has_own_content(document, nodes[k]);
        if (has_content && nodes[k].parent != kNoParent) {
            is_group[nodes[k].parent] = true;
        }
        is_group[k] = is_group[k] || has_many_places(document, nodes[k]);
    }
    return is_group;
}

}  // namespace

base::Status append_groups(const Document& document,
                           SizeRule& rule,
                           std::vector<PlacedNode>& nodes,
                           Scene& scene) {
    const std::vector<bool> is_group = find_groups(document, nodes);
    const auto count = static_cast<u64>(std::count(is_group.begin(), is_group.end(), true));
    WEFT_TRY(rule.add_made(count * kBytesOfGroup, "groups of nodes"));
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(count * kBytesOfGroup, document.path() + ": its groups of nodes");
    WEFT_TRY(claim);
    std::vector<Group>& groups = scene.groups.own(count);
    groups.reserve(groups.size() + count);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const u32 above = nodes[k].parent == kNoParent ? kNone : nodes[nodes[k].parent].group;
        nodes[k].group = above;
        if (is_group[k]) {
            nodes[k].group = static_cast<u32>(groups.size());
            groups.push_back(
                {node_name(document, nodes[k].node), group_matrix(nodes[k].to_world), above});
        }
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
