#include "engine/trace/ray_fibre.h"

#include <algorithm>
#include <array>

#include "scheduler/base/clock.h"

namespace weft::trace {

namespace {

// Tags of keys: a batch at the root with its class, or a list with its octant and way.
constexpr u32 kOctant = 7;
constexpr u32 kBatch = 8;
constexpr u32 kCoherent = 16;
constexpr u32 kPackets = 32;  // short lists run one ray per lane

// The first one is taken where nothing is measured.
constexpr std::array kKeyedWays = {
    RayWay::StreamGroups, RayWay::Packets, RayWay::Groups, RayWay::StreamPackets};
constexpr std::array kUnkeyedWays = {RayWay::Groups, RayWay::Packets};

u32 way_count(const RayConfig& config) {
    if (!config.is_adaptive || config.mode == SchedulerMode::Embree) {
        return 1;
    }
    return config.mode == SchedulerMode::Keyed ? kKeyedWays.size() : kUnkeyedWays.size();
}

u32 octant_of(const shaders::TraceRay& ray) {
    return (ray.direction[0] < 0 ? 1U : 0U) | (ray.direction[1] < 0 ? 2U : 0U) |
           (ray.direction[2] < 0 ? 4U : 0U);
}

}  // namespace

RayFibre::RayFibre(const RayConfig& config, const RayStage& stage)
    : config_(config),
      stage_(stage),
      choices_{LaneChoice(way_count(config)), LaneChoice(way_count(config))},
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
    desc.default_key = root_key(RayClass::Scattered);
    return cluster.declare(desc);
}

fibre::Key RayFibre::root_key(RayClass ray_class) const {
    return {stage_.scene.bvh.root, ray_class == RayClass::Coherent ? kBatch | kCoherent : kBatch};
}

RayWay RayFibre::way_of(RayClass ray_class) const {
    const u32 way = choices_[static_cast<u32>(ray_class)].best();
    return config_.mode == SchedulerMode::Keyed ? kKeyedWays[way] : kUnkeyedWays[way];
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
    const bool is_batch = (packet.key.tag & kBatch) != 0;
    if (is_batch) {
        end_timing();
    }
    if (is_batch) {
        run_batch(packet, spawner);
    } else {
        run_list(packet, spawner);
    }
    if (timed_) {
        timed_end_ns_ = base::now_ns();
    }
}

// Lists run before all else, so a stream has ended with the last list before the next batch.
void RayFibre::end_timing() {
    if (timed_) {
        timed_->record(timed_rays_, static_cast<double>(timed_end_ns_ - timed_begin_ns_));
        timed_ = nullptr;
    }
}

void RayFibre::run_batch(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (config_.mode == SchedulerMode::Embree) {
        run_embree(packet.elements);
        return;
    }
    LaneChoice& choice = choices_[(packet.key.tag & kCoherent) != 0 ? 1 : 0];
    const u32 chosen = choice.next();
    const RayWay way =
        config_.mode == SchedulerMode::Keyed ? kKeyedWays[chosen] : kUnkeyedWays[chosen];
    if (choice.is_timed()) {
        timed_ = &choice;
        timed_rays_ = static_cast<u32>(packet.elements.size());
        timed_begin_ns_ = base::now_ns();
    }
    const bool is_stream = way == RayWay::StreamGroups || way == RayWay::StreamPackets;
    if (is_stream && packet.elements.size() > config_.group_limit) {
        run_stream(packet, way, spawner);
    } else {
        run_short(packet.key.value, packet.elements, way);
    }
}

void RayFibre::run_embree(std::span<const u32> ids) {
    const auto count = static_cast<u32>(ids.size());
    if (config_.kind == RayKind::Shadow) {
        stage_.embree->any(stage_.scene, stage_.rays, ids.data(), count);
    } else {
        stage_.embree->closest(stage_.scene, stage_.rays, ids.data(), count);
    }
}

// A list of one octant can visit the children of a node in one order.
void RayFibre::run_stream(const fibre::Packet& packet, RayWay way, fibre::Spawner& spawner) {
    std::array<u32, 8> count{};
    const std::size_t row = config_.batch;
    for (const u32 slot : packet.elements) {
        const u32 octant = octant_of(stage_.rays[slot]);
        child_ids_[octant * row + count[octant]++] = slot;
    }
    std::fill_n(child_entries_.begin(), packet.elements.size(), 0.0F);
    const u32 way_tag = way == RayWay::StreamPackets ? kPackets : 0;
    for (u32 octant = 0; octant < 8; ++octant) {
        const std::span<const u32> ids(&child_ids_[octant * row], count[octant]);
        const std::span<const float> entries(child_entries_.data(), ids.size());
        if (!spawner.rekey({packet.key.value, octant | way_tag}, ids, entries)) {
            run_short(packet.key.value, ids, way);
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
        const bool is_packets = (packet.key.tag & kPackets) != 0;
        run_short(packet.key.value, ids, is_packets ? RayWay::StreamPackets : RayWay::StreamGroups);
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

void RayFibre::visit_node(u32 ref, u32 tag, std::span<const u32> ids, fibre::Spawner& spawner) {
    const std::size_t row = config_.batch;
    shaders::ChildLists children{};
    for (u32 c = 0; c < 8; ++c) {
        children.ids[c] = &child_ids_[c * row];
        children.entry[c] = &child_entries_[c * row];
    }
    // No other node is decoded while this one is visited.
    const shaders::DecodedNode& node = decoded_node(ref, tag & kOctant);
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
        if (!spawner.rekey({node.child[c], tag}, list, {children.entry[c], list.size()})) {
            run_short(node.child[c],
                      list,
                      (tag & kPackets) != 0 ? RayWay::StreamPackets : RayWay::StreamGroups);
        }
    }
}

// To the end of the subtree. A few rays do not fill the lanes of a packet.
void RayFibre::run_short(u32 ref, std::span<const u32> ids, RayWay way) {
    constexpr std::size_t kFewRays = 8;
    const bool is_packets =
        way == RayWay::Packets || (way == RayWay::StreamPackets && ids.size() >= kFewRays);
    const shaders::TraceKernels& kernels = *stage_.kernels;
    const auto group = config_.kind == RayKind::Shadow
                           ? (is_packets ? kernels.any_packet : kernels.any_group)
                           : (is_packets ? kernels.closest_packet : kernels.closest_group);
    group(stage_.scene, ref, stage_.rays, ids.data(), static_cast<u32>(ids.size()), counters_);
}

}  // namespace weft::trace
