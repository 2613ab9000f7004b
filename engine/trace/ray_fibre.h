// ray_fibre.h — closest-hit and any-hit rays as fibres: the routines of a cluster that traverse the
// tree.
//
// A batch of rays starts at the root and traverses by one of four strategies (TraversalStrategy).
// Packets, groups and sets run in one kernel call; a stream goes through the scheduler as lists
// keyed by node, depth first, and one kernel call finishes the subtree of a short list. The fastest
// strategy depends on the scene and on the class of rays; a TraversalTuner finds it while
// rendering. In Embree mode Embree traces the batch. The strategy never changes a hit
// (shaders/traverse/trace_kernels.h). While heat is counted, keyed rays go as a stream; a list
// finishes its subtree in one call where the subtree holds a single object, or few rays are left.
//
// Rays through a tree with pages traverse by one strategy, and wait where a page is far
// (paged_rays.h). Rays on a device traverse treelets in the local memory of their cluster
// (local_rays.h).
//
// One RayFibre per cluster and kind of ray; called on the cluster's thread.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/accel/embree_reference.h"
#include "engine/trace/heat.h"
#include "engine/trace/local_rays.h"
#include "engine/trace/paged_rays.h"
#include "engine/trace/traversal_memory.h"
#include "engine/trace/traversal_strategies.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

enum class RayKind {
    Closest,
    Shadow,  // any hit
};

// How rays traverse.
struct RayConfig {
    SchedulerMode mode = SchedulerMode::Keyed;
    RayKind kind = RayKind::Closest;
    u32 slot_count = 4096;  // rays
    u32 batch = 4096;       // rays that start together, and so the longest list
    u32 group_limit = 128;  // a list up to this long finishes its subtree in one kernel call
    // True: a TraversalTuner chooses the strategy. False: keyed rays go as Stream, unkeyed as
    // Groups.
    bool is_adaptive = true;
    KeyedTraversal traversal = KeyedTraversal::Auto;
    u32 most_visits = 0;   // on a device: as in LocalConfig
    u32 reads_ahead = 16;  // unkeyed, of a tree with pages (page_keys.h)
};

// The tree and the rays. Pointers must outlive the fibre.
struct RayStage {
    shaders::TraceScene scene{};  // the view that it points at too
    const shaders::TraceKernels* kernels = nullptr;
    const accel::EmbreeReference* embree = nullptr;  // Embree mode only
    shaders::TraceRay* rays = nullptr;               // by element
    HeatTable* heat = nullptr;                       // null: heat is not counted
    pages::PageStore* store = nullptr;               // of a tree with pages; else null
    TreeletView treelets{};                          // of a tree in a device's memory
    PageDesk* desk = nullptr;                        // where both are: of the device
    u32 cluster = 0;                                 // among the device's
};

class RayFibre {
public:
    RayFibre(const RayConfig& config, const RayStage& stage);

    // Declares the routine. Its `context` is this object, which must not move afterwards.
    fibre::RoutineId declare(fibre::Cluster& cluster, fibre::Policy policy);

    // Replaces the tree and the rays. Requires that no ray is in flight and that the cluster's
    // cache is empty. Spawn rays with a new root_key() afterwards.
    void aim(const RayStage& stage);

    // Rays are those of this camera from now on: goes on with the strategies of its cell of views.
    // While no ray is in flight, unless the camera is that of before.
    void look(const shaders::CameraRecord& camera) { memory_.look(ViewCell::of(camera), tuners_); }

    // False if memory ran out.
    [[nodiscard]] bool is_allocated() const {
        return (!paged_ || paged_->is_allocated()) && (!local_ || local_->is_allocated());
    }

    // The key of the root for rays of a class. Rays spawned without a key count as Scattered.
    [[nodiscard]] fibre::Key root_key(RayClass ray_class) const;

    // The present strategy of a class.
    [[nodiscard]] TraversalStrategy strategy_of(RayClass ray_class) const;

    [[nodiscard]] const shaders::TraceCounters& counters() const { return counters_; }

    [[nodiscard]] PagedCounters paged_counters() const;

    // Of a tree with pages: the reader of its store that these rays use, in turn with other
    // routines of the cluster.
    [[nodiscard]] u32 page_reader() const { return local_ ? local_->reader() : paged_->reader(); }

    [[nodiscard]] LocalCounters local_counters() const;

private:
    static void routine(void* context, const fibre::Packet& packet, fibre::Spawner& spawner);
    static void prefetch(void* context, fibre::Key key);

    PagedRays& far_pages() { return *paged_; }

    LocalRays& far_parts() { return *local_; }

    void run(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_counted(const fibre::Packet& packet, fibre::Spawner& spawner);
    [[nodiscard]] u32 most_to_run_whole(u32 ref) const;
    void run_paged(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_local(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_batch(const fibre::Packet& packet, fibre::Spawner& spawner);
    void run_trial(const fibre::Packet& packet,
                   RayClass ray_class,
                   BatchPlan plan,
                   fibre::Spawner& spawner);
    void traverse(fibre::Key root,
                  std::span<const u32> ids,
                  TraversalStrategy strategy,
                  fibre::Spawner& spawner);
    void run_list(const fibre::Packet& packet, fibre::Spawner& spawner);
    void split_by_octant(std::span<const u32> ids, std::array<u32, 8>& count);
    void run_sets(u32 ref, std::span<const u32> ids);
    void run_stream(fibre::Key root, std::span<const u32> ids, fibre::Spawner& spawner);
    void run_embree(std::span<const u32> ids);
    void run_whole(u32 ref, std::span<const u32> ids, TraversalStrategy strategy);
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
    std::array<TraversalTuner, 2> tuners_;  // by class
    TraversalMemory<2> memory_;             // of other views

    // The batch that is being timed. A null tuner: none.
    struct TimedBatch {
        TraversalTuner* tuner = nullptr;
        BatchPlan plan{};
        double first_ns = 0;  // of a trial: per ray of the first half
        u32 rays = 0;         // of a trial: of the second half
        double begin_ns = 0;  // of a trial: CPU time when the second half began; else the clock's
    };

    void end_timed_batch();

    TimedBatch timed_;
    std::unique_ptr<PagedRays> paged_;  // null: the tree has no pages
    std::unique_ptr<LocalRays> local_;  // null: the tree is near
    u32 open_lists_ = 0;                // lists of the current batch that the scheduler holds
    // Scratch, sized once.
    std::size_t
        row_;  // length of each of eight rows: a batch, and the slack that a visit overwrites
    std::vector<u32> ids_;
    std::vector<u32> child_ids_;
    std::vector<float> child_entries_;
    shaders::DecodedNode spare_node_{};  // used where the cache is full or absent
};

}  // namespace weft::trace
