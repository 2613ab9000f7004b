#include "engine/trace/heat_map.h"

#include <map>
#include <utility>

namespace weft::trace {

namespace {

// Numbers the pairs of mesh and material.
void number_objects(const scene::Scene& scene, HeatMap& map) {
    std::map<std::pair<u32, u32>, u32> known;
    map.object_of_instance.reserve(scene.instances.size());
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        const scene::Instance& instance = scene.instances[k];
        const auto [place, is_new] =
            known.try_emplace({instance.mesh, instance.material}, map.many_objects());
        if (is_new) {
            map.objects.push_back({instance.mesh, instance.material, k});
        }
        map.object_of_instance.push_back(place->second);
    }
}

// The object of a subtree with both; kNone is neutral.
u32 join(u32 one, u32 other, u32 many) {
    return one == kNone || one == other ? other : many;
}

u32 object_of_block(const HeatMap& map, const shaders::LeafBlock& block) {
    u32 object = kNone;
    for (u32 k = 0; k < 4; ++k) {
        if ((block.flags >> (8 + k) & 1) != 0) {
            object = join(object, map.object_of_instance[block.instance[k]], map.many_objects());
        }
    }
    return object;
}

// A node on the stack of the traversal.
struct OpenNode {
    u32 node;
    u32 next_child;
};

// Finds and records the object of a block or placement.
u32 object_of_end(const shaders::BvhView& bvh, u32 ref, HeatMap& map) {
    const u32 index = ref & shaders::kRefIndex;
    if ((ref & shaders::kRefKind) == shaders::kRefLeaf) {
        return map.of_block[index] = object_of_block(map, bvh.blocks[index]);
    }
    return map.of_placement[index] = map.object_of_instance[bvh.placements[index].instance];
}

// Traverses the TLAS in post-order, without recursion because trees may be deep.
void walk_world(const shaders::BvhView& bvh, HeatMap& map) {
    if (bvh.root == shaders::kRefEmpty) {
        return;
    }
    if ((bvh.root & shaders::kRefKind) != shaders::kRefNode) {
        object_of_end(bvh, bvh.root, map);
        return;
    }
    const u32 many = map.many_objects();
    std::vector<u32> seen(map.of_node.size(), kNone);
    std::vector<OpenNode> open = {{bvh.root, 0}};
    while (!open.empty()) {
        OpenNode& top = open.back();
        if (top.next_child == 8) {
            const u32 object = map.of_node[top.node] = seen[top.node];
            open.pop_back();
            if (!open.empty()) {
                u32& above = seen[open.back().node];
                above = join(above, object, many);
            }
            continue;
        }
        const u32 child = bvh.nodes[top.node].child[top.next_child++];
        if (child == shaders::kRefEmpty) {
            continue;
        }
        if ((child & shaders::kRefKind) == shaders::kRefNode) {
            open.push_back({child, 0});
        } else {
            u32& own = seen[top.node];
            own = join(own, object_of_end(bvh, child, map), many);
        }
    }
}

}  // namespace

HeatMap make_heat_map(const scene::Scene& scene, const accel::Acceleration& acceleration) {
    HeatMap map;
    number_objects(scene, map);
    map.of_node.assign(acceleration.nodes.size(), map.many_objects());
    map.of_block.assign(acceleration.blocks.size(), map.many_objects());
    map.of_placement.assign(acceleration.placements.size(), map.many_objects());
    walk_world(acceleration.view(), map);
    return map;
}

}  // namespace weft::trace
