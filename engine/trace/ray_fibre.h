// ray_fibre.h — closest-hit and any-hit rays as fibres: the routines of a cluster that traverse the
// tree.
//
// A batch of rays starts at the root. Unkeyed, it runs as one group in order of arrival; keyed, it
// is split by octant and goes down the tree as a depth-first stream of lists, one node each; Embree
// takes it as it is. What a hit is does not depend on any of this (shaders/trace_kernels.h).
//
// One RayFibre per cluster and kind of ray; called on the cluster's thread.
#pragma once

#include <span>
#include <vector>

#include "engine/accel/embree_reference.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/trace_kernels.h"

namespace weft::trace {

enum class SchedulerMode {
    Keyed,    // keyed depth-first streams, shading gathered by material
    Unkeyed,  // fibre groups over batches in order of arrival, shading likewise: the control
    Embree,   // the bodies of closest and shadow are Embree's; shading as keyed
};

enum class RayKind {
    Closest,
    Shadow,  // any hit
};

// How rays traverse.
struct RayConfig {
    SchedulerMode mode = SchedulerMode::Keyed;
    RayKind kind = RayKind::Closest;
    u32 batch = 4096;            // rays that start together, and so the longest list
    u32 group_limit = 128;       // lists up to this long run their subtree as one fibre group
    bool is_interleaved = true;  // groups hide latency; false: ray by ray (a bench's control)
};

// What they traverse. Pointers must outlive the fibre.
struct RayStage {
    shaders::TraceScene scene{};  // the view that it points at too
    const shaders::TraceKernels* kernels = nullptr;
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    shaders::TraceRay* rays = nullptr;               // by element
};

class RayFibre {
public:
    RayFibre(const RayConfig& config, const RayStage& stage);

    // Declares the routine; `context` of its calls is this object, which may not move any more.
    fibre::RoutineId declare(fibre::Cluster& cluster, fibre::Policy policy);

    [[nodiscard]] const shaders::TraceCounters& counters() const { return counters_; }

private:
    static void routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner);
    static void prefetch(void* context, fibre::Key key);
    void run(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_batch(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_list(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_group(u32 ref, std::span<const u32> ids);
    void visit_node(u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner);
    const shaders::DecodedNode& decoded_node(u32 ref, u32 octant);

    RayConfig config_;
    RayStage stage_;
    fibre::Cluster* cluster_ = nullptr;
    shaders::TraceCounters counters_;
    // Scratch, sized once.
    std::vector<u32> ids_;
    std::vector<u32> child_ids_;  // eight rows of `batch`
    std::vector<float> child_entries_;
    shaders::DecodedNode spare_node_{};  // where there is no cache
};

}  // namespace weft::trace
