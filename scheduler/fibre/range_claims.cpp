#include "scheduler/fibre/range_claims.h"

#include <algorithm>
#include <string>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

void RangeClaims::claim(u32 cluster, const WriteRange& range) {
    if (range.is_empty()) {
        return;
    }
    for (const Claim& other : claims_) {
        if (other.cluster != cluster && other.range.overlaps(range)) {
            const auto name = [](u32 owner, const WriteRange& its_range) {
                return "cluster " + std::to_string(owner) + " [" + std::to_string(its_range.begin) +
                       ", " + std::to_string(its_range.end) + ")";
            };
            base::fail_claim(__FILE__,
                             __LINE__,
                             "threads of different clusters write different numbers",
                             name(cluster, range) + " vs " + name(other.cluster, other.range));
        }
    }
    claims_.push_back({cluster, range});
}

void RangeClaims::drop(u32 cluster, const WriteRange& range) {
    const auto found = std::find_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
        return claim.cluster == cluster && claim.range.begin == range.begin &&
               claim.range.end == range.end;
    });
    if (found != claims_.end()) {
        claims_.erase(found);
    }
}

void RangeClaims::drop_all_of(u32 cluster) {
    const auto end = std::remove_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
        return claim.cluster == cluster;
    });
    claims_.erase(end, claims_.end());
}

}  // namespace weft::fibre
