#include "engine/trace/page_waits.h"

#include "scheduler/base/ensure.h"

namespace weft::trace {

PageWaitChains::PageWaitChains(u32 slot_count, u32 most_visits)
    : capacity_(most_visits), links_(most_visits), first_(slot_count), free_count_(most_visits) {}

u32 PageWaitChains::take() {
    ENSURE(free_count_, >, 0U);
    --free_count_;
    if (first_free_ == 0) {
        return ++fresh_;
    }
    const u32 link = first_free_;
    first_free_ = links_[link - 1].next;
    return link;
}

void PageWaitChains::add(const shaders::PageWaits& waits) {
    ENSURE(waits.count, <=, waits.capacity);
    for (u32 k = 0; k < waits.count; ++k) {
        const shaders::PageWait& wait = waits.items[k];
        // Find the first link that is entered later; of equal ones those recorded first stay first.
        u32* place = &first_[wait.slot];
        while (*place != 0 && links_[*place - 1].visit.entry <= wait.entry) {
            place = &links_[*place - 1].next;
        }
        const u32 link = take();
        links_[link - 1] = {{wait.root, wait.placement, wait.entry}, *place};
        *place = link;
    }
}

const PageVisit* PageWaitChains::nearest(u32 slot, float t) {
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
    first_[slot] = links_[link - 1].next;
    links_[link - 1].next = first_free_;
    first_free_ = link;
    ++free_count_;
}

void PageWaitChains::clear(u32 slot) {
    while (first_[slot] != 0) {
        drop_nearest(slot);
    }
}

}  // namespace weft::trace
