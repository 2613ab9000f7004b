// range_claims.h — assigns the number ranges that threads write to clusters (F18).
//
// A thread that writes a range runs on one cluster to its end. Overlapping ranges belong to one
// cluster, whose coarse scheduler runs their threads one after the other; other ranges are spread
// evenly. Pure, fixed size; the shared packet unit owns and guards it.
#pragma once

#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/coarse_scheduler.h"

namespace weft::fibre {

class RangeClaims {
public:
    RangeClaims(u32 cluster_count, u32 thread_capacity);

    // The cluster that owns a range overlapping this one, else the first with the fewest ranges.
    [[nodiscard]] u32 home_of(const WriteRange& range) const;

    // From a thread's submission to its end. Debug builds end the program if the range overlaps
    // another cluster's. Empty ranges are ignored.
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
