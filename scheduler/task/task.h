// task.h — the words of the room: what a task is made of, how a call of it ends, why a launch is
// refused.
//
// Plain values, used by programs and by whoever submits tasks. No thread rules. After the nested
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

// How one call of a program ends. Whatever a task waits for, it holds no worker and no stack then.
enum class Outcome : u32 {
    Done,       // complete, once all it launched is complete
    Join,       // call again when all it launched, with all descendants, is complete
    PutAside,   // stopped at a safe point, progress in the state words; call again, equals first
    NeedsRoom,  // was refused with NoRoom; call again when there may be room
    Pending,    // somebody else ends it, with TaskRuntime::complete()
};

// Where in the list of its priority a task is put when it may start.
enum class Insertion : u32 { Tail, Head };

// One call of a task. Must not throw, nor wait for anything that needs a worker, nor call
// TaskRuntime::run_one. `context` is the descriptor's.
using TaskProgram = Outcome (*)(TaskContext& task, void* context);

// What a launch hands over, by value (N1).
struct TaskDescriptor {
    TaskProgram program = nullptr;
    void* context = nullptr;         // shared by whatever tasks; outlives them
    std::array<u64, 6> arguments{};  // of this task alone; programs read them
    std::array<u64, 4> state{};      // progress: kept from call to call
    u32 priority = 0;                // [0, TaskConfig::priorities), higher is more urgent
    Insertion insertion = Insertion::Tail;
};

static_assert(sizeof(TaskDescriptor) == 104);
static_assert(std::is_trivially_copyable_v<TaskDescriptor>);

// One life of a record: stale as soon as the task is complete.
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

// Why something was refused; then nothing has changed.
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
