// ray_fibre.h — closest-hit and any-hit rays as fibres: the routines of a cluster that traverse the
// tree.
//
// A batch of rays starts at the root. It runs as packets of one ray per lane, or as one group of
// interleaved fibres in order of arrival, or, keyed only, it is split by octant; then one kernel
// takes each octant down the tree as sets of rays with a node for key, or the scheduler does, as a
// depth-first stream of lists whose short ones that kernel takes to the end of their subtree. Which
// of them is fastest depends on the scene and on the class of rays, and is found while they run
// (lane_choice.h). Embree takes a batch as it is. What a hit is does not depend on any of this
// (shaders/traverse/trace_kernels.h). Where heat is counted, keyed rays go as a stream, and a list
// is run to its end where all that lies below is one object's, or where few rays are left.
//
// One RayFibre per cluster and kind of ray; called on the cluster's thread.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/accel/embree_reference.h"
#include "engine/trace/heat.h"
#include "engine/trace/lane_choice.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/traverse/trace_kernels.h"

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
    u32 batch = 4096;       // rays that start together, and so the longest list
    u32 group_limit = 128;  // lists up to this long run their subtree to its end
    // The fastest way is found by measuring; else keyed rays go as Stream, unkeyed as Groups.
    bool is_adaptive = true;
};

// Rays that start together should be alike: each class has batches, and a way to go, of its own.
enum class RayClass {
    Scattered,
    Coherent,  // camera rays, in order of pixels
};

// How a batch goes down the tree.
enum class RayWay {
    Packets,  // one ray per lane from the root
    Groups,   // interleaved fibres from the root
    Sets,     // keyed within one kernel: sets of rays that share a stack, from the root
    Stream,   // keyed lists that the scheduler hands out, node by node
};

// What they traverse. Pointers must outlive the fibre.
struct RayStage {
    shaders::TraceScene scene{};  // the view that it points at too
    const shaders::TraceKernels* kernels = nullptr;
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    shaders::TraceRay* rays = nullptr;               // by element
    HeatTable* heat = nullptr;                       // null: heat is not counted
};

class RayFibre {
public:
    RayFibre(const RayConfig& config, const RayStage& stage);

    // Declares the routine; `context` of its calls is this object, which may not move any more.
    fibre::RoutineId declare(fibre::Cluster& cluster, fibre::Policy policy);

    // Other things to traverse; no ray is under way, and the cluster's cache is emptied. From then
    // on rays are spawned with a root_key().
    void aim(const RayStage& stage) { stage_ = stage; }

    // The key of the root for rays of a class; without a key they are Scattered.
    [[nodiscard]] fibre::Key root_key(RayClass ray_class) const;

    // The way that rays of a class go at present.
    [[nodiscard]] RayWay way_of(RayClass ray_class) const;

    [[nodiscard]] const shaders::TraceCounters& counters() const { return counters_; }

private:
    static void routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner);
    static void prefetch(void* context, fibre::Key key);
    void run(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_counted(const fibre::Packet& packet, fibre::Spawner& spawner);
    [[nodiscard]] u32 most_to_run_whole(u32 ref) const;
    void run_batch(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_list(const fibre::Packet& packet, fibre::Spawner& spawner);
    void split_by_octant(std::span<const u32> ids, std::array<u32, 8>& count);
    void run_sets(u32 ref, std::span<const u32> ids);
    void run_stream(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_embree(std::span<const u32> ids);
    void run_whole(u32 ref, std::span<const u32> ids, RayWay way);
    void run_short(u32 ref, u32 octant, std::span<const u32> ids);
    void visit_node(u32 ref, u32 octant, std::span<const u32> ids, fibre::Spawner& spawner);
    void go_on(fibre::Key key,
               std::span<const u32> ids,
               std::span<const float> entries,
               fibre::Spawner& spawner);
    const shaders::DecodedNode& decoded_node(u32 ref, u32 octant);

    RayConfig config_;
    RayStage stage_;
    fibre::Cluster* cluster_ = nullptr;
    shaders::TraceCounters counters_;
    std::array<LaneChoice, 2> choices_;  // by class
    LaneChoice* timed_ = nullptr;        // whose batch is being timed
    u32 timed_rays_ = 0;
    double timed_begin_ns_ = 0;
    u32 open_lists_ = 0;  // of the batch that runs
    // Scratch, sized once.
    std::size_t row_;  // entries of one of eight rows: a batch and what a visit may write over
    std::vector<u32> ids_;
    std::vector<u32> child_ids_;
    std::vector<float> child_entries_;
    shaders::DecodedNode spare_node_{};  // where there is no cache
};

}  // namespace weft::trace
