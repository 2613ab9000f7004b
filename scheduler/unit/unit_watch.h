// unit_watch.h — finds the units that stopped answering while a run is on. Internal to the room.
//
// A thread of its own looks at the progress of every unit that has a thread: one that has work and
// has taken no step for the runner's patience is given up for lost. Work that merely takes long is
// no loss as long as the unit steps; a false alarm costs time only, since what the unit still
// writes reaches nothing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/unit/runner_state.h"

namespace weft::unit {

class UnitWatch {
public:
    // Watches until destroyed; no thread where no unit has one.
    explicit UnitWatch(RunnerState& state);

private:
    struct Seen {
        u64 progress = 0;
        u64 since_ns = 0;
    };

    void watch(const std::stop_token& stop);
    void look(u64 time_ns);

    RunnerState& state_;
    std::vector<Seen> seen_;
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread thread_;
};

}  // namespace weft::unit
