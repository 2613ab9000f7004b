// bus_model.h — how long copies from a device's memory to the local memories of its units would
// take.
//
// The emulated GPU copies at once; this model says what its bus would need. One bus serves all
// units and carries one copy at a time. A unit asks for its next copies while it runs other
// packets, up to copies_at_once of them, and each waits latency_ns for its first byte. So all
// copies together take at least their bytes over the bus's rate, and at least their latencies over
// the number that are under way at once; the model says the larger. It knows no computing time.
// The defaults are those of a small card: 32 GB/s and 400 ns. Pure; any thread.
#pragma once

#include <algorithm>

#include "scheduler/base/ids.h"

namespace weft::unit {

// Copies over the bus.
struct BusCounters {
    u64 transfers = 0;
    u64 bytes = 0;

    void add(const BusCounters& other) {
        transfers += other.transfers;
        bytes += other.bytes;
    }
};

struct BusModel {
    double latency_ns = 400;
    double bytes_per_ns = 32;
    u32 copies_at_once = 4;  // of each unit

    [[nodiscard]] double modelled_ms(const BusCounters& counted, u32 unit_count) const {
        const double under_way = static_cast<double>(std::max(unit_count * copies_at_once, 1U));
        const double carried_ns = static_cast<double>(counted.bytes) / bytes_per_ns;
        const double waited_ns = static_cast<double>(counted.transfers) * latency_ns / under_way;
        return std::max(carried_ns, waited_ns) * 1e-6;
    }
};

}  // namespace weft::unit
