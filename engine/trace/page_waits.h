// page_waits.h — the page roots that each ray of a cluster still has to visit, nearest first.
//
// A kernel records every far page that a ray comes to on its way
// (shaders/traverse/trace_kernels.h). Visited in order of entry distance, a hit in one page often
// culls the others, as in traversal of a tree in memory. So a ray waits for its nearest page alone,
// and the others stay in a chain of its own. Visits may be listed by root, too, for whoever visits
// a root with all rays that have it in their chains. All memory is sized once. One cluster's
// thread.
#pragma once

#include <vector>

#include "scheduler/base/huge_pages.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::trace {

// A page root that a ray has to visit.
struct PageVisit {
    u32 root = 0;       // index of the page root
    u32 placement = 0;  // index; kNone: the world
    float entry = 0;    // t at which the ray enters its box
};

// The same with its ray.
struct RayVisit {
    PageVisit visit;
    u32 slot = 0;
};

class PageWaitChains {
public:
    // Room for `most_visits` visits of `slot_count` rays in all. Visits of roots below
    // `listed_roots` are listed by root: all, or none.
    PageWaitChains(u32 slot_count, u32 most_visits, u32 listed_roots = 0);

    [[nodiscard]] bool is_allocated() const {
        return links_.is_allocated() && first_.is_allocated() && used_again_.is_allocated() &&
               (!is_listed_ || (first_at_root_.is_allocated() && listings_.is_allocated()));
    }

    // Adds what a kernel recorded, but visits that begin behind the hit that their ray has by now.
    // There must be room for all of it.
    void add(const shaders::PageWaits& waits, const shaders::TraceRay* rays);

    // Fetch what nearest() of a ray will read into the cache: the second after the first, some
    // rays apart.
    void prefetch_first(u32 slot) const { __builtin_prefetch(&first_[slot]); }

    void prefetch_nearest(u32 slot) const {
        if (first_[slot] != 0) {
            __builtin_prefetch(&links_[first_[slot] - 1]);
        }
    }

    // The ray's nearest visit that begins at `t` at the latest, after dropping all visits if none
    // does; null: the ray has none. Valid until the next call.
    [[nodiscard]] const PageVisit* nearest(u32 slot, float t);

    // Removes nearest().
    void drop_nearest(u32 slot);

    // Takes up to `most` visits of a listed root out of the chains of their rays, whatever their
    // place there, and appends them to `taken`. Their room comes back when the ray comes to them.
    void take_of_root(u32 root, std::size_t most, std::vector<RayVisit>& taken);

    // Whether any ray has a visit of a listed root.
    [[nodiscard]] bool has_root(u32 root) const { return first_at_root_[root] != 0; }

    // Removes all visits of a ray.
    void clear(u32 slot);

    // A ray with visits other than this one; kNone: there is none. Linear in the rays.
    [[nodiscard]] u32 other_with_visits(u32 slot) const;

    [[nodiscard]] u32 free_count() const { return free_count_; }

    [[nodiscard]] u32 capacity() const { return capacity_; }

    // Most visits at once so far.
    [[nodiscard]] u32 high_water() const { return fresh_; }

private:
    // Indices of links below are plus 1; 0: none.
    struct Link {
        PageVisit visit;  // of root kNone: taken out
        u32 next;         // of the ray
    };

    // The place of a link among the visits of its root.
    struct Listing {
        u32 slot;
        u32 after;
        u32 before;
    };

    u32 take();
    void list(u32 link, u32 slot);
    void unlist(u32 link);

    u32 capacity_;
    bool is_listed_;
    base::PageArray<Link> links_;
    base::PageArray<u32> first_;  // by slot
    base::PageArray<u32> first_at_root_;
    base::PageArray<Listing> listings_;  // by link
    base::PageArray<u32> used_again_;    // free links that were used before, a stack
    u32 again_count_ = 0;                // of them
    u32 fresh_ = 0;                      // links from here on were never used
    u32 free_count_;
};

}  // namespace weft::trace
