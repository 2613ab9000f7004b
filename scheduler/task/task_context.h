// task_context.h — a program's access to its task and to the room during a call.
//
// Lives for one call, on the worker that makes it. Nothing here needs the host or allocates.
#pragma once

#include <array>

#include "scheduler/base/ids.h"
#include "scheduler/task/task.h"

namespace weft::task {

class TaskRuntime;

class TaskContext {
public:
    TaskContext(TaskRuntime& runtime, u32 record, void* caller)
        : runtime_(runtime), record_(record), caller_(caller) {}

    // Valid until the task is complete; for TaskRuntime::complete().
    [[nodiscard]] TaskId id() const;
    [[nodiscard]] const std::array<u64, 6>& arguments() const;
    // Progress: kept from call to call, whatever thread makes the next.
    [[nodiscard]] std::array<u64, 4>& state();
    [[nodiscard]] u32 priority() const;
    // Nesting level: 0 for what the host submitted.
    [[nodiscard]] u32 level() const;

    // The argument of the run_one() that made this call.
    [[nodiscard]] void* caller() const { return caller_; }

    [[nodiscard]] TaskRuntime& runtime() const { return runtime_; }

    // At a safe point: true if a more urgent task needs the slot. Then save progress and return
    // PutAside soon (N3).
    [[nodiscard]] bool should_stop();

    // Opens the task's group, one level down, unless it is open. It stays open until the task is
    // complete.
    [[nodiscard]] Refusal open_group();
    // The group must be open. Costs an addition; there is nothing to destroy (N7).
    [[nodiscard]] StreamIndex create_stream();
    // Launches a child. It may be complete before this returns.
    [[nodiscard]] Launched launch(StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events = {});
    // Launches into this task's own group, behind its equals. After NoRoom, waiting with NeedsRoom
    // need not succeed: places are reserved for children only.
    [[nodiscard]] Launched launch_beside(StreamIndex stream,
                                         const TaskDescriptor& task,
                                         const LaunchEvents& events = {});

    // An event of the task's group, to be signalled by a later launch into `stream`. It keeps the
    // record of that launch, which therefore is never refused for room. Must be signalled or
    // closed before the task is Done.
    [[nodiscard]] OpenedEvent open_event(StreamIndex stream);
    // Makes the event happen without a task. It must be open, and no launch may signal it.
    void close_event(EventId event);

private:
    TaskRuntime& runtime_;
    u32 record_;
    void* caller_;
};

}  // namespace weft::task
