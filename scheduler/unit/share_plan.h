// share_plan.h — how one worker splits a share among its units that are free (W8): in the ratio of
// their measured throughput, and over fewer of them where the shares would be too small.
//
// Pure; the worker asks it before each share.
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
    double ratio = 0;  // out: its part of a share; the sum is 1
};

// What the offers together want, and the most that fits into all of them by their ratios.
struct SharePlan {
    u64 target_work = 1;
    u64 most_work = 1;
};

// Sets the ratios: units not measured count as the mean of those that are.
void set_ratios(std::span<UnitOffer> offers);

// Ratios must be set; at least one offer.
SharePlan plan_share(std::span<const UnitOffer> offers);

// Moves the offers worth using for a share of `size` to the front, fastest first, sets their ratios
// and returns how many they are, at least 1: the slowest go until no share is below its least.
std::size_t choose_offers(std::span<UnitOffer> offers, u64 size);

}  // namespace weft::unit
