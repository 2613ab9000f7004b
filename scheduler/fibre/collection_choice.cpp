// collection_choice.cpp — the half of CollectionMemory that chooses the collection that leaves next
// (F10, F11).
//
// Each routine orders its collections by its own policy. Policies of different routines cannot be
// compared, so Policy::Balanced chooses between routines.
#include <algorithm>

#include "scheduler/base/ensure.h"
#include "scheduler/fibre/collection_memory.h"

namespace weft::fibre {

CollectionView CollectionMemory::view(const Collection& collection, u64 now) const {
    const auto count = static_cast<float>(std::max(1u, collection.fibre_count));
    return {.fibre_count = collection.fibre_count,
            .mean_priority = collection.priority_sum / count,
            .max_priority = collection.max_priority,
            .pressure = collection.pressure_sum / count,
            .age_packets = now - collection.birth,
            .push_order = collection.push_order,
            .packet_fill = rules_[collection.name.routine].packet_fill};
}

void CollectionMemory::rank(Collection& collection) {
    const Policy policy = rules_[collection.name.routine].policy;
    collection.rank = standing(policy, view(collection, collection.birth)) -
                      age_gain(policy) * static_cast<double>(collection.birth);
}

// A collection may grow many times before the next choice, so its rank is computed only then.
void CollectionMemory::grow_stale(u32 index) {
    if (collections_[index].is_stale) {
        return;
    }
    if (stale_count_ == stale_.size()) {
        rank_stale();
    }
    collections_[index].is_stale = true;
    stale_[stale_count_++] = index;
}

void CollectionMemory::rank_stale() {
    for (const u32 index : stale_.span().first(stale_count_)) {
        Collection& collection = collections_[index];
        if (!collection.is_stale) {
            continue;  // listed twice: it was closed and reopened in between
        }
        collection.is_stale = false;
        rank(collection);
        restore_order(index);
    }
    stale_count_ = 0;
}

// Its rank changed.
void CollectionMemory::restore_order(u32 index) {
    const Collection& collection = collections_[index];
    if (collection.distance != Distance::None) {
        far_.restore(collections_, index);
    } else if (collection.place == Place::Gathering) {
        gathering_[collection.name.routine].restore(collections_, index);
    }
}

u32 CollectionMemory::leaving_next(u32 routine) const {
    const ReadyStack& stack = leaving_[routine];
    return rules_[routine].policy == Policy::DepthFirst ? stack.last() : stack.first();
}

u32 CollectionMemory::best_ready(u64 now) {
    rank_stale();
    u32 best = kNone;
    double best_score = 0;
    const auto propose = [&](u32 index) {
        const double its_score = score(Policy::Balanced, view(collections_[index], now));
        if (best == kNone || its_score > best_score) {
            best = index;
            best_score = its_score;
        }
    };
    for (u32 routine = 0; routine < kMaxRoutines; ++routine) {
        const u32 top = gathering_[routine].top();
        if (top != kNone && collections_[top].is_ready) {
            propose(top);
        }
        if (leaving_[routine].first() != kNone) {
            propose(leaving_next(routine));
        }
    }
    return best;
}

u32 CollectionMemory::best_partial(u64 now) {
    rank_stale();
    u32 best = kNone;
    double best_score = 0;
    for (const CollectionHeap& heap : gathering_) {
        const u32 top = heap.top();
        if (top == kNone || collections_[top].is_ready) {
            continue;
        }
        const double its_score = score(Policy::Balanced, view(collections_[top], now));
        if (best == kNone || its_score > best_score) {
            best = top;
            best_score = its_score;
        }
    }
    return best;
}

u32 CollectionMemory::oldest_of(u32 cluster) const {
    const u64 bit = u64{1} << cluster % 64;
    u32 index = ages_.oldest();
    while (index != kNone && !(collections_[index].clusters & bit)) {
        index = collections_[index].younger;
    }
    return index;
}

u32 CollectionMemory::far_of(u32 cluster) const {
    const u64 bit = u64{1} << cluster % 64;
    for (u32 routine = 0; routine < kMaxRoutines; ++routine) {
        for (u32 index = far_.oldest(routine); index != kNone;
             index = collections_[index].younger) {
            if ((collections_[index].clusters & bit) != 0) {
                return index;
            }
        }
    }
    for (const u32 first : {far_.first_asked(), far_.first_arrived()}) {
        for (u32 index = first; index != kNone; index = collections_[index].leaves_after) {
            if ((collections_[index].clusters & bit) != 0) {
                return index;
            }
        }
    }
    return kNone;
}

u32 CollectionMemory::best_far(u32 routine, u64 now) {
    rank_stale();
    return far_.best(collections_, routine, now);
}

// A chosen collection that its key still finds, or kNone. Linear search.
u32 CollectionMemory::chosen_in_definition() const {
    for (const u32 first : {far_.first_asked(), far_.first_arrived()}) {
        for (u32 index = first; index != kNone; index = collections_[index].leaves_after) {
            if (collections_[index].place == Place::Gathering) {
                return index;
            }
        }
    }
    return kNone;
}

void CollectionMemory::evict_one(u64 now) {
    rank_stale();
    u32 best = kNone;
    double best_score = 0;
    const auto propose = [&](u32 top) {
        if (top == kNone) {
            return;
        }
        const double top_score = score(Policy::Balanced, view(collections_[top], now));
        if (best == kNone || top_score > best_score) {
            best = top;
            best_score = top_score;
        }
    };
    for (u32 routine = 0; routine < kMaxRoutines; ++routine) {
        propose(gathering_[routine].top());
        propose(far_.top(routine));
    }
    // Chosen collections lose their place last: they stay chosen.
    best = best == kNone ? chosen_in_definition() : best;
    ENSURE(best, !=, kNone);
    ++evicted_count_;
    leave_definition(best);
}

}  // namespace weft::fibre
