// ray_list.h — traces given rays, as fibres of a cluster of its own.
//
// For questions outside of a picture's paths: what is in focus, what was clicked on. The ray data
// manager cuts the list into threads, each ray is an element, and its parent copies it in and its
// hit out. Hits are those of the renderer, bit by bit.
//
// One thread owns a RayList. What the frame scene points to must outlive it.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/ray_fibre.h"
#include "scheduler/fibre/data_manager.h"

namespace weft::trace {

class RayList {
public:
    // `stage.rays` and the slots of its scene are set here. `capacity`: rays in flight.
    RayList(const RayConfig& config, const RayStage& stage, u32 capacity);
    RayList(const RayList&) = delete;
    RayList& operator=(const RayList&) = delete;

    // False where memory could not be had: trace() may not be called then.
    [[nodiscard]] bool is_allocated() const { return cluster_.is_allocated(); }

    // Traces rays as RayConfig::kind says; see TraceRay for what goes in and comes out. Surfaces
    // with alpha are decided as for sample 0 of pixel 0.
    void trace(std::span<shaders::TraceRay> rays);

    [[nodiscard]] fibre::DataCounters counters() const { return manager_.counters(); }

private:
    static void parent(void* context, const fibre::Packet& packet, fibre::Spawner& spawner);
    static void finished(void* context, u64 user);
    void run_parent(const fibre::Packet& packet, fibre::Spawner& spawner);
    [[nodiscard]] RayStage with_slots(RayStage stage);

    std::vector<shaders::TraceRay> slots_;  // by element
    std::vector<u32> alpha_keys_;
    std::vector<u32> shadow_tints_;
    std::vector<u32> index_;  // by element: which ray of the list it is
    fibre::Cluster cluster_;
    RayFibre fibre_;
    fibre::RoutineId routine_ = 0;
    fibre::DataManager manager_;
    std::span<shaders::TraceRay> rays_;
};

}  // namespace weft::trace
