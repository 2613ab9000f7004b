// range_claims.h — ends the program if threads of two clusters write one number (F18).
//
// A thread runs on one cluster to its end, whose coarse scheduler runs threads with overlapping
// ranges one after the other. Between clusters nothing could: callers cut disjoint ranges
// (data_manager.h), and this checks it, in release builds too; it costs one scan per thread. Pure,
// fixed size; the shared packet unit owns and guards it.
#pragma once

#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"

namespace weft::fibre {

class RangeClaims {
public:
    // `capacity`: the most threads of all clusters at once.
    explicit RangeClaims(u32 capacity) { claims_.reserve(capacity); }

    // From a thread's submission to its end. Ends the program if the range overlaps another
    // cluster's. Empty ranges are ignored.
    void claim(u32 cluster, const WriteRange& range);
    void drop(u32 cluster, const WriteRange& range);
    void drop_all_of(u32 cluster);

private:
    struct Claim {
        u32 cluster;
        WriteRange range;
    };

    std::vector<Claim> claims_;
};

}  // namespace weft::fibre
