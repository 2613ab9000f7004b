// event.h — the state, times and error of an instance (R11).
//
//     Waiting ──> Running ──> Done
//        └───────────┴──────> Failed
//
// The queue writes it under its lock; callers get copies.
#pragma once

#include <optional>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"
#include "scheduler/compute/handle_table.h"

namespace weft::compute {

enum class EventState : u32 {
    Waiting,  // for instances it follows, or for a device
    Running,
    Done,
    Failed,  // it ran and failed, or could not run
};

struct Event {
    EventState state = EventState::Waiting;
    u64 enqueued_ns = 0;  // of base::now_ns
    u64 started_ns = 0;   // 0: not yet
    u64 ended_ns = 0;     // 0: not yet
    std::string devices;  // that it ran on: "cpu + egpu"
    std::string reason;   // of that choice
    std::optional<base::Error> error;

    [[nodiscard]] bool has_ended() const {
        return state == EventState::Done || state == EventState::Failed;
    }
};

using EventHandle = Handle<Event>;

}  // namespace weft::compute
