// task_registers.h — the registers of a portion beside its doorbell: the task (W4) and the status
// that the unit returns (W7).
//
// Plain words, owned by the worker while the doorbell reads 0 and by the unit while it reads 1. The
// worker writes the task and rings; the unit reads it, works, writes the status and resets the
// doorbell.
#pragma once

#include "scheduler/base/ids.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

// The status word has one bit per part.
inline constexpr u32 kMostParts = 32;
// Error code of a part whose program threw; ExecutionUnit::thrown() has the message.
inline constexpr u32 kProgramThrew = 0xffffffffu;

enum class Operation : u32 {
    None,
    Run,     // do the share
    Detach,  // accept no share until Attach (W9)
    Attach,
};

struct TaskStatus {
    u32 done_parts = 0;     // bit p: part p succeeded
    u32 error_code = 0;     // of the first part that failed twice; 0: none did
    u32 error_part = 0;     // its number, if error_code is not 0
    u32 retried_parts = 0;  // parts that were run a second time
    u64 begun_ns = 0;       // when the unit took the task, and
    u64 ended_ns = 0;       // when it answered, by base::now_ns
};

struct TaskRegisters {
    // Worker to unit.
    Operation operation = Operation::None;
    u32 part_count = 0;  // 1 .. kMostParts
    u64 epoch = 0;       // unique number of this hand-over
    WorkItem share;
    ParkingPlace* maybe_sleeper = nullptr;  // the worker to wake; nullptr: it steps the unit itself
    // Unit to worker.
    u64 answered_epoch = 0;
    TaskStatus status;
};

}  // namespace weft::unit
