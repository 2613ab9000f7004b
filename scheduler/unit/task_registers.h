// task_registers.h — what a portion of shared memory holds beside its doorbell (W4), and the status
// that comes back in it (W7).
//
// Plain words: the doorbell says whose they are. The worker writes the task and rings; the unit
// reads it, works, writes the status and sets the doorbell back.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

// The status word has one bit per part.
inline constexpr u32 kMostParts = 32;
// Error code of a part whose program threw; the unit has the sentence.
inline constexpr u32 kProgramThrew = 0xffffffffu;

enum class Operation : u32 {
    None,
    Run,     // do the share
    Detach,  // take no share any more, until Attach (W9)
    Attach,
};

struct TaskStatus {
    u32 done_parts = 0;     // bit p: part p is done well
    u32 error_code = 0;     // of the first part that failed twice; 0: none did
    u32 error_part = 0;     // which one, where error_code is not 0
    u32 retried_parts = 0;  // how many were begun a second time
    u64 begun_ns = 0;       // when the unit took the task, and
    u64 ended_ns = 0;       // when it answered, by base::now_ns
};

struct TaskRegisters {
    // Worker to unit.
    Operation operation = Operation::None;
    u32 part_count = 0;  // 1 .. kMostParts
    u64 epoch = 0;       // names this handing-over of the share; no other has it
    WorkItem share;
    ParkingPlace* maybe_sleeper = nullptr;  // whom to wake; nullptr: whoever rings also steps
    // Unit to worker.
    u64 answered_epoch = 0;
    TaskStatus status;
};

}  // namespace weft::unit
