// unit_watch.h — finds units that stop answering during a run. Internal to the room.
//
// A thread watches the progress of every unit that has a thread of its own. A unit that has work,
// or is asked to hold, and takes no step for the runner's patience counts as lost; slow work is no
// loss as long as the unit steps. A false alarm costs only time: late writes of a lost unit are
// never published.
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
    // Watches until destroyed; starts no thread if no unit has one.
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
