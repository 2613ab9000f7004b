// share_plan.h — splits an item among the free units of one worker (W8): in the ratio of their
// measured throughput, and over fewer units where their shares would be too small.
//
// Pure; the worker plans before it hands over.
#pragma once

#include <span>

#include "scheduler/base/ids.h"

namespace weft::unit {

// A unit with a free portion.
struct UnitOffer {
    u32 seat = 0;           // the worker's number for the unit
    double throughput = 0;  // work per ns; 0: not measured yet
    u64 target_work = 1;    // the share it wants by itself (cutoff.h)
    u64 least_work = 1;
    u64 most_work = 1;
    double ratio = 0;  // out: its fraction of the item; the sum is 1
};

// The size that all offers together want, and the most that fits into them by their ratios.
struct SharePlan {
    u64 target_work = 1;
    u64 most_work = 1;
};

// Sets the ratios: a unit that is not measured counts as the mean of the others.
void set_ratios(std::span<UnitOffer> offers);

// Ratios must be set; at least one offer.
SharePlan plan_share(std::span<const UnitOffer> offers);

// Moves the offers to use for an item of `size` to the front, fastest first, sets their ratios and
// returns their number, at least 1: drops the slowest until no share is below its unit's least.
std::size_t choose_offers(std::span<UnitOffer> offers, u64 size);

}  // namespace weft::unit
