#include "engine/trace/ray_fibre.h"

#include <algorithm>
#include <array>

namespace weft::trace {

namespace {

// Tag of the key that rays start with: the root, before the list is split by octant (tags 0..7).
constexpr u32 kWholeBatch = 8;

u32 octant_of(const shaders::TraceRay& ray) {
    return (ray.direction[0] < 0 ? 1U : 0U) | (ray.direction[1] < 0 ? 2U : 0U) |
           (ray.direction[2] < 0 ? 4U : 0U);
}

}  // namespace

RayFibre::RayFibre(const RayConfig& config, const RayStage& stage)
    : config_(config),
      stage_(stage),
      ids_(config.batch),
      child_ids_(std::size_t{config.batch} * 8),
      child_entries_(std::size_t{config.batch} * 8) {}

fibre::RoutineId RayFibre::declare(fibre::Cluster& cluster, fibre::Policy policy) {
    cluster_ = &cluster;
    fibre::RoutineDesc desc;
    desc.name = config_.kind == RayKind::Closest ? "closest" : "shadow";
    desc.run = routine;
    desc.context = this;
    desc.packet_fill = config_.batch;
    desc.packet_max = config_.batch;
    desc.may_mix_keys = false;
    desc.policy = policy;
    desc.prefetch = prefetch;
    desc.default_key = {stage_.scene.bvh.root, kWholeBatch};
    return cluster.declare(desc);
}

void RayFibre::routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<RayFibre*>(context)->run(packet, spawner);
}

// Starts the fetch of a node or leaf (F12); instances are one line.
void RayFibre::prefetch(void* context, fibre::Key key) {
    const shaders::BvhView& bvh = static_cast<const RayFibre*>(context)->stage_.scene.bvh;
    const u32 index = key.value & shaders::kRefIndex;
    const void* data = nullptr;
    switch (key.value & shaders::kRefKind) {
        case shaders::kRefNode:
            data = &bvh.nodes[index];
            break;
        case shaders::kRefLeaf:
            data = &bvh.blocks[index];
            break;
        case shaders::kRefInstance:
            data = &bvh.placements[index];
            break;
        default:
            return;
    }
    for (u32 line = 0; line < 3; ++line) {
        __builtin_prefetch(static_cast<const char*>(data) + 64 * line);
    }
}

void RayFibre::run(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (packet.key.value == shaders::kRefEmpty) {
        return;
    }
    if (packet.key.tag == kWholeBatch) {
        run_batch(packet, spawner);
    } else {
        run_list(packet, spawner);
    }
}

// A list of one octant can visit the children of a node in one order.
void RayFibre::run_batch(const fibre::Packet& packet, fibre::Spawner& spawner) {
    const std::span<const u32> elements = packet.elements;
    if (config_.mode == SchedulerMode::Embree) {
        const auto count = static_cast<u32>(elements.size());
        if (config_.kind == RayKind::Shadow) {
            stage_.embree->any(stage_.scene, stage_.rays, elements.data(), count);
        } else {
            stage_.embree->closest(stage_.scene, stage_.rays, elements.data(), count);
        }
        return;
    }
    if (config_.mode == SchedulerMode::Unkeyed || elements.size() <= config_.group_limit) {
        run_group(packet.key.value, elements);
        return;
    }
    std::array<u32, 8> count{};
    const std::size_t row = config_.batch;
    for (const u32 slot : elements) {
        const u32 octant = octant_of(stage_.rays[slot]);
        child_ids_[octant * row + count[octant]++] = slot;
    }
    std::fill_n(child_entries_.begin(), elements.size(), 0.0F);
    for (u32 octant = 0; octant < 8; ++octant) {
        const std::span<const u32> ids(&child_ids_[octant * row], count[octant]);
        if (!spawner.rekey({packet.key.value, octant}, ids, {child_entries_.data(), ids.size()})) {
            run_group(packet.key.value, ids);
        }
    }
}

void RayFibre::run_list(const fibre::Packet& packet, fibre::Spawner& spawner) {
    // Fibres whose subtree now lies behind their hit (or whose light is known to be blocked) are
    // done.
    u32 count = 0;
    for (std::size_t k = 0; k < packet.elements.size(); ++k) {
        const u32 slot = packet.elements[k];
        ids_[count] = slot;
        count += packet.payload[k] <= stage_.rays[slot].t ? 1U : 0U;
    }
    if (count == 0) {
        return;
    }
    const std::span<const u32> ids(ids_.data(), count);
    const bool is_node = (packet.key.value & shaders::kRefKind) == shaders::kRefNode;
    if (!is_node || count <= config_.group_limit) {
        run_group(packet.key.value, ids);
    } else {
        visit_node(packet.key.value, packet.key.tag, ids, spawner);
    }
}

// From the cache part of local memory, where it is (F16).
const shaders::DecodedNode& RayFibre::decoded_node(u32 ref, u32 octant) {
    fibre::SoftwareCache& cache = cluster_->cache();
    const u64 key = u64{octant} << 32 | ref;
    if (const void* const found = cache.find(key)) {
        return *static_cast<const shaders::DecodedNode*>(found);
    }
    auto* node = static_cast<shaders::DecodedNode*>(cache.insert(key));
    node = node ? node : &spare_node_;
    shaders::decode_node(stage_.scene.bvh.nodes[ref & shaders::kRefIndex], octant, *node);
    return *node;
}

void RayFibre::visit_node(u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner) {
    const std::size_t row = config_.batch;
    shaders::ChildLists children{};
    for (u32 c = 0; c < 8; ++c) {
        children.ids[c] = &child_ids_[c * row];
        children.entry[c] = &child_entries_[c * row];
    }
    // No other node is decoded while this one is visited.
    const shaders::DecodedNode& node = decoded_node(ref, octant);
    const auto visit =
        config_.kind == RayKind::Shadow ? stage_.kernels->any_visit : stage_.kernels->closest_visit;
    visit(stage_.scene,
          node,
          stage_.rays,
          ids.data(),
          static_cast<u32>(ids.size()),
          children,
          counters_);
    for (u32 c = 0; c < node.child_count; ++c) {
        if (children.count[c] == 0) {
            continue;
        }
        const std::span<const u32> list(children.ids[c], children.count[c]);
        if (!spawner.rekey({node.child[c], octant}, list, {children.entry[c], list.size()})) {
            run_group(node.child[c], list);
        }
    }
}

void RayFibre::run_group(u32 ref, std::span<const u32> ids) {
    const auto group =
        config_.kind == RayKind::Shadow ? stage_.kernels->any_group : stage_.kernels->closest_group;
    const std::size_t step = config_.is_interleaved ? std::max<std::size_t>(ids.size(), 1) : 1;
    for (std::size_t begin = 0; begin < ids.size(); begin += step) {
        group(
            stage_.scene, ref, stage_.rays, ids.data() + begin, static_cast<u32>(step), counters_);
    }
}

}  // namespace weft::trace
