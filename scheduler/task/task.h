// task.h — the room's values: a task's descriptor, the outcomes of a call, the refusals of a
// launch.
//
// Plain values for programs and for threads that submit tasks. No thread rules. After the nested
// execution streams of "Technique for computational nested parallelism" (US 9,436,504): tasks
// launch tasks, in order within a stream, without the host.
#pragma once

#include <array>
#include <type_traits>

#include "scheduler/base/ids.h"

namespace weft::task {

class TaskContext;

// Which stream of a thread group; streams share queues where there are more of them than queues.
enum class StreamIndex : u32 {};

// How one call of a program ends. A waiting task holds no worker and no stack.
enum class Outcome : u32 {
    Done,       // complete, once all it launched is complete
    Join,       // call again when all it launched, with all descendants, is complete
    PutAside,   // stopped at a safe point, progress in the state words; call again, equals first
    NeedsRoom,  // a launch was refused with NoRoom; call again when there may be room
    Pending,    // another thread ends the call with TaskRuntime::complete()
};

// Where a task that may start enters the list of its priority.
enum class Insertion : u32 { Tail, Head };

// One call of a task. Must not throw, nor wait for anything that needs a worker, nor call
// TaskRuntime::run_one. `context` is the descriptor's.
using TaskProgram = Outcome (*)(TaskContext& task, void* context);

// A task to launch; passed by value (N1).
struct TaskDescriptor {
    TaskProgram program = nullptr;
    void* context = nullptr;         // may be common to many tasks; outlives them
    std::array<u64, 6> arguments{};  // of this task alone
    std::array<u64, 4> state{};      // progress: kept from call to call
    u32 priority = 0;                // [0, TaskConfig::priorities), higher is more urgent
    Insertion insertion = Insertion::Tail;
};

static_assert(sizeof(TaskDescriptor) == 104);
static_assert(std::is_trivially_copyable_v<TaskDescriptor>);

// Names a task; stale as soon as the task is complete.
struct TaskId {
    u32 index = kNone;
    u32 generation = 0;
};

// Happens once: when the task whose launch signals it is complete, or when it is closed.
struct EventId {
    u32 index = kNone;
    u32 generation = 0;

    [[nodiscard]] bool is_none() const { return index == kNone; }
};

// Events of the group that the task is launched into.
struct LaunchEvents {
    EventId waits_for{};  // the task starts after this
    EventId signals{};    // this happens when the task is complete, with all descendants
};

// Why a call was refused; nothing has changed then.
enum class Refusal : u32 {
    None,
    NoRoom,         // a pool is full: Outcome::NeedsRoom, or try later
    TooDeep,        // the level would be beyond TaskConfig::levels
    WaitsForLater,  // it would wait for the event of a task behind it in its own queue (N8)
};

struct Launched {
    TaskId task{};
    Refusal refusal = Refusal::None;

    [[nodiscard]] bool is_accepted() const { return refusal == Refusal::None; }
};

struct OpenedEvent {
    EventId event{};
    Refusal refusal = Refusal::None;

    [[nodiscard]] bool is_open() const { return refusal == Refusal::None; }
};

}  // namespace weft::task
