// split_choice.h — moves the border between elements and cache by the cache's hit rate (F16).
//
// While lookups miss too often, the cache gets the memory of an eighth of the elements at a time. A
// move that does not raise the rate is undone, and the border rests until the rate changes. Pure,
// no clock: the same lookups give the same moves. The cluster calls it between packets.
//
//     Resting --rate below kGoodRate--> Moved: warms up --> Judged --better by kGain--> Resting
//        ^---------- back to where it was, until the rate changes <----otherwise----'
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/fibre/software_cache.h"

namespace weft::fibre {

class SplitChoice {
public:
    static constexpr u64 kLookups = 4096;     // between decisions: several times a cache's entries
    static constexpr double kGoodRate = 0.9;  // hit rate above which the border rests
    static constexpr double kGain = 0.02;     // least gain of the hit rate that keeps a move
    static constexpr double kChange = 0.05;   // change of the rate that ends a rest

    // The number of elements to manage: `managed`, or another to try. At least `least` ≤ `capacity`
    // stay managed; `counters` are the cache's since its construction.
    [[nodiscard]] u32 next(const CacheCounters& counters, u32 managed, u32 least, u32 capacity);

    // The cache was emptied: lookups count from now on.
    void restart(const CacheCounters& counters);

private:
    enum class Phase : u8 { Resting, Warming, Judging };

    Phase phase_ = Phase::Resting;
    u64 seen_ = 0;            // lookups at the last decision
    u64 seen_hits_ = 0;       // hits at the last decision
    u32 former_ = 0;          // where the border was before the move ...
    double former_rate_ = 0;  // ... and the rate there
    double failed_rate_ = 2;  // at which a move did not pay; 2: none did not
};

}  // namespace weft::fibre
