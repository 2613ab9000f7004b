// fibre_counters.h — figures of the fibre engine (F19). Always on; updated per packet, never per
// fibre.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "scheduler/base/ids.h"
#include "scheduler/fibre/claim_table.h"
#include "scheduler/fibre/coarse_scheduler.h"
#include "scheduler/fibre/routine.h"
#include "scheduler/fibre/software_cache.h"

namespace weft::fibre {

inline constexpr u32 kMaxRoutines = 8;
inline constexpr u32 kFullnessBins =
    17;  // bin k: packets whose last lane group had k lanes (0..16) filled
inline constexpr u32 kAgeBins = 24;

// Fibres by the wait of the oldest fibre in their packet, counted in packets. Bin 0: none; bin k:
// 2^(k-1) to 2^k - 1; the last bin: that or longer.
using AgeBins = std::array<u64, kAgeBins>;

// The bin of a wait.
constexpr u32 age_bin(u64 age_packets) {
    return std::min(static_cast<u32>(std::bit_width(age_packets)), kAgeBins - 1);
}

// The wait, in packets, that the given fraction of the fibres does not exceed: the upper end of its
// bin.
u64 age_of_quantile(const AgeBins& ages, double quantile);

// Fetches of far keys' data (F12). Fibres per fetch: fibres_served / started.
struct FetchCounters {
    u64 started = 0;        // fetches: a chosen collection's data became Coming
    u64 near_at_once = 0;   // chosen collections whose data were near without one
    u64 refused = 0;        // answers
    u64 fibres_served = 0;  // left after a fetch
    u64 max_chosen = 0;     // collections chosen at once
};

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
    AgeBins by_age{};
    std::array<u64, kLeaveReasons> by_reason{};  // packets, by LeaveReason
    FetchCounters fetches{};
};

struct FibreCounters {
    std::array<RoutineCounters, kMaxRoutines> routine{};
    u64 fibres_spawned = 0;
    u64 fibres_completed = 0;
    u64 elements_admitted = 0;
    u64 elements_released = 0;
    u64 max_age_packets = 0;      // longest wait of a fibre, in packets
    u64 evicted_collections = 0;  // definition memory full (F10)
    u64 max_collections = 0;      // high-water marks
    u64 max_list_entries = 0;
    u64 max_elements = 0;
    u64 storage_high_water_bytes = 0;  // of the scheduler's own memory
    // Waiting fibres (with lists and parents), sampled at the begin of each packet: the mean is
    // waiting_fibres_sum / packets.
    u64 waiting_fibres_sum = 0;
    u64 max_waiting_fibres = 0;
    // Threads between and within launches (F15).
    u64 launch_pieces = 0;      // initial launches: pieces that threads were cut into
    u64 put_aside_packets = 0;  // parents that paused at a safe point
    u64 put_aside_elements = 0;
    // Packets over clusters (F13): the mean slice is scattered_fibres / scattered_slices, the mean
    // of the largest of a packet largest_slices / scattered_packets.
    u64 scattered_packets = 0;
    u64 scattered_fibres = 0;
    u64 scattered_slices = 0;
    u64 largest_slices = 0;
    u64 dropped_fibres = 0;    // of clusters given up for lost
    CoarseCounters threads{};  // admission (F17)
    ClaimCounters claims{};    // of elements by packets (F18)
    CacheCounters cache{};     // cache part of local memory (F16)
    // The current split of local memory, summed over clusters, and the number of its changes.
    u64 managed_elements = 0;
    u64 cache_bytes = 0;
    u64 split_moves = 0;

    [[nodiscard]] u64 packets() const;     // run by all routines
    [[nodiscard]] AgeBins ages() const;    // of the fibres of all routines
    void add(const FibreCounters& other);  // sums, and maxima of maxima
};

}  // namespace weft::fibre
