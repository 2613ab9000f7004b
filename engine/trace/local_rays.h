// local_rays.h — rays through a tree that is far away: kernels reach one treelet at a time, in the
// local memory of their cluster (local_tree.h).
//
// Keyed, a ray's key is the treelet that it needs next (F6, F8). Rays of all units that need it
// gather in the device's packet unit; choosing their packet copies the treelet into the local
// memory of each cluster with a slice of the packet (F12, F13, F16), and they traverse it together.
// A ray waits for its nearest treelet; others that it has to visit are in its chain (page_waits.h).
// A treelet that was copied for some rays is visited by all rays of the cluster that have it in
// their chains.
//
//     batch at the root ──> chain of treelets ──nearest──> collection of its treelet ──┐
//                                ^                                                     │ copy
//                                `─────── rays of the packet traverse the treelet <────┘
//
// Unkeyed, the control: the same treelets, local memory and kernels, but groups of rays traverse in
// order of arrival, and each goes on to its end.
//
// Shadow rays that are blocked, and rays whose hit lies before their entry, leave the chain. Where
// chains have no room, a ray goes on to the end of the treelet's subtree alone, on a stack. One
// LocalRays per cluster and kind of ray; called on the cluster's thread.
#pragma once

#include <span>
#include <vector>

#include "engine/trace/local_tree.h"
#include "engine/trace/page_waits.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

struct LocalConfig {
    bool is_any = false;    // shadow rays
    bool is_keyed = true;   // false: in order of arrival
    u32 slot_count = 4096;  // rays
    u32 batch = 4096;       // rays of a packet, at most
    u32 group = 32;         // unkeyed: rays that traverse together
    u32 most_visits = 0;    // that chains hold; 0: as many as rays usually need, and more
};

// The tree and the rays; pointers outlive it. `scene.bvh` is not read.
struct LocalStage {
    shaders::TraceScene scene{};
    const shaders::TraceKernels* kernels = nullptr;
    shaders::TraceRay* rays = nullptr;  // by element
    TreeletView treelets{};
};

struct LocalCounters {
    u64 ray_visits = 0;    // rays × treelets
    u64 kernel_calls = 0;  // for them
    u64 singly = 0;        // visits of rays alone, for want of room
    unit::BusCounters bus;

    void add(const LocalCounters& other);
};

class LocalRays {
public:
    LocalRays(const LocalConfig& config,
              const LocalStage& stage,
              shaders::TraceCounters& trace_counters);

    [[nodiscard]] bool is_allocated() const;

    // The cluster's cache, before the first ray.
    void join(fibre::SoftwareCache& cache) { tree_.join(cache); }

    // Traverses with rays that start at the root.
    void start(std::span<const u32> ids, fibre::Spawner& spawner);

    // Goes on with rays at their treelet.
    void go_on(const fibre::Packet& packet, fibre::Spawner& spawner);

    // Whether a key is one of go_on()'s.
    [[nodiscard]] static bool is_treelet_key(fibre::Key key);

    // A packet of the key was chosen: copies its treelet in.
    void prefetch(fibre::Key key);

    // The reference in the tree that was cut to the root of a packet's treelet.
    [[nodiscard]] u32 source_of(fibre::Key key);

    [[nodiscard]] LocalCounters counters() const;

private:
    // A ray that is due to visit a treelet.
    struct Due {
        u32 treelet;
        u32 placement;
        u32 slot;
    };

    // A visit that is to come, of a ray that goes on alone.
    struct Pending {
        u32 treelet;
        u32 placement;
        float entry;
    };

    // A ray that waits.
    struct Waiting {
        u32 treelet;
        u32 slot;
        float entry;
    };

    void finish(std::span<const u32> ids);
    void visit_with_treelet(u32 treelet);
    [[nodiscard]] bool find_due(std::span<const u32> ids);
    void visit_due();
    void visit(u32 treelet, u32 placement, std::span<const u32> ids);
    void visit_alone(u32 treelet, u32 placement, u32 slot);
    void traverse(const TreeletParts& parts, u32 placement, std::span<const u32> ids);
    void send_on(std::span<const u32> ids, fibre::Spawner& spawner);

    LocalConfig config_;
    LocalStage stage_;
    shaders::TraceCounters& trace_counters_;
    LocalTree tree_;
    LocalCounters counted_;
    PageWaitChains chains_;
    base::PageArray<shaders::PageWait> recorded_;  // by the latest kernel call
    shaders::PageWaits waits_;
    // Scratch, sized once.
    std::vector<Due> due_;
    std::vector<RayVisit> taken_;
    std::vector<Waiting> waiting_;
    std::vector<Pending> stack_;
    std::vector<u32> due_ids_;
    std::vector<u32> ids_;
    std::vector<float> entries_;
};

}  // namespace weft::trace
