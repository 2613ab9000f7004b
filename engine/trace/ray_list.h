// ray_list.h — traces a list of rays, as fibres of a cluster of its own.
//
// For queries outside of paths: focusing, picking and displays without light. The ray data manager
// cuts the list into threads; each ray is an element, and the parent routine copies the ray in and
// the hit out. Hits equal those of the renderer, bit by bit.
//
// One thread owns a RayList. The stage's pointers must outlive it.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/ray_fibre.h"
#include "scheduler/fibre/data_manager.h"

namespace weft::trace {

class RayList {
public:
    // Sets `stage.rays` and the slots of its scene. `capacity`: rays in flight.
    RayList(const RayConfig& config,
            const RayStage& stage,
            u32 capacity,
            RayClass ray_class = RayClass::Scattered);
    RayList(const RayList&) = delete;
    RayList& operator=(const RayList&) = delete;

    // False if memory ran out: do not call trace() then.
    [[nodiscard]] bool is_allocated() const {
        return cluster_.is_allocated() && fibre_.is_allocated();
    }

    // Traces rays of RayConfig::kind; TraceRay describes input and output. Alpha is decided as for
    // sample 0 of pixel 0.
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
    std::vector<u32> index_;  // by element: index of its ray in the list
    fibre::Cluster cluster_;
    RayFibre fibre_;
    fibre::RoutineId routine_ = 0;
    const fibre::Key root_;  // where rays start
    fibre::DataManager manager_;
    std::span<shaders::TraceRay> rays_;
};

}  // namespace weft::trace
