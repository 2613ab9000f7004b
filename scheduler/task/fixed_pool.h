// fixed_pool.h — numbered places, fixed for good, with shares held back for deeper levels and for
// the highest priority.
//
// Two rules make that back-pressure cannot deadlock. Depth: taking a place for level l leaves one
// for every deeper level. So when no task below level l is live, all places that deeper levels took
// have come back, and a task of level l that wants to launch a child is granted one: the deepest
// waiting task always goes on. Urgency: a share counts apart, and only the highest priority takes
// from it; when it is used up, it takes from the rest, like all.
//
// Any thread: everything. Lock-free: a list of free places under a tag (R. K. Treiber, 1986), and
// a count per share that is taken down before a place leaves the list.
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

// What a place is wanted for.
struct Want {
    u32 level = 0;  // [0, PoolConfig::levels)
    bool is_urgent = false;
};

class FixedPool {
public:
    explicit FixedPool(const PoolConfig& config);

    // A place, or kNone.
    [[nodiscard]] u32 take(Want want);
    // All that was written while the place was held is seen by who takes it next.
    void give(u32 place);
    // Would take() have found one. Sequentially consistent after an earlier give().
    [[nodiscard]] bool has_room(Want want) const;

    [[nodiscard]] u32 places() const { return places_; }

    // As of some moment during the call.
    [[nodiscard]] u32 free_places() const;

private:
    [[nodiscard]] u32 kept_back(Want want) const { return levels_ - 1 - want.level; }

    [[nodiscard]] u32 pop();
    void push(u32 place);

    u32 places_;
    u32 levels_;
    std::unique_ptr<std::atomic<u32>[]> next_;
    std::unique_ptr<bool[]> is_of_urgent_share_;  // written by whoever holds the place
    alignas(64) std::atomic<u64> head_;           // tag above, place below
    alignas(64) std::atomic<u32> shared_free_;
    alignas(64) std::atomic<u32> urgent_free_;
};

}  // namespace weft::task
