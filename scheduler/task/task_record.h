// task_record.h — the state of a task between its launch and its completion.
//
// One record per place of the pool of tasks. The state of the task decides which thread may access
// it:
//
//     launcher fills ──> waits for its queue and event ──> in a list ──> runs ──┬─> Done ─>
//     complete
//                                (blockers > 0)               ^                 │
//                                                             ├─ PutAside ──────┤
//                                                             ├─ room is free ── NeedsRoom
//                                                             ├─ children done ─ Join
//                                                             └─ complete(..) ── Pending
//
// Only the thread that moves a task along an arrow touches the plain fields; each arrow that
// changes threads goes through a release and an acquire (queue link, blockers, list, counter).
#pragma once

#include <atomic>

#include "scheduler/base/ids.h"
#include "scheduler/task/fixed_pool.h"
#include "scheduler/task/stream_queue.h"
#include "scheduler/task/task.h"

namespace weft::task {

// The state of a group's parent, read by the thread that brings the group's counter to zero.
enum class Phase : u32 {
    Running,   // the parent holds the counter itself
    Joining,   // then its program is called again
    Finished,  // then the parent is complete
};

// The pool that refused last.
enum class Lack : u32 { Nothing, Task, Group, Event };

struct alignas(64) TaskRecord {
    TaskDescriptor descriptor;
    QueueLink link;
    // Rises when the task is complete; stands still while the record is free.
    std::atomic<u32> generation{0};
    std::atomic<u32> blockers{0};       // its queue, and its event: at zero the task may start
    std::atomic<u32> handover{0};       // between the end of a pending call and complete()
    std::atomic<bool> is_asked{false};  // to stop at a safe point
    bool is_host_slot = false;
    Phase phase = Phase::Running;
    Lack lack = Lack::Nothing;
    Want lack_want{};
    u32 group = kNone;      // that it was launched into
    u32 queue = 0;          // of that group
    u32 own_group = kNone;  // that it opened
    u32 slot = kNone;       // of the task table
    u32 next_in_need = kNone;
    EventId signals{};
};

}  // namespace weft::task
