// fixed_pool.h — a fixed number of places, with reserves for deeper levels and for the highest
// priority.
//
// Two rules keep back-pressure from deadlocking. Depth: taking a place for level l leaves one for
// every deeper level. When no task below level l is live, all places of deeper levels are free
// again, so a task of level l that launches a child gets one: the deepest waiting task always makes
// progress. Urgency: only the highest priority takes from the urgent reserve; once that is empty,
// it takes from the rest, like all priorities.
//
// Any thread: everything. Lock-free: a tagged list of free places (R. K. Treiber, 1986), and a
// count per reserve that is lowered before a place leaves the list.
#pragma once

#include <atomic>
#include <memory>

#include "scheduler/base/ids.h"

namespace weft::task {

struct PoolConfig {
    u32 places = 1;
    u32 urgent_places = 0;  // of those, for the highest priority alone
    u32 levels = 1;         // [1, places - urgent_places]
};

// The purpose of a place.
struct Want {
    u32 level = 0;  // [0, PoolConfig::levels)
    bool is_urgent = false;
};

class FixedPool {
public:
    explicit FixedPool(const PoolConfig& config);

    // A place, or kNone.
    [[nodiscard]] u32 take(Want want);
    // The next owner of the place sees everything written by this one.
    void give(u32 place);
    // Whether take() would have found a place. Sequentially consistent after an earlier give().
    [[nodiscard]] bool has_room(Want want) const;

    [[nodiscard]] u32 places() const { return places_; }

    // Exact at some moment of the call.
    [[nodiscard]] u32 free_places() const;

private:
    [[nodiscard]] u32 kept_back(Want want) const { return levels_ - 1 - want.level; }

    [[nodiscard]] u32 pop();
    void push(u32 place);

    u32 places_;
    u32 levels_;
    std::unique_ptr<std::atomic<u32>[]> next_;
    std::unique_ptr<bool[]> is_of_urgent_share_;  // from the urgent reserve; the holder writes it
    alignas(64) std::atomic<u64> head_;           // tag above, place below
    alignas(64) std::atomic<u32> shared_free_;
    alignas(64) std::atomic<u32> urgent_free_;
};

}  // namespace weft::task
