// integrator_state.h — what the five routines of one integrator share. Private to the integrator's
// .cpp files.
//
// One owner thread; routines run one after the other on it.
#pragma once

#include <array>
#include <atomic>

#include "engine/trace/integrator.h"
#include "scheduler/fibre/data_manager.h"

namespace weft::trace {

// Error code of a part whose unit was given up for lost while it ran.
inline constexpr u32 kAbandoned = 1;

// Tag of the key that rays start with: the root, before the list is split by octant (tags 0..7).
inline constexpr u32 kWholeBatch = 8;

struct Integrator::State {
    IntegratorConfig config;
    FrameScene frame;
    UnitMemory memory;
    PathSlots slots;
    fibre::Cluster cluster;
    u64 first_portion;          // number of this unit's first portion among its device's
    fibre::DataManager camera;  // cuts leaves into threads
    IntegratorCounters counters;
    unit::ExecutionUnit* unit = nullptr;    // set while it runs us
    std::atomic<bool> is_abandoned{false};  // relaxed: only stops what reaches nothing anyway

    // A leaf in a portion: its samples are numbered from portion · leaf_samples, in the order in
    // which they start; its part p begins at part_begin[p].
    struct Leaf {
        SampleBlock block;
        u32 part_count = 0;
        u32 open_parts = 0;  // bit p: part p runs
        std::array<u32, unit::kMostParts> part_begin{};
        ResultSlots results;
    };

    std::vector<Leaf> leaves;
    bool is_results_allocated = true;

    fibre::RoutineId path = 0;
    fibre::RoutineId closest = 0;
    fibre::RoutineId shadow = 0;
    fibre::RoutineId shade = 0;
    fibre::RoutineId miss = 0;

    // By path: where its result goes, portion · leaf_samples + slot.
    std::vector<u32> result_place;
    // Scratch of the routines, sized once: ids sorted by what comes next, and child lists of a node
    // visit.
    std::vector<u32> first_ids;
    std::vector<u32> second_ids;
    std::vector<u32> child_ids;
    std::vector<float> child_entries;
    shaders::DecodedNode spare_node{};  // where there is no cache

    State(const IntegratorConfig& config, const FrameScene& frame, const IntegratorPlace& place);

    [[nodiscard]] shaders::TraceScene trace_scene() const {
        const shaders::PathView& paths = slots.view();
        return {frame.bvh, &frame.view, paths.alpha_key, paths.shadow_tint};
    }

    void declare_routines();
    void begin_part(const unit::PartTask& task);
    void end_thread(u64 user);
    bool step();
    bool end_abandoned_parts();

    // path_fibre.cpp
    void run_path(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_shade(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_miss(const fibre::Packet& packet, fibre::Spawner& spawner);

    // ray_fibre.cpp
    void run_rays(const fibre::Packet& packet, fibre::Spawner& spawner, bool is_shadow);

private:
    void start_paths(const fibre::Packet& packet, fibre::Spawner& spawner);
    void add_light(u32 slot);
    void resolve(u32 slot);
    const shaders::DecodedNode& decoded_node(u32 ref, u32 octant);
    void split_by_octant(const fibre::Packet& packet, fibre::Spawner& spawner, bool is_shadow);
    void visit_node(
        u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner, bool is_shadow);
    void run_group(u32 ref, std::span<const u32> ids, bool is_shadow);
};

}  // namespace weft::trace
