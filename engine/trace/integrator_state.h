// integrator_state.h — what the five routines of one integrator share. Private to the integrator's
// .cpp files.
//
// One owner thread; routines run one after the other on it.
#pragma once

#include <array>

#include "engine/trace/integrator.h"

namespace weft::trace {

// Most dropped samples that are remembered with pixel and sample number; all are counted.
inline constexpr std::size_t kRememberedDrops = 16;

// Threads of camera samples that wait or run at once, and the samples of each.
inline constexpr u32 kSampleBatches = 16;
inline constexpr u32 kBatchSamples = 1024;

// Tag of the key that rays start with: the root, before the list is split by octant (tags 0..7).
inline constexpr u32 kWholeBatch = 8;

struct Integrator::State {
    IntegratorConfig config;
    FrameScene frame;
    PathSlots slots;
    fibre::Cluster cluster;
    SampleSource* source = nullptr;       // set while run() runs
    bool is_source_dry = false;           // it gave nothing, and nothing was released since
    std::vector<SampleRequest> requests;  // by batch: what its thread is launched on
    std::array<bool, kSampleBatches> batch_is_free{};
    u32 unlaunched = 0;  // samples of threads that wait
    IntegratorCounters counters;
    std::vector<DroppedSample> dropped;

    fibre::RoutineId path = 0;
    fibre::RoutineId closest = 0;
    fibre::RoutineId shadow = 0;
    fibre::RoutineId shade = 0;
    fibre::RoutineId miss = 0;

    // Scratch of the routines, sized once: ids sorted by what comes next, and child lists of a node
    // visit.
    std::vector<u32> first_ids;
    std::vector<u32> second_ids;
    std::vector<u32> child_ids;
    std::vector<float> child_entries;
    // Film AOV layer of each kind that shading writes; kNone: not asked for.
    u32 albedo_layer = kNone;
    u32 normal_layer = kNone;
    u32 position_layer = kNone;
    u32 depth_layer = kNone;
    bool has_instance_layer = false;

    State(const IntegratorConfig& config, const FrameScene& frame);

    [[nodiscard]] shaders::TraceScene trace_scene() const {
        const shaders::PathView& paths = slots.view();
        return {frame.bvh, &frame.tables->view, paths.alpha_key, paths.shadow_tint};
    }

    [[nodiscard]] fibre::Key root_key() const { return {frame.bvh.root, kWholeBatch}; }

    // path_fibre.cpp
    void run_path(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_shade(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_miss(const fibre::Packet& packet, fibre::Spawner& spawner);
    // Makes a thread of the source's next samples where the former one is launched; false: none.
    bool submit_samples();

    // ray_fibre.cpp
    void run_rays(const fibre::Packet& packet, fibre::Spawner& spawner, bool is_shadow);

private:
    void add_light(u32 slot);
    void resolve(u32 slot);
    void add_aovs(u32 slot, u32 x, u32 y);
    void split_by_octant(const fibre::Packet& packet, fibre::Spawner& spawner, bool is_shadow);
    void visit_node(
        u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner, bool is_shadow);
    void run_group(u32 ref, std::span<const u32> ids, bool is_shadow);
};

}  // namespace weft::trace
