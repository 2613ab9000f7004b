// unit_figures.h — what happened in a run, per unit and per worker. Each number has one writer, the
// worker; read them when run() has returned. They add up over runs.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::unit {

struct UnitFigures {
    u64 shares = 0;             // published
    u64 work = 0;               // of those, in the caller's unit of work
    u64 busy_ns = 0;            // time in which it had something to do
    u64 doorbells = 0;          // rung, detaching and attaching included
    u64 parts_retried = 0;      // begun a second time
    u64 shares_taken_back = 0;  // from a unit given up for lost, to be run elsewhere
    double work_per_s = 0;      // running mean of its throughput
    // A ring and its answer, without the time between the unit's taking the task and its answer.
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
    double hand_over_ns = 0;   // running mean: from an own item to having rung, divisions apart
    u64 last_target_work = 0;  // what the cutoff wanted last
};

}  // namespace weft::unit
