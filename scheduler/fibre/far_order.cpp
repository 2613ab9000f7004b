#include "scheduler/fibre/far_order.h"

#include <algorithm>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

FarOrder::FarOrder(u32 collection_count) {
    for (CollectionHeap& heap : gathering_) {
        heap = CollectionHeap(collection_count);
    }
}

bool FarOrder::is_allocated() const {
    return std::all_of(gathering_.begin(), gathering_.end(), [](const CollectionHeap& heap) {
        return heap.is_allocated();
    });
}

void FarOrder::open(Collections& collections, u32 index) {
    const u32 routine = collections[index].name.routine;
    collections[index].distance = Distance::Far;
    gathering_[routine].insert(collections, index);
    waiting_[routine].push_youngest(collections, index);
}

void FarOrder::restore(Collections& collections, u32 index) {
    const Collection& collection = collections[index];
    if (collection.distance == Distance::Far && collection.place == Place::Gathering) {
        gathering_[collection.name.routine].restore(collections, index);
    }
}

void FarOrder::evict(Collections& collections, u32 index) {
    const Collection& collection = collections[index];
    if (collection.distance == Distance::Far) {
        gathering_[collection.name.routine].remove(collections, index);
        evicted_[collection.name.routine].push(collections, index);
    }
}

void FarOrder::close(Collections& collections, u32 index) {
    const Collection& collection = collections[index];
    ENSURE(is_chosen(collection), ==, true);
    (is_near(collection) ? arrived_ : asked_).remove(collections, index);
    --chosen_counts_[collection.name.routine];
}

void FarOrder::choose(Collections& collections, u32 index) {
    Collection& collection = collections[index];
    const u32 routine = collection.name.routine;
    DEBUG_ENSURE(collection.distance == Distance::Far, ==, true);
    if (collection.place == Place::Gathering) {
        gathering_[routine].remove(collections, index);
    } else {
        evicted_[routine].remove(collections, index);
    }
    waiting_[routine].remove(collections, index);
    collection.distance = Distance::Refused;
    asked_.push(collections, index);
    ++chosen_counts_[routine];
}

void FarOrder::answer(Collections& collections, u32 index, Fetch answer) {
    Collection& collection = collections[index];
    DEBUG_ENSURE(is_chosen(collection), ==, true);
    const bool was_near = is_near(collection);
    if (answer != Fetch::Near) {
        collection.distance = answer == Fetch::Coming ? Distance::Coming : Distance::Refused;
    } else if (!was_near) {
        const bool has_come = collection.distance == Distance::Coming;
        collection.distance = has_come ? Distance::Fetched : Distance::Near;
    }
    // Move it between the two orders of chosen ones.
    if (was_near != is_near(collection)) {
        (was_near ? arrived_ : asked_).remove(collections, index);
        (was_near ? asked_ : arrived_).push(collections, index);
    }
}

u32 FarOrder::best(const Collections& collections, u32 routine, u64 now) const {
    const u32 oldest = waiting_[routine].oldest();
    if (oldest == kNone || now - collections[oldest].birth > kAgeBound) {
        return oldest;
    }
    const u32 top = gathering_[routine].top();
    const u32 evicted = evicted_[routine].first();
    if (top == kNone || evicted == kNone) {
        return top == kNone ? evicted : top;
    }
    return collections[evicted].rank > collections[top].rank ? evicted : top;
}

}  // namespace weft::fibre
