#include "engine/trace/page_waits.h"

#include "scheduler/base/ensure.h"

namespace weft::trace {

PageWaitChains::PageWaitChains(u32 slot_count, u32 most_visits, u32 listed_roots)
    : capacity_(most_visits),
      is_listed_(listed_roots > 0),
      links_(most_visits),
      first_(slot_count),
      first_at_root_(listed_roots),
      listings_(is_listed_ ? most_visits : 0),
      used_again_(most_visits),
      free_count_(most_visits) {}

u32 PageWaitChains::take() {
    ENSURE(free_count_, >, 0U);
    --free_count_;
    if (again_count_ == 0) {
        return ++fresh_;
    }
    return used_again_[--again_count_];
}

void PageWaitChains::add(const shaders::PageWaits& waits, const shaders::TraceRay* rays) {
    ENSURE(waits.count, <=, waits.capacity);
    for (u32 k = 0; k < waits.count; ++k) {
        const shaders::PageWait& wait = waits.items[k];
        if (wait.entry > rays[wait.slot].t) {
            continue;
        }
        // Find the first link that is entered later; of equal ones those recorded first stay first.
        u32* place = &first_[wait.slot];
        while (*place != 0 && links_[*place - 1].visit.entry <= wait.entry) {
            place = &links_[*place - 1].next;
        }
        const u32 link = take();
        links_[link - 1] = {{wait.root, wait.placement, wait.entry}, *place};
        *place = link;
        list(link, wait.slot);
    }
}

void PageWaitChains::list(u32 link, u32 slot) {
    if (!is_listed_) {
        return;
    }
    u32& first = first_at_root_[links_[link - 1].visit.root];
    listings_[link - 1] = {slot, first, 0};
    if (first != 0) {
        listings_[first - 1].before = link;
    }
    first = link;
}

// A link that was taken out is in no list.
void PageWaitChains::unlist(u32 link) {
    const u32 root = links_[link - 1].visit.root;
    if (!is_listed_ || root == kNone) {
        return;
    }
    const Listing& listing = listings_[link - 1];
    if (listing.before != 0) {
        listings_[listing.before - 1].after = listing.after;
    } else {
        first_at_root_[root] = listing.after;
    }
    if (listing.after != 0) {
        listings_[listing.after - 1].before = listing.before;
    }
}

void PageWaitChains::take_of_root(u32 root, std::size_t most, std::vector<RayVisit>& taken) {
    u32& first = first_at_root_[root];
    for (; first != 0 && most > 0; --most) {
        PageVisit& visit = links_[first - 1].visit;
        taken.push_back({visit, listings_[first - 1].slot});
        visit.root = kNone;
        first = listings_[first - 1].after;
    }
    if (first != 0) {
        listings_[first - 1].before = 0;
    }
}

const PageVisit* PageWaitChains::nearest(u32 slot, float t) {
    // Drop those that were taken out.
    while (first_[slot] != 0 && links_[first_[slot] - 1].visit.root == kNone) {
        drop_nearest(slot);
    }
    const u32 link = first_[slot];
    if (link == 0) {
        return nullptr;
    }
    // The others are entered later still.
    if (links_[link - 1].visit.entry > t) {
        clear(slot);
        return nullptr;
    }
    return &links_[link - 1].visit;
}

void PageWaitChains::drop_nearest(u32 slot) {
    const u32 link = first_[slot];
    unlist(link);
    first_[slot] = links_[link - 1].next;
    used_again_[again_count_++] = link;
    ++free_count_;
}

u32 PageWaitChains::other_with_visits(u32 slot) const {
    for (u32 other = 0; other < first_.size(); ++other) {
        if (other != slot && first_[other] != 0) {
            return other;
        }
    }
    return kNone;
}

void PageWaitChains::clear(u32 slot) {
    while (first_[slot] != 0) {
        drop_nearest(slot);
    }
}

}  // namespace weft::trace
