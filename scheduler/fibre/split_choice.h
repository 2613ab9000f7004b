// split_choice.h — where the border between elements and cache should lie, by what the cache says
// (F16).
//
// While lookups miss too often, the cache is given an eighth of the elements at a time. A move that
// does not pay is taken back, and the border then rests until the rate has changed. Pure: no clock,
// no memory; the same lookups give the same moves. The cluster asks between packets, and moves.
//
//     Resting --rate below kGoodRate--> Moved: warms up --> Judged --better by kGain--> Resting
//        ^---------- back to where it was, until the rate changes <----otherwise----'
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/fibre/software_cache.h"

namespace weft::fibre {

class SplitChoice {
public:
    static constexpr u64 kLookups = 4096;     // between two looks: several times a cache's entries
    static constexpr double kGoodRate = 0.9;  // of hits; above it nothing is tried
    static constexpr double kGain = 0.02;     // that a move must bring to stay
    static constexpr double kChange = 0.05;   // of the rate, that ends a rest after a failure

    // The elements to be managed: `managed`, or where another border should be tried. `least` ≤
    // `capacity` are managed at all times; `counters` are the cache's since its making.
    [[nodiscard]] u32 next(const CacheCounters& counters, u32 managed, u32 least, u32 capacity);

    // The cache was emptied: lookups count from now on.
    void restart(const CacheCounters& counters);

private:
    enum class Phase : u8 { Resting, Warming, Judging };

    Phase phase_ = Phase::Resting;
    u64 seen_ = 0;            // lookups, when looked at last
    u64 seen_hits_ = 0;       // likewise
    u32 former_ = 0;          // where the border was before the move ...
    double former_rate_ = 0;  // ... and the rate there
    double failed_rate_ = 2;  // at which a move did not pay; 2: none did not
};

}  // namespace weft::fibre
