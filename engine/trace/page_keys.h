// page_keys.h — elements that wait for pages: under the key of their page, or in order of arrival.
//
// Keyed, all elements of a routine that wait for one page are in one collection of the cluster.
// Choosing it starts to read the page (F12), and the packet leaves when the page is there. Unkeyed,
// the control, they wait under one key in order of arrival; the pages of the next elements in line
// are read ahead, as many as reads ahead are allowed, and each element has its turn.
//
// Rays (paged_rays.h) and hits (surface_fibre.h) wait so. One per routine; called on the cluster's
// thread. Routines of one cluster run in turn, and may share a reader of the store.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/pages/page_store.h"
#include "engine/trace/page_desk.h"
#include "scheduler/fibre/cluster.h"

namespace weft::trace {

// Tags of keys; smaller ones are free for other uses of a routine.
inline constexpr u32 kPageTag = 32;     // elements that wait for the page `value`
inline constexpr u32 kInOrderTag = 33;  // elements that wait for any pages, in order of arrival
inline constexpr u32 kAgainTag = 34;    // rays that start again at the root, chains being full

// Pages that a cluster reads at once. With 8 it read 1581 MiB, with 4 1210 MiB of a million
// triangles of which a quarter was in memory (640x360, 4 samples per pixel, one run each).
inline constexpr u32 kReadsAtOnce = 4;

// Elements between a prefetch and the use of what it fetches.
inline constexpr u32 kPrefetchAhead = 8;

// An element that waits.
struct PageWaiter {
    u32 page;
    u32 element;
    float entry;  // of a ray; orders nothing here
};

struct PagedCounters {
    u64 rays_waited = 0;   // times that a ray waited for a page
    u64 page_visits = 0;   // rays × page roots, far ones
    u64 kernel_calls = 0;  // for them
    u64 restarts = 0;      // rays that started again for want of room
    u64 hits_waited = 0;   // times that a hit waited for the page of its surface (surface_fibre.h)

    void add(const PagedCounters& other);
};

struct PageKeysConfig {
    bool is_keyed = true;  // false: in order of arrival
    u32 batch = 4096;      // elements of a packet, at most
    u32 reader = 0;        // of the store
    // Unkeyed: pages of elements next in line that are read ahead. With 1 to 16 the control reads
    // as many bytes to within 6 %, of pages of up to 256 KiB, and with 16 it is quickest
    // (tests/bench/notebook/paging.md).
    u32 reads_ahead = 16;
    // On a device: keyed elements ask the desk for pages, not the reader. Null on the processor.
    PageDesk* desk = nullptr;
    PageUser user = PageUser::Closest;
    u32 cluster = 0;
};

// The callbacks of a routine whose far keys are those of `keys`, a PageKeys or what wraps one.
template <typename T, auto kKeys>
void declare_far(fibre::RoutineDesc& desc) {
    desc.fetches_ahead = kReadsAtOnce;
    desc.far_tag = kPageTag;
    desc.fetch = [](void* context, fibre::Key key) {
        return (static_cast<T*>(context)->*kKeys)().fetch(key);
    };
    desc.next_arrival = [](void* context, fibre::Key& key) {
        return (static_cast<T*>(context)->*kKeys)().next_arrival(key);
    };
    desc.await_fetch = [](void* context) { (static_cast<T*>(context)->*kKeys)().await_fetch(); };
    desc.leaves = [](void* context, fibre::Key key, std::span<const u32> clusters) {
        (static_cast<T*>(context)->*kKeys)().leaves(key, clusters);
    };
}

class PageKeys {
public:
    // The page that an element needs now; kNone: none any more.
    using PageOf = std::function<u32(u32 element)>;
    // Uses the page of an element, which has been entered.
    using Visit = std::function<void(u32 element)>;

    // The store outlives the keys.
    PageKeys(pages::PageStore& store, const PageKeysConfig& config, PageOf page_of);
    PageKeys(const PageKeys&) = delete;
    PageKeys& operator=(const PageKeys&) = delete;

    // For the cluster (fibre/routine.h): where the data of a key is.
    [[nodiscard]] fibre::Fetch fetch(fibre::Key key) const;
    void await_fetch();
    [[nodiscard]] bool next_arrival(fibre::Key& key);

    // Around every use of pages, and whether a page can be used: true if it is near.
    void enter() const { store_.enter(config_.reader); }

    void leave() const { store_.leave(config_.reader); }

    [[nodiscard]] bool use(u32 page) const { return shaders::enter_page(states_[page]); }

    // Whether a page is near now; does not use it.
    [[nodiscard]] bool is_near(u32 page) const {
        return states_[page].load(std::memory_order_relaxed) != shaders::PageState::Far;
    }

    // A packet of a key leaves in slices (fibre/routine.h), on a device.
    void leaves(fibre::Key key, std::span<const u32> clusters) const;

    // The packet of a key has used its page: the walk ends (engine/pages/page_tasks.h).
    void end_walk(fibre::Key key) const;

    // Lets elements wait for their pages; reorders them.
    void send_on(std::span<PageWaiter> waiting, fibre::Spawner& spawner);
    // Lets elements wait under one key.
    void wait_for(fibre::Key key, std::span<const PageWaiter> waiting, fibre::Spawner& spawner);

    // The control: gives each element its turn, while the pages of the next ones are read. Those
    // whose page left before their turn wait on.
    void visit_in_order(std::span<const u32> elements, const Visit& visit) const;

private:
    void read_ahead(std::span<const u32> elements) const;
    void come_to(u32 page) const;

    pages::PageStore& store_;
    std::atomic<shaders::PageState>* states_;
    PageKeysConfig config_;
    PageOf page_of_;
    u64 seen_arrivals_ = 0;   // when await_fetch() returned last
    u64 heard_arrivals_ = 0;  // that next_arrival() has named
    // Scratch, sized once.
    std::vector<u32> ids_;
    std::vector<float> entries_;
};

}  // namespace weft::trace
