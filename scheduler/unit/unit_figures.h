// unit_figures.h — figures of runs, per unit and per worker. The worker is the only writer of each;
// read them after run() has returned. They add up over runs.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::unit {

struct UnitFigures {
    u64 shares = 0;             // published
    u64 work = 0;               // of those, in the caller's unit of work
    u64 busy_ns = 0;            // time with work
    u64 doorbells = 0;          // rung, including orders to detach and attach
    u64 parts_retried = 0;      // run a second time
    u64 shares_taken_back = 0;  // from a lost unit, to run elsewhere
    double work_per_s = 0;      // running mean of its throughput
    // From ring to answer, less the time from the unit's accepting the task to its answer.
    double round_trip_ns = 0;       // mean of all
    double late_round_trip_ns = 0;  // running mean of the last ones
    bool is_attached = true;
    bool is_lost = false;
};

struct WorkerFigures {
    u64 roots = 0;  // items from Work::next()
    u64 shares = 0;
    u64 divisions = 0;
    u64 steals = 0;
    u64 steal_attempts = 0;
    u64 parks = 0;
    double division_ns = 0;    // running mean of one
    double hand_over_ns = 0;   // running mean: from an item to the ring, without divisions
    u64 last_target_work = 0;  // the latest target of the cutoff
};

}  // namespace weft::unit
