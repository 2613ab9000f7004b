// fibre_counters.h — statistics of one cluster (F19): always on, added up per packet, never per
// fibre.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::fibre {

inline constexpr u32 kMaxRoutines = 8;
inline constexpr u32 kFullnessBins =
    17;  // bin k: packets whose last lane group had k lanes (0..16) filled

struct RoutineCounters {
    u64 packets = 0;
    u64 fibres = 0;         // run
    u64 lanes_issued = 0;   // lane groups × lanes
    u64 lanes_active = 0;   // of those, with a fibre in them
    u64 distinct_keys = 0;  // key changes between packets: fetches of a key's data
    u64 mixed_packets = 0;
    u64 rekeyed_lists = 0;
    u64 rekeyed_fibres = 0;
    u64 refused_lists = 0;  // rekey() with full memory
    std::array<u64, kFullnessBins> by_fullness{};
};

struct FibreCounters {
    std::array<RoutineCounters, kMaxRoutines> routine{};
    u64 fibres_spawned = 0;
    u64 fibres_completed = 0;
    u64 elements_admitted = 0;
    u64 elements_released = 0;
    u64 max_age_packets = 0;      // longest wait of a fibre, in packets run meanwhile
    u64 evicted_collections = 0;  // definition memory full (F10)
    u64 max_collections = 0;      // high-water marks
    u64 max_list_entries = 0;
    u64 max_elements = 0;
    u64 storage_high_water_bytes = 0;      // of the scheduler's own memory
    void add(const FibreCounters& other);  // sums, and maxima of maxima
};

}  // namespace weft::fibre
