// far_order.h — the orders of far collections: those whose data must be fetched before they leave
// (F12).
//
// A far collection waits until it is chosen; then its data are asked for until they are near:
//
//     Far --chosen--> Refused <----> Coming --come--> Fetched --leaves--> closed
//                        `--near without a fetch of its own--> Near --leaves--> closed
//
// Near and Fetched ones go back to Coming or Refused if their data were dropped again. All go on
// gathering meanwhile. They are in none of the orders of other collections, so that neither age
// nor rank lets them leave. Belongs to one CollectionMemory.
#pragma once

#include <array>

#include "scheduler/fibre/collection_order.h"
#include "scheduler/fibre/fibre_counters.h"

namespace weft::fibre {

class FarOrder {
public:
    explicit FarOrder(u32 collection_count);

    [[nodiscard]] bool is_allocated() const;

    // A new collection, which gathers.
    void open(Collections& collections, u32 collection);
    // Its rank changed.
    void restore(Collections& collections, u32 collection);
    // Its key is found no more; unless chosen, it waits in a ready stack for that.
    void evict(Collections& collections, u32 collection);
    // Its last fibre was taken.
    void close(Collections& collections, u32 collection);
    // From now on its data are asked for.
    void choose(Collections& collections, u32 collection);
    // What was said of a chosen one's data.
    void answer(Collections& collections, u32 collection, Fetch answer);

    // The best one in the definition memory of those not chosen; kNone: none.
    [[nodiscard]] u32 top(u32 routine) const { return gathering_[routine].top(); }

    // Of those not chosen, the one to choose next: one that is overdue, else by rank.
    [[nodiscard]] u32 best(const Collections& collections, u32 routine, u64 now) const;

    // Of those not chosen, the oldest.
    [[nodiscard]] u32 oldest(u32 routine) const { return waiting_[routine].oldest(); }

    // Chosen ones, linked by leaves_after: whose data are not near, in the order of choice; whose
    // data are near, in the order of arrival.
    [[nodiscard]] u32 first_asked() const { return asked_.first(); }

    [[nodiscard]] u32 first_arrived() const { return arrived_.first(); }

    [[nodiscard]] u32 chosen_count(u32 routine) const { return chosen_counts_[routine]; }

private:
    std::array<CollectionHeap, kMaxRoutines> gathering_;  // Far, found by key
    std::array<ReadyStack, kMaxRoutines> evicted_;        // Far, not found by key
    std::array<AgeList, kMaxRoutines> waiting_;           // Far, all
    ReadyStack asked_;                                    // Refused and Coming
    ReadyStack arrived_;                                  // Near and Fetched
    std::array<u32, kMaxRoutines> chosen_counts_{};
};

}  // namespace weft::fibre
