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
// Of a tree with pages (engine/pages) the device has what is always in memory. A ray whose nearest
// visit is a page root waits with the page's key; choosing its collection reads the page for all
// clusters (page_desk.h). When it is near, each cluster with a slice of the packet copies the
// subtrees of the page that its rays have in their chains, one after the other, and visits them.
//
// Unkeyed, the control: the same treelets, pages, local memory and kernels, but groups of rays
// traverse in order of arrival, and each goes on to its end; at a page it waits, while the pages of
// the next rays are read.
//
// Shadow rays that are blocked, and rays whose hit lies before their entry, leave the chain. Where
// chains have no room, a ray goes on to the end of the treelet's subtree alone, on a stack; or, of
// a tree with pages, starts again later. One LocalRays per cluster and kind of ray; called on the
// cluster's thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/trace/local_tree.h"
#include "engine/trace/page_keys.h"
#include "engine/trace/page_waits.h"
#include "scheduler/fibre/cluster.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

struct LocalConfig {
    bool is_any = false;       // shadow rays
    bool is_keyed = true;      // false: in order of arrival
    u32 slot_count = 4096;     // rays
    u32 batch = 4096;          // rays of a packet, at most
    u32 group = 32;            // unkeyed: rays that traverse together
    u32 reads_ahead = 16;      // unkeyed, of a tree with pages (page_keys.h)
    u32 most_visits = 0;       // that chains hold; 0: as many as rays usually need, and more
    PageDesk* desk = nullptr;  // of a tree with pages: of the device
    u32 cluster = 0;           // among the device's
};

// The tree and the rays; pointers outlive it. `scene.bvh` is not read.
struct LocalStage {
    shaders::TraceScene scene{};
    const shaders::TraceKernels* kernels = nullptr;
    shaders::TraceRay* rays = nullptr;  // by element
    TreeletView treelets{};
    pages::PageStore* store = nullptr;  // of a tree with pages: `treelets.pages` are its
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
    ~LocalRays();
    LocalRays(const LocalRays&) = delete;
    LocalRays& operator=(const LocalRays&) = delete;

    [[nodiscard]] bool is_allocated() const;

    // The cluster's cache, before the first ray.
    void join(fibre::SoftwareCache& cache) { tree_.join(cache); }

    // Traverses with rays that start at the root.
    void start(std::span<const u32> ids, fibre::Spawner& spawner);

    // Goes on with rays at their treelet.
    void go_on(const fibre::Packet& packet, fibre::Spawner& spawner);

    // Whether a key is one of go_on()'s, and of a treelet of the device.
    [[nodiscard]] static bool is_local_key(fibre::Key key);
    [[nodiscard]] static bool is_treelet_key(fibre::Key key);

    // A packet of the key was chosen: copies its treelet in.
    void prefetch(fibre::Key key);

    // The reference in the tree that was cut to the root of a packet's treelet.
    [[nodiscard]] u32 source_of(fibre::Key key);

    // Of a tree with pages, for the cluster (fibre/routine.h).
    [[nodiscard]] fibre::Fetch fetch(fibre::Key key) const;

    [[nodiscard]] bool next_arrival(fibre::Key& key) { return keys_->next_arrival(key); }

    void await_fetch() { keys_->await_fetch(); }

    void leaves(fibre::Key key, std::span<const u32> clusters) { keys_->leaves(key, clusters); }

    [[nodiscard]] bool has_pages() const { return keys_ != nullptr; }

    [[nodiscard]] u32 reader() const { return reader_; }

    [[nodiscard]] LocalCounters counters() const;

    [[nodiscard]] const PagedCounters& paged_counters() const { return paged_; }

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
        fibre::Key key;
        u32 slot;
        float entry;
    };

    [[nodiscard]] bool is_page_root(u32 treelet) const { return treelet >= stage_.treelets.count; }

    [[nodiscard]] u32 page_of(u32 treelet) const;
    [[nodiscard]] fibre::Key key_of(u32 treelet) const;
    void start_in_order(std::span<const u32> ids);
    void finish(std::span<const u32> ids);
    void visit_in_order();
    void visit_with_treelet(u32 treelet);
    void visit_with_page(u32 page);
    [[nodiscard]] u32 loser_for(u32 slot);
    void start_again(u32 slot);

    [[nodiscard]] PageUser user() const {
        return config_.is_any ? PageUser::Shadow : PageUser::Closest;
    }

    [[nodiscard]] bool has_room() const { return chains_.free_count() >= chains_.capacity() / 2; }

    void forget(std::span<const u32> ids);

    [[nodiscard]] bool has_failed() const { return stage_.store && stage_.store->has_failed(); }

    [[nodiscard]] bool find_due(std::span<const u32> ids);
    void visit_due();
    void visit(u32 treelet, u32 placement, std::span<const u32> ids);
    void visit_alone(u32 treelet, u32 placement, u32 slot);
    void traverse(const TreeletParts& parts, u32 placement, std::span<const u32> ids);
    void send_on(std::span<const u32> ids, fibre::Spawner& spawner);
    void wait_for(fibre::Key key, std::span<const Waiting> waiting, fibre::Spawner& spawner);

    LocalConfig config_;
    LocalStage stage_;
    shaders::TraceCounters& trace_counters_;
    LocalTree tree_;
    LocalCounters counted_;
    PagedCounters paged_;
    u32 reader_ = kNone;
    std::unique_ptr<PageKeys> keys_;  // null: the tree has no pages
    PageWaitChains chains_;
    base::PageArray<shaders::PageWait> recorded_;  // by the latest kernel call
    shaders::PageWaits waits_;
    std::vector<u8> starts_again_;  // by slot
    u32 favoured_ = kNone;          // a ray that started again and from then on gives way to none
    // Scratch, sized once.
    std::vector<Due> due_;
    std::vector<u32> far_;  // rays in order of arrival that come to a page
    std::vector<RayVisit> taken_;
    std::vector<Waiting> waiting_;
    std::vector<Pending> stack_;
    std::vector<u32> due_ids_;
    std::vector<u32> ids_;
    std::vector<float> entries_;
};

}  // namespace weft::trace
