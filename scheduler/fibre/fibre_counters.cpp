#include "scheduler/fibre/fibre_counters.h"

#include <algorithm>
#include <numeric>

namespace weft::fibre {

namespace {

void add_fetches(FetchCounters& sum, const FetchCounters& other) {
    sum.started += other.started;
    sum.near_at_once += other.near_at_once;
    sum.refused += other.refused;
    sum.fibres_served += other.fibres_served;
    sum.max_chosen = std::max(sum.max_chosen, other.max_chosen);
}

void add_routine(RoutineCounters& sum, const RoutineCounters& other) {
    sum.packets += other.packets;
    sum.fibres += other.fibres;
    sum.lanes_issued += other.lanes_issued;
    sum.lanes_active += other.lanes_active;
    sum.distinct_keys += other.distinct_keys;
    sum.mixed_packets += other.mixed_packets;
    sum.rekeyed_lists += other.rekeyed_lists;
    sum.rekeyed_fibres += other.rekeyed_fibres;
    sum.refused_lists += other.refused_lists;
    for (u32 bin = 0; bin < kFullnessBins; ++bin) {
        sum.by_fullness[bin] += other.by_fullness[bin];
    }
    for (u32 bin = 0; bin < kAgeBins; ++bin) {
        sum.by_age[bin] += other.by_age[bin];
    }
    for (u32 reason = 0; reason < kLeaveReasons; ++reason) {
        sum.by_reason[reason] += other.by_reason[reason];
    }
    add_fetches(sum.fetches, other.fetches);
}

}  // namespace

const char* leave_reason_name(LeaveReason reason) {
    constexpr std::array<const char*, kLeaveReasons> kNames = {
        "full", "evicted", "overdue", "idle", "list", "launch", "resumed"};
    return kNames[static_cast<u32>(reason)];
}

u64 age_of_quantile(const AgeBins& ages, double quantile) {
    const double wanted =
        quantile * static_cast<double>(std::accumulate(ages.begin(), ages.end(), u64{0}));
    u64 sum = 0;
    for (u32 bin = 0; bin < kAgeBins; ++bin) {
        sum += ages[bin];
        if (sum > 0 && static_cast<double>(sum) >= wanted) {
            return (u64{1} << bin) - 1;
        }
    }
    return 0;
}

void FibreCounters::add(const FibreCounters& other) {
    for (u32 index = 0; index < kMaxRoutines; ++index) {
        add_routine(routine[index], other.routine[index]);
    }
    fibres_spawned += other.fibres_spawned;
    fibres_completed += other.fibres_completed;
    elements_admitted += other.elements_admitted;
    elements_released += other.elements_released;
    evicted_collections += other.evicted_collections;
    max_age_packets = std::max(max_age_packets, other.max_age_packets);
    max_collections = std::max(max_collections, other.max_collections);
    max_list_entries = std::max(max_list_entries, other.max_list_entries);
    max_elements = std::max(max_elements, other.max_elements);
    storage_high_water_bytes = std::max(storage_high_water_bytes, other.storage_high_water_bytes);
    waiting_fibres_sum += other.waiting_fibres_sum;
    max_waiting_fibres = std::max(max_waiting_fibres, other.max_waiting_fibres);
    launch_pieces += other.launch_pieces;
    put_aside_packets += other.put_aside_packets;
    put_aside_elements += other.put_aside_elements;
    scattered_packets += other.scattered_packets;
    scattered_fibres += other.scattered_fibres;
    scattered_slices += other.scattered_slices;
    largest_slices += other.largest_slices;
    dropped_fibres += other.dropped_fibres;
    threads.add(other.threads);
    claims.add(other.claims);
    cache.add(other.cache);
    managed_elements += other.managed_elements;
    cache_bytes += other.cache_bytes;
    split_moves += other.split_moves;
}

u64 FibreCounters::packets() const {
    u64 sum = 0;
    for (const RoutineCounters& counters : routine) {
        sum += counters.packets;
    }
    return sum;
}

AgeBins FibreCounters::ages() const {
    AgeBins sum{};
    for (const RoutineCounters& counters : routine) {
        for (u32 bin = 0; bin < kAgeBins; ++bin) {
            sum[bin] += counters.by_age[bin];
        }
    }
    return sum;
}

}  // namespace weft::fibre
