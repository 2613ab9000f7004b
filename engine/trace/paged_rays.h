// paged_rays.h — rays through a tree whose subtrees lie in pages (engine/pages), most of them far.
//
// Keyed, a ray that comes to a far page goes on with that page's key (F6, F8): it waits in the
// collection memory of its cluster with its entry distance. Choosing a collection starts to read
// its page (F12); the packet leaves when the page is there, and its rays traverse their subtrees of
// the page together (page_keys.h). A ray waits for one page at a time, the nearest; the others are
// in its chain (page_waits.h). Matt Pharr, Craig Kolb, Reid Gershbein and Pat Hanrahan, "Rendering
// Complex Scenes with Memory-Coherent Ray Tracing", SIGGRAPH 1997.
//
//     batch at the root ──> chain of far page roots ──nearest far──> collection of its page ──┐
//                               ^        │ nearest near: visited at once                     │ read
//                               `────────┴──────────── subtrees of the page <────────────────┘
//
// Unkeyed, the control: the same pages and number of rays, but rays wait in order of arrival, and
// the pages of the next rays in line are read ahead: up to 16, where a keyed cluster reads four at
// once. Each is the number that suits it best (page_keys.h).
//
// Shadow rays that are blocked, and rays whose hit lies before their entry, leave the chain. One
// PagedRays per cluster and kind of ray; called on the cluster's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "engine/trace/page_keys.h"
#include "engine/trace/page_waits.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

struct PagedConfig {
    bool is_any = false;    // shadow rays
    bool is_keyed = true;   // false: in order of arrival
    u32 slot_count = 4096;  // rays
    u32 batch = 4096;       // rays of a packet, at most
    u32 reads_ahead = 16;   // unkeyed (page_keys.h)
};

// The tree and the rays; pointers outlive it.
struct PagedStage {
    shaders::TraceScene scene{};
    const shaders::TraceKernels* kernels = nullptr;
    shaders::TraceRay* rays = nullptr;  // by element
    pages::PageStore* store = nullptr;
};

class PagedRays {
public:
    // Traverses from a reference in the world with rays, by the strategy of their class. Kernels
    // must record in waits().
    using Traverse = std::function<void(u32 ref, std::span<const u32> ids)>;

    PagedRays(const PagedConfig& config, const PagedStage& stage, shaders::TraceCounters& counters);
    ~PagedRays();
    PagedRays(const PagedRays&) = delete;
    PagedRays& operator=(const PagedRays&) = delete;

    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] shaders::PageWaits* waits() { return &waits_; }

    // Traverses from the root with rays that start, and sends on those that wait.
    void start(std::span<const u32> ids, const Traverse& traverse, fibre::Spawner& spawner);

    // Goes on with rays whose page has come.
    void go_on(const fibre::Packet& packet, const Traverse& traverse, fibre::Spawner& spawner);

    // Whether a key is one of go_on()'s.
    [[nodiscard]] static bool is_page_key(fibre::Key key);

    // For the cluster (fibre/routine.h): where the data of a key is.
    [[nodiscard]] fibre::Fetch fetch(fibre::Key key);

    void await_fetch() { keys_.await_fetch(); }

    [[nodiscard]] bool next_arrival(fibre::Key& key) { return keys_.next_arrival(key); }

    void leaves(fibre::Key key, std::span<const u32> clusters) { keys_.leaves(key, clusters); }

    // Of the store; other routines of the cluster may share it.
    [[nodiscard]] u32 reader() const { return reader_; }

    [[nodiscard]] const PagedCounters& counters() const { return counted_; }

private:
    // A ray that is due to visit a page root which is near.
    struct Due {
        u32 placement;
        u32 root;
        u32 slot;
    };

    // What a ray visits next.
    struct NextVisit {
        u32 page = kNone;  // kNone: nothing
        PageVisit visit{};
    };

    [[nodiscard]] std::size_t trace_some(std::span<const u32> ids, const Traverse& traverse);
    void settle(std::span<const u32> ids, const Traverse& traverse, fibre::Spawner& spawner);
    void find_due(std::span<const u32> ids);
    void visit_due(const Traverse& traverse);
    void send_on(fibre::Spawner& spawner);
    void go_on_in_order(std::span<const u32> ids, const Traverse& traverse);
    [[nodiscard]] NextVisit next_of(u32 slot);

    PagedConfig config_;
    PagedStage stage_;
    shaders::TraceCounters& trace_counters_;
    PagedCounters counted_;
    u32 reader_;
    PageKeys keys_;
    PageWaitChains chains_;
    base::PageArray<shaders::PageWait> recorded_;  // by the latest kernel call
    shaders::PageWaits waits_;
    // Scratch, sized once.
    std::vector<Due> due_;
    std::vector<PageWaiter> waiting_;
    std::vector<u32> due_ids_;
};

}  // namespace weft::trace
