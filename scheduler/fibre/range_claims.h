// range_claims.h — which cluster's threads write which numbers (F18).
//
// A thread that writes a range is set up on one cluster, and runs there to its end. Ranges that
// overlap belong to one cluster, whose coarse scheduler runs their threads one after the other;
// others are spread evenly. Pure, fixed size; the shared packet unit owns it and guards it.
#pragma once

#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"

namespace weft::fibre {

class RangeClaims {
public:
    RangeClaims(u32 cluster_count, u32 thread_capacity);

    // The cluster that has threads writing some of the range, else the one with the fewest ranges,
    // of these the first.
    [[nodiscard]] u32 home_of(const WriteRange& range) const;

    // From a thread's submission to its end. Debug builds end the program where it overlaps another
    // cluster's. Empty ranges are nobody's.
    void claim(u32 cluster, const WriteRange& range);
    void drop(u32 cluster, const WriteRange& range);
    void drop_all_of(u32 cluster);

private:
    struct Claim {
        u32 cluster;
        WriteRange range;
    };

    u32 cluster_count_;
    std::vector<Claim> claims_;
};

}  // namespace weft::fibre
