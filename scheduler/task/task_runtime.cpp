#include "scheduler/task/task_runtime.h"

#include <algorithm>
#include <cstdint>

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::task {

namespace {

// TaskRecord::handover: a pending call ends twice, by the program's return and by complete(), in
// either order. Each leaves a mark; the second one settles the task. Above kReturned: the outcome
// from complete(), plus kCompleted.
constexpr u32 kCalled = 0;
constexpr u32 kReturned = 1;
constexpr u32 kCompleted = 2;

// The run_one() that this thread is in.
struct Place {
    const TaskRuntime* runtime = nullptr;
    std::uintptr_t stack_top = 0;
};

thread_local Place place;

std::uintptr_t here(const void* frame) {
    return reinterpret_cast<std::uintptr_t>(frame);
}

}  // namespace

TaskRuntime::TaskRuntime(const TaskConfig& config)
    : priorities_(config.priorities),
      levels_(config.levels),
      root_(config.groups),
      on_ready_(config.on_ready),
      on_ready_context_(config.on_ready_context),
      record_(std::make_unique<TaskRecord[]>(config.tasks)),
      task_pool_(
          {.places = config.tasks, .urgent_places = config.urgent_tasks, .levels = config.levels}),
      group_pool_({.places = config.groups,
                   .urgent_places = config.urgent_groups,
                   .levels = std::max(config.levels, 2u) - 1}),  // the deepest level opens none
      event_pool_({.places = config.events, .urgent_places = config.urgent_events}),
      groups_(config.groups + 1, config.queues),
      events_(config.events, config.tasks),
      lists_(config.tasks, config.priorities),
      table_({.slots = config.slots,
              .urgent_slots = config.urgent_slots,
              .top_priority = config.priorities - 1}),
      host_free_(config.host_slots) {
    ENSURE(config.queues, >=, 1u);
    ENSURE(config.queues, <=, kMostQueues);
    ENSURE(config.host_slots, <=, config.tasks);
    groups_.open(root_, kNone, 0);
}

bool TaskRuntime::is_idle() const {
    // The one left is the host's own. Acquire pairs with the release in leave_group().
    return groups_[root_].work.load(std::memory_order_acquire) == 1;
}

bool TaskRuntime::is_complete(TaskId task) const {
    // Acquire pairs with the release in release().
    return record_[task.index].generation.load(std::memory_order_acquire) != task.generation;
}

u32 TaskRuntime::checked(TaskId task) const {
    // Relaxed: the caller works for the task, so it is live.
    ENSURE(record_[task.index].generation.load(std::memory_order_relaxed), ==, task.generation);
    return task.index;
}

void TaskRuntime::accept(u32 record, Insertion insertion) {
    lists_.accept(record, record_[record].descriptor.priority, insertion);
    tell_ready();
}

void TaskRuntime::unblock(u32 record) {
    // Release: what the predecessor wrote, or the signaller. Acquire: what the other one wrote.
    if (record_[record].blockers.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        accept(record, record_[record].descriptor.insertion);
    }
}

u32 TaskRuntime::take_next() {
    const std::scoped_lock lock(schedule_mutex_);
    lists_.collect();
    const u32 priority = lists_.highest();
    if (priority == kNone) {
        return kNone;
    }
    u32 taken = kNone;
    if (table_.room(priority) > 0) {
        taken = lists_.pop(priority);
        TaskRecord& record = record_[taken];
        record.slot = table_.occupy(taken, priority);
        // Relaxed: set again only under this lock; a stale value costs one needless stop at most.
        record.is_asked.store(false, std::memory_order_relaxed);
    }
    ask_evictions();
    return taken;
}

// Under the lock. Asks as many running tasks to stop as more urgent ones wait beyond the free
// slots.
void TaskRuntime::ask_evictions() {
    const u32 highest = lists_.highest();
    if (highest == kNone || highest == 0) {
        return;
    }
    const u32 room = table_.room(highest);
    for (u32 slot = table_.next_victim(); slot != kNone; slot = table_.next_victim()) {
        if (lists_.waiting_from(table_.priority_in(slot) + 1) <= room + table_.asked()) {
            return;
        }
        table_.ask(slot);
        // Relaxed: the task asks for a yes or no, and reads nothing through it.
        record_[table_.task_in(slot)].is_asked.store(true, std::memory_order_relaxed);
        counters_.add(Figure::StopsAsked);
    }
}

bool TaskRuntime::should_stop(u32 record) {
    const std::atomic<bool>& is_asked = record_[record].is_asked;
    // Relaxed, both: see ask_evictions().
    if (is_asked.load(std::memory_order_relaxed)) {
        return true;
    }
    // All workers may be in programs, so this thread collects the inboxes.
    if (!lists_.has_accepted_above(record_[record].descriptor.priority)) {
        return false;
    }
    const std::scoped_lock lock(schedule_mutex_);
    lists_.collect();
    ask_evictions();
    return is_asked.load(std::memory_order_relaxed);
}

// Returns whether the task had been asked to stop.
bool TaskRuntime::vacate(u32 record) {
    bool was_asked = false;
    bool is_any_waiting = false;
    {
        const std::scoped_lock lock(schedule_mutex_);
        was_asked = table_.vacate(record_[record].slot);
        is_any_waiting = lists_.highest() != kNone;
    }
    // Another worker may have left because no slot was free.
    if (is_any_waiting) {
        tell_ready();
    }
    return was_asked;
}

bool TaskRuntime::run_one(void* caller) {
    ENSURE(place.runtime, !=, this);  // a task that waits holds no stack
    const u32 taken = take_next();
    if (taken == kNone) {
        return false;
    }
    const Place outside = place;
    place = {.runtime = this, .stack_top = here(__builtin_frame_address(0))};
    counters_.add(Figure::Calls);
    TaskRecord& record = record_[taken];
    record.lack = Lack::Nothing;
    // Relaxed: the program publishes the task before another thread can call complete().
    record.handover.store(kCalled, std::memory_order_relaxed);
    TaskContext context(*this, taken, caller);
    const Outcome outcome = record.descriptor.program(context, record.descriptor.context);
    if (outcome != Outcome::Pending) {
        settle(taken, outcome);
    } else {
        // Release pairs with the acquire in complete(), acquire with its release: the one that
        // settles sees what both did.
        const u32 mark = record.handover.exchange(kReturned, std::memory_order_acq_rel);
        if (mark != kCalled) {
            settle(taken, static_cast<Outcome>(mark - kCompleted));
        }
    }
    place = outside;
    return true;
}

void TaskRuntime::complete(TaskId task, Outcome outcome) {
    ENSURE(outcome == Outcome::Pending, ==, false);
    const u32 record = checked(task);
    const u32 mark = record_[record].handover.exchange(kCompleted + static_cast<u32>(outcome),
                                                       std::memory_order_acq_rel);
    ENSURE(mark, <=, kReturned);  // completed once
    if (mark == kReturned) {
        settle(record, outcome);
    }
}

bool TaskRuntime::should_stop(TaskId task) {
    return should_stop(checked(task));
}

std::array<u64, 4>& TaskRuntime::state(TaskId task) {
    return record_[checked(task)].descriptor.state;
}

void TaskRuntime::note_stack() {
    if (place.runtime == this) {
        counters_.note_stack(place.stack_top - here(__builtin_frame_address(0)));
    }
}

}  // namespace weft::task
