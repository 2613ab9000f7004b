// integrator_state.h — the state that the six routines of one integrator share. Private to
// integrator.cpp and path_fibre.cpp.
//
// One owner thread, on which the routines run one after the other.
#pragma once

#include <array>
#include <atomic>

#include "engine/trace/integrator.h"

namespace weft::trace {

// Error codes of parts: the unit was declared lost while it ran; a page of the tree could not be
// read, and so hits are missing.
inline constexpr u32 kAbandoned = 1;
inline constexpr u32 kPageLost = 2;

struct Integrator::State {
    IntegratorConfig config;
    FrameScene frame;
    u32 cluster_index;
    CopyOut copy_out;  // of a device's results
    UnitMemory memory;
    UnitMemory result_memory;
    PathSlots slots;
    fibre::Cluster cluster;
    std::unique_ptr<HeatTable> heat;  // null: not counted
    RayFibre closest_rays;
    RayFibre shadow_rays;
    std::unique_ptr<SurfaceFibre> surface;    // null: surfaces are in memory
    std::unique_ptr<TexelCache> texels;       // null: not on a device
    std::unique_ptr<TexelOrder> texel_order;  // null: packets of hits keep their order
    u64 first_portion;          // index of this unit's first portion among those of its device
    fibre::DataManager camera;  // cuts shares into threads
    IntegratorCounters counters;
    unit::ExecutionUnit* unit = nullptr;  // the calling unit, set by begin_part() and step()
    std::atomic<const shaders::ShadeKernels*> next_shade{
        nullptr};                           // release; acquire by begin_part
    std::atomic<bool> is_abandoned{false};  // relaxed: an abandoned unit's results are unused

    // The share in a portion. Samples are numbered from portion · share_samples on, in the order in
    // which they start; part p begins at part_begin[p].
    struct Share {
        SampleBlock block;
        u32 part_count = 0;
        u32 open_parts = 0;  // bit p: part p runs
        std::array<u32, unit::kMostParts> part_begin{};
        ResultSlots results;
    };

    std::vector<Share> shares;
    bool is_results_allocated = true;

    fibre::RoutineId path = 0;
    fibre::RoutineId closest = 0;
    fibre::RoutineId shadow = 0;
    fibre::RoutineId shade = 0;
    fibre::RoutineId miss = 0;
    fibre::RoutineId gather = 0;  // where there is `surface`

    // By path.
    struct ResultPlace {
        u32 portion;
        u32 slot;
    };

    std::vector<ResultPlace> result_place;
    // Scratch of the routines, sized once: slots sorted by their next fibre.
    std::vector<u32> first_ids;
    std::vector<u32> second_ids;
    std::vector<u32> third_ids;

    State(const IntegratorConfig& config, const FrameScene& frame, const IntegratorPlace& place);

    [[nodiscard]] RayStage ray_stage(RayKind kind) const;
    void declare_routines();
    void begin_part(const unit::PartTask& task);
    void end_thread(u64 user);
    bool step();
    bool end_abandoned_parts();

    // path_fibre.cpp
    void run_path(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_shade(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_miss(const fibre::Packet& packet, fibre::Spawner& spawner);

private:
    // The ends of three lists of paths, by their next step.
    struct NextSteps {
        u32* hit;
        u32* miss;
        u32* end;
    };

    template <bool kIsPlain>
    void sort_paths(std::span<const u32> piece, NextSteps& next);
    void shade_elements(std::span<const u32> elements);
    void shade_counted(std::span<const u32> elements);
    void start_paths(const fibre::Packet& packet, fibre::Spawner& spawner);
    i64* split_of(u32 slot);
    void resolve(std::span<const u32> ended);
    void resolve_guide(u32 slot, const ResultView& result, std::size_t at);
    void resolve_aovs(u32 slot, const ResultView& result, std::size_t at);
};

}  // namespace weft::trace
