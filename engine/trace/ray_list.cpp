#include "engine/trace/ray_list.h"

#include <algorithm>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

// Threads that the cluster can hold at once.
constexpr u32 kThreads = 4;

RayConfig with_count(RayConfig config, u32 capacity) {
    config.slot_count = capacity;
    return config;
}

fibre::ClusterConfig cluster_config(const RayConfig& config, u32 capacity) {
    fibre::ClusterConfig cluster;
    cluster.element_count = capacity;
    cluster.list_capacity = config.batch * 48;
    cluster.element_bytes = sizeof(shaders::TraceRay);
    cluster.thread_capacity = kThreads;
    return cluster;
}

}  // namespace

RayList::RayList(const RayConfig& config, const RayStage& stage, u32 capacity, RayClass ray_class)
    : slots_(capacity),
      alpha_keys_(capacity),
      shadow_tints_(std::size_t{capacity} * 3),
      index_(capacity),
      cluster_(cluster_config(config, capacity)),
      fibre_(with_count(config, capacity), with_slots(stage)),
      root_(fibre_.root_key(ray_class)),
      manager_(fibre::DataKind::Ray, 1, 1) {
    if (!cluster_.is_allocated()) {
        return;
    }
    fibre::RoutineDesc desc;
    desc.name = "ray list";
    desc.run = parent;
    desc.context = this;
    desc.packet_max = capacity;
    cluster_.declare(desc);
    routine_ = fibre_.declare(cluster_, fibre::Policy::DepthFirst);
    cluster_.set_finished(finished, this);
}

RayStage RayList::with_slots(RayStage stage) {
    stage.rays = slots_.data();
    stage.scene.alpha_keys = alpha_keys_.data();
    stage.scene.shadow_tints = shadow_tints_.data();
    return stage;
}

void RayList::parent(void* context, const fibre::Packet& packet, fibre::Spawner& spawner) {
    static_cast<RayList*>(context)->run_parent(packet, spawner);
}

void RayList::finished(void* context, u64 /*user*/) {
    static_cast<RayList*>(context)->manager_.finished();
}

void RayList::run_parent(const fibre::Packet& packet, fibre::Spawner& spawner) {
    if (packet.is_initial_launch) {
        const u64 first = fibre::Piece::of(packet.user).begin + packet.first_launch;
        for (std::size_t k = 0; k < packet.elements.size(); ++k) {
            const u32 slot = packet.elements[k];
            index_[slot] = static_cast<u32>(first + k);
            slots_[slot] = rays_[index_[slot]];
        }
        spawner.spawn(routine_, root_, packet.elements);
        return;
    }
    for (const u32 slot : packet.elements) {
        rays_[index_[slot]] = slots_[slot];
    }
    spawner.release(packet.elements);
}

void RayList::trace(std::span<shaders::TraceRay> rays) {
    if (rays.empty()) {
        return;
    }
    rays_ = rays;
    const bool is_given = manager_.give({.begin = 0, .end = rays.size(), .grain = slots_.size()});
    ENSURE(is_given, ==, true);
    while (!manager_.is_done()) {
        manager_.feed(cluster_, kThreads);
        cluster_.run();
    }
    rays_ = {};
}

}  // namespace weft::trace
