// ray_fibre.cpp — the closest-hit and any-hit fibres: the keyed depth-first stream over the tree.
//
// A batch of rays starts at the root and is split by octant. A list of rays at a node is one
// packet: short lists run their whole subtree as a group of interleaved fibres; long ones load the
// node once, test every ray, and go on to the children as new lists (re-keying). The unkeyed mode
// runs the batch as one group from the root; the embree mode hands it to Embree. What a hit is does
// not depend on any of this (shaders/trace_kernels.h).
#include "engine/trace/integrator_state.h"
#include "shaders/shade_kernels.h"

namespace weft::trace {

namespace {

u32 octant_of(const shaders::TraceRay& ray) {
    return (ray.direction[0] < 0 ? 1u : 0u) | (ray.direction[1] < 0 ? 2u : 0u) |
           (ray.direction[2] < 0 ? 4u : 0u);
}

}  // namespace

void Integrator::State::run_rays(const fibre::Packet& packet,
                                 fibre::Spawner& spawner,
                                 bool is_shadow) {
    if (packet.key.tag == kWholeBatch) {
        if (packet.key.value == shaders::kRefEmpty) {
            return;
        }
        if (config.mode == SchedulerMode::Embree) {
            shaders::TraceRay* rays = is_shadow ? slots.view().shadow : slots.view().ray;
            const auto count = static_cast<u32>(packet.elements.size());
            if (is_shadow) {
                frame.embree->any(trace_scene(), rays, packet.elements.data(), count);
            } else {
                frame.embree->closest(trace_scene(), rays, packet.elements.data(), count);
            }
            return;
        }
        if (config.mode == SchedulerMode::Unkeyed || packet.elements.size() <= config.group_limit) {
            run_group(packet.key.value, packet.elements, is_shadow);
            return;
        }
        split_by_octant(packet, spawner, is_shadow);
        return;
    }
    // Fibres whose subtree now lies behind their hit (or whose light is known to be blocked) are
    // done.
    const shaders::TraceRay* rays = is_shadow ? slots.view().shadow : slots.view().ray;
    u32 count = 0;
    for (std::size_t k = 0; k < packet.elements.size(); ++k) {
        const u32 slot = packet.elements[k];
        first_ids[count] = slot;
        count += packet.payload[k] <= rays[slot].t ? 1U : 0U;
    }
    if (count == 0) {
        return;
    }
    const std::span<const u32> ids(first_ids.data(), count);
    const bool is_node = (packet.key.value & shaders::kRefKind) == shaders::kRefNode;
    if (!is_node || count <= config.group_limit) {
        run_group(packet.key.value, ids, is_shadow);
    } else {
        visit_node(packet.key.value, packet.key.tag, ids, spawner, is_shadow);
    }
}

// Lists of one octant can visit the children of a node in one order.
void Integrator::State::split_by_octant(const fibre::Packet& packet,
                                        fibre::Spawner& spawner,
                                        bool is_shadow) {
    const shaders::TraceRay* rays = is_shadow ? slots.view().shadow : slots.view().ray;
    std::array<u32, 8> count{};
    const std::size_t row = config.path_count;
    for (const u32 slot : packet.elements) {
        const u32 octant = octant_of(rays[slot]);
        child_ids[octant * row + count[octant]++] = slot;
    }
    std::fill_n(child_entries.begin(), packet.elements.size(), 0.0F);
    for (u32 octant = 0; octant < 8; ++octant) {
        if (count[octant] == 0) {
            continue;
        }
        const std::span<const u32> ids(&child_ids[octant * row], count[octant]);
        if (!spawner.rekey({packet.key.value, octant}, ids, {child_entries.data(), ids.size()})) {
            run_group(packet.key.value, ids, is_shadow);
        }
    }
}

// From the cache part of local memory, where it is (F16).
const shaders::DecodedNode& Integrator::State::decoded_node(u32 ref, u32 octant) {
    fibre::SoftwareCache& cache = cluster.cache();
    const u64 key = u64{octant} << 32 | ref;
    if (const void* const found = cache.find(key)) {
        return *static_cast<const shaders::DecodedNode*>(found);
    }
    auto* node = static_cast<shaders::DecodedNode*>(cache.insert(key));
    node = node ? node : &spare_node;
    shaders::decode_node(frame.bvh.nodes[ref & shaders::kRefIndex], octant, *node);
    return *node;
}

void Integrator::State::visit_node(
    u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner, bool is_shadow) {
    const std::size_t row = config.path_count;
    shaders::ChildLists children{};
    for (u32 c = 0; c < 8; ++c) {
        children.ids[c] = &child_ids[c * row];
        children.entry[c] = &child_entries[c * row];
    }
    const auto count = static_cast<u32>(ids.size());
    // No other node is decoded while this one is visited.
    const shaders::DecodedNode& node = decoded_node(ref, octant);
    if (is_shadow) {
        frame.trace->any_visit(
            trace_scene(), node, slots.view().shadow, ids.data(), count, children, counters.shadow);
    } else {
        frame.trace->closest_visit(
            trace_scene(), node, slots.view().ray, ids.data(), count, children, counters.closest);
    }
    for (u32 c = 0; c < node.child_count; ++c) {
        if (children.count[c] == 0) {
            continue;
        }
        const std::span<const u32> list(children.ids[c], children.count[c]);
        if (!spawner.rekey({node.child[c], octant}, list, {children.entry[c], list.size()})) {
            run_group(node.child[c], list, is_shadow);
        }
    }
}

void Integrator::State::run_group(u32 ref, std::span<const u32> ids, bool is_shadow) {
    const auto count = static_cast<u32>(ids.size());
    if (is_shadow) {
        frame.trace->any_group(
            trace_scene(), ref, slots.view().shadow, ids.data(), count, counters.shadow);
    } else {
        frame.trace->closest_group(
            trace_scene(), ref, slots.view().ray, ids.data(), count, counters.closest);
    }
}

}  // namespace weft::trace
