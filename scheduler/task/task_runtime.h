// task_runtime.h — the front of the room: launches tasks into streams, and runs them on calling
// workers (mechanism N).
//
// It has no threads. Workers call run_one() as long as it finds a task. Programs launch children
// through their TaskContext; the host submits roots through a bounded number of slots. Construction
// sizes all pools; nothing is allocated afterwards, and a full pool refuses.
//
// Any thread: everything but construction and destruction. One run_one() per thread at a time.
// One lock is held for the few steps that put a task into a slot or out of it, another by launches
// and completions that name events. No program or callback runs under a lock.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "scheduler/base/ids.h"
#include "scheduler/task/event_table.h"
#include "scheduler/task/fixed_pool.h"
#include "scheduler/task/task.h"
#include "scheduler/task/task_counters.h"
#include "scheduler/task/task_lists.h"
#include "scheduler/task/task_record.h"
#include "scheduler/task/task_table.h"
#include "scheduler/task/thread_group.h"

namespace weft::task {

struct TaskConfig {
    u32 tasks = 1024;       // records: tasks launched and not complete
    u32 levels = 8;         // of nesting; each keeps a record and a group for itself
    u32 groups = 64;        // tasks that have a group open at the same time
    u32 queues = 8;         // of a group, [1, 64]
    u32 events = 64;        // open at the same time
    u32 slots = 16;         // tasks that run at the same time, pending ones included
    u32 priorities = 4;     // [1, 16]; the highest is the last
    u32 host_slots = 64;    // of the tasks, those that the host may hold
    u32 urgent_tasks = 64;  // of each pool, the reserve of the highest priority
    u32 urgent_groups = 8;
    u32 urgent_events = 8;
    u32 urgent_slots = 1;
    // Called whenever a task may have become runnable, on the thread that made it so, under no
    // lock: wake a worker that then calls run_one().
    void (*on_ready)(void* context) = nullptr;
    void* on_ready_context = nullptr;
};

// A record that the host reserves for a later task.
struct HostSlot {
    u32 index = kNone;

    [[nodiscard]] bool is_held() const { return index != kNone; }
};

class TaskRuntime {
public:
    explicit TaskRuntime(const TaskConfig& config);
    // No call may be under way. Tasks that are not complete are forgotten.
    ~TaskRuntime() = default;
    TaskRuntime(const TaskRuntime&) = delete;
    TaskRuntime& operator=(const TaskRuntime&) = delete;
    TaskRuntime(TaskRuntime&&) = delete;
    TaskRuntime& operator=(TaskRuntime&&) = delete;

    // --- the host ---
    // Streams beyond TaskConfig::queues share queues, where a task waits for other streams' tasks.
    [[nodiscard]] StreamIndex create_stream() { return groups_.create_stream(root_); }

    // Launches a root task. NoRoom also when the host's slots are all held.
    [[nodiscard]] Launched submit(StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events = {});
    // Submission in two steps, so that the host can reserve a slot before the task is known. Held
    // slots never hinder launches by tasks (N13).
    [[nodiscard]] HostSlot reserve(bool is_urgent = false);
    [[nodiscard]] Launched submit(HostSlot slot,
                                  StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events = {});
    void give_back(HostSlot slot);
    [[nodiscard]] OpenedEvent open_event(StreamIndex stream, bool is_urgent = false);
    void close_event(EventId event);

    // No task is live. What tasks wrote is then visible.
    [[nodiscard]] bool is_idle() const;
    // The task is complete, with all descendants; what they wrote is then visible.
    [[nodiscard]] bool is_complete(TaskId task) const;

    // --- workers ---
    // Calls the program of the most urgent waiting task, once. False: none may run now.
    bool run_one(void* caller = nullptr);

    // --- threads that work for a pending task ---
    // Ends a call that ended, or is about to end, with Pending; exactly once per such call, from
    // any thread, as if the program had returned `outcome` (not Pending) now.
    void complete(TaskId task, Outcome outcome = Outcome::Done);
    // As TaskContext::should_stop() and state(), between the call and complete().
    [[nodiscard]] bool should_stop(TaskId task);
    [[nodiscard]] std::array<u64, 4>& state(TaskId task);
    // As TaskContext's, into the group that the task opened before it returned Pending; several
    // threads at once. After NoRoom: try again when a task of the group is complete. All must have
    // returned before complete().
    [[nodiscard]] Launched launch(TaskId parent,
                                  StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events = {});
    [[nodiscard]] OpenedEvent open_event(TaskId parent, StreamIndex stream);
    void close_event(TaskId parent, EventId event);

    // --- figures ---
    [[nodiscard]] TaskFigures figures() const { return counters_.total(); }

    [[nodiscard]] u32 free_tasks() const { return task_pool_.free_places(); }

    [[nodiscard]] u32 free_groups() const { return group_pool_.free_places(); }

private:
    friend class TaskContext;

    // Launching (task_launch.cpp).
    [[nodiscard]] u32 take_record(Want want);
    [[nodiscard]] u32 record_for(EventId signals, u32 group);
    [[nodiscard]] Launched launch(u32 record,
                                  u32 group,
                                  StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events);
    [[nodiscard]] Appended enter_queue(u32 record);
    [[nodiscard]] bool enter_with_events(u32 record, const LaunchEvents& events, Appended& how);
    [[nodiscard]] Launched launch_from(u32 parent,
                                       u32 group,
                                       StreamIndex stream,
                                       const TaskDescriptor& task,
                                       const LaunchEvents& events);
    [[nodiscard]] Launched launch_into(u32 group,
                                       StreamIndex stream,
                                       const TaskDescriptor& task,
                                       const LaunchEvents& events);
    [[nodiscard]] Refusal open_group(u32 parent);
    [[nodiscard]] OpenedEvent open_event(u32 group, StreamIndex stream, u32 record, bool is_urgent);
    [[nodiscard]] OpenedEvent open_event_from(u32 parent, StreamIndex stream);
    void close_event(u32 group, EventId event);
    void fire(EventId event);

    // Scheduling (task_runtime.cpp).
    void accept(u32 record, Insertion insertion);
    void unblock(u32 record);
    [[nodiscard]] u32 take_next();
    void ask_evictions();
    [[nodiscard]] bool should_stop(u32 record);
    [[nodiscard]] bool vacate(u32 record);
    [[nodiscard]] u32 checked(TaskId task) const;
    void note_stack();

    void tell_ready() const {
        if (on_ready_) {
            on_ready_(on_ready_context_);
        }
    }

    // Completion (task_completion.cpp).
    void settle(u32 record, Outcome outcome);
    void finish(u32 record);
    [[nodiscard]] u32 leave_group(u32 group);
    void resume(u32 parent);
    void release(u32 record);
    [[nodiscard]] bool has_room(Lack lack, Want want) const;
    void wait_for_room(u32 record);
    void wake_needy();

    [[nodiscard]] bool is_urgent(u32 priority) const { return priority + 1 == priorities_; }

    [[nodiscard]] auto link_of() {
        return [this](u32 record) -> QueueLink& { return record_[record].link; };
    }

    u32 priorities_;
    u32 levels_;
    u32 root_;  // the group of what the host submits
    void (*on_ready_)(void*);
    void* on_ready_context_;
    std::unique_ptr<TaskRecord[]> record_;
    FixedPool task_pool_;
    FixedPool group_pool_;
    FixedPool event_pool_;
    ThreadGroups groups_;
    EventTable events_;
    TaskCounters counters_;
    TaskLists lists_;  // collecting and taking: under schedule_mutex_
    TaskTable table_;  // under schedule_mutex_
    std::mutex schedule_mutex_;
    alignas(64) std::atomic<u32> host_free_;
    alignas(64) std::atomic<u32> needy_{kNone};  // newest of the tasks that wait for room
};

}  // namespace weft::task
