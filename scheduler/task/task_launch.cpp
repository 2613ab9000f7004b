// task_launch.cpp — from a descriptor to a task in its queue: records, groups, events, refusals.
#include "scheduler/base/ensure.h"
#include "scheduler/task/task_runtime.h"

namespace weft::task {

u32 TaskRuntime::take_record(Want want) {
    const u32 record = task_pool_.take(want);
    if (record == kNone) {
        counters_.add(Figure::RefusedNoRoom);
    }
    return record;
}

// --- the host ---

HostSlot TaskRuntime::reserve(bool is_urgent) {
    // Relaxed, all: only the number counts.
    u32 free = host_free_.load(std::memory_order_relaxed);
    do {
        if (free == 0) {
            counters_.add(Figure::RefusedNoRoom);
            return {};
        }
    } while (!host_free_.compare_exchange_weak(free, free - 1, std::memory_order_relaxed));
    const u32 record = take_record({.level = 0, .is_urgent = is_urgent});
    if (record == kNone) {
        host_free_.fetch_add(1, std::memory_order_relaxed);
        return {};
    }
    record_[record].is_host_slot = true;
    return {.index = record};
}

void TaskRuntime::give_back(HostSlot slot) {
    release(slot.index);
    wake_needy();
}

Launched TaskRuntime::submit(StreamIndex stream,
                             const TaskDescriptor& task,
                             const LaunchEvents& events) {
    const u32 kept = record_for(events.signals, root_);
    const u32 record = kept != kNone ? kept : reserve(is_urgent(task.priority)).index;
    if (record == kNone) {
        return {.refusal = Refusal::NoRoom};
    }
    const Launched launched = launch(record, root_, stream, task, events);
    if (!launched.is_accepted() && kept == kNone) {
        give_back({.index = record});
    }
    return launched;
}

Launched TaskRuntime::submit(HostSlot slot,
                             StreamIndex stream,
                             const TaskDescriptor& task,
                             const LaunchEvents& events) {
    ENSURE(events.signals.is_none(), ==, true);  // the event keeps a record of its own
    return launch(slot.index, root_, stream, task, events);
}

OpenedEvent TaskRuntime::open_event(StreamIndex stream, bool is_urgent) {
    const HostSlot slot = reserve(is_urgent);
    if (!slot.is_held()) {
        return {.refusal = Refusal::NoRoom};
    }
    return open_event(root_, stream, slot.index, is_urgent);
}

void TaskRuntime::close_event(EventId event) {
    close_event(root_, event);
}

// --- tasks ---

Refusal TaskRuntime::open_group(u32 parent) {
    TaskRecord& task = record_[parent];
    if (task.own_group != kNone) {
        return Refusal::None;
    }
    const u32 level = groups_[task.group].level;
    if (level + 1 >= levels_) {
        counters_.add(Figure::RefusedTooDeep);
        return Refusal::TooDeep;
    }
    const Want want{.level = level, .is_urgent = is_urgent(task.descriptor.priority)};
    const u32 group = group_pool_.take(want);
    if (group == kNone) {
        counters_.add(Figure::RefusedNoRoom);
        task.lack = Lack::Group;
        task.lack_want = want;
        return Refusal::NoRoom;
    }
    groups_.open(group, parent, level + 1);
    task.own_group = group;
    return Refusal::None;
}

Launched TaskRuntime::launch_from(u32 parent,
                                  u32 group,
                                  StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events) {
    const Launched launched = launch_into(group, stream, task, events);
    if (launched.refusal == Refusal::NoRoom) {
        record_[parent].lack = Lack::Task;
        record_[parent].lack_want = {.level = groups_[group].level,
                                     .is_urgent = is_urgent(task.priority)};
    }
    return launched;
}

Launched TaskRuntime::launch_into(u32 group,
                                  StreamIndex stream,
                                  const TaskDescriptor& task,
                                  const LaunchEvents& events) {
    ENSURE(group, !=, kNone);  // open_group() comes first
    note_stack();
    const u32 kept = record_for(events.signals, group);
    u32 record = kept;
    if (kept == kNone) {
        record =
            take_record({.level = groups_[group].level, .is_urgent = is_urgent(task.priority)});
        if (record == kNone) {
            return {.refusal = Refusal::NoRoom};
        }
    }
    const Launched launched = launch(record, group, stream, task, events);
    if (!launched.is_accepted() && kept == kNone) {
        release(record);
        wake_needy();
    }
    return launched;
}

// --- threads that work for a pending task ---

Launched TaskRuntime::launch(TaskId parent,
                             StreamIndex stream,
                             const TaskDescriptor& task,
                             const LaunchEvents& events) {
    return launch_into(record_[checked(parent)].own_group, stream, task, events);
}

OpenedEvent TaskRuntime::open_event(TaskId parent, StreamIndex stream) {
    const u32 group = record_[checked(parent)].own_group;
    ENSURE(group, !=, kNone);  // open_group() comes first
    const u32 record = take_record({.level = groups_[group].level, .is_urgent = false});
    return record == kNone ? OpenedEvent{.refusal = Refusal::NoRoom}
                           : open_event(group, stream, record, false);
}

void TaskRuntime::close_event(TaskId parent, EventId event) {
    close_event(record_[checked(parent)].own_group, event);
}

// --- all launches ---

// The caller owns the record, and keeps it if the launch is refused.
Launched TaskRuntime::launch(u32 record,
                             u32 group,
                             StreamIndex stream,
                             const TaskDescriptor& descriptor,
                             const LaunchEvents& events) {
    ENSURE(descriptor.program == nullptr, ==, false);
    ENSURE(descriptor.priority, <, priorities_);
    TaskRecord& task = record_[record];
    // Relaxed: the record is ours, so its generation stands still.
    const u32 generation = task.generation.load(std::memory_order_relaxed);
    task.descriptor = descriptor;
    task.phase = Phase::Running;
    task.group = group;
    task.queue = groups_.queue_of(stream);
    task.own_group = kNone;
    task.signals = events.signals;
    // Relaxed: entering the queue publishes it.
    task.blockers.store(1, std::memory_order_relaxed);
    task.link.begin(generation);
    const bool has_events = !events.waits_for.is_none() || !events.signals.is_none();
    Appended how{};
    if (!has_events) {
        how = enter_queue(record);
    } else if (!enter_with_events(record, events, how)) {
        counters_.add(Figure::RefusedWaits);
        return {.refusal = Refusal::WaitsForLater};
    }
    counters_.add(Figure::Launched);
    // A linked task may be complete by now, and its record reused.
    if (how != Appended::Linked) {
        counters_.add(how == Appended::First ? Figure::StartedFirst : Figure::StartedByMark);
        unblock(record);
    }
    return {.task = {.index = record, .generation = generation}};
}

Appended TaskRuntime::enter_queue(u32 record) {
    TaskRecord& task = record_[record];
    // Before the task can be complete. Relaxed: the caller is itself counted in the group or in a
    // task of it, so the counter is not zero and nothing is read through it.
    groups_[task.group].work.fetch_add(1, std::memory_order_relaxed);
    const QueueRef ref{.index = record,
                       .generation = task.generation.load(std::memory_order_relaxed)};
    return groups_.queue(task.group, task.queue).append(ref, link_of());
}

// --- events ---

// The record that the event keeps for the task that signals it; kNone without an event.
u32 TaskRuntime::record_for(EventId signals, u32 group) {
    if (signals.is_none()) {
        return kNone;
    }
    const std::scoped_lock lock(events_.mutex());
    ENSURE(events_.queue_of_open(signals, group), <, kMostQueues);
    return events_.record_of_open(signals);
}

bool TaskRuntime::enter_with_events(u32 record, const LaunchEvents& events, Appended& how) {
    TaskRecord& task = record_[record];
    const std::scoped_lock lock(events_.mutex());
    if (!events.waits_for.is_none()) {
        const Wait wait = events_.verdict(events.waits_for, task.group, task.queue);
        if (wait == Wait::Refused) {
            return false;
        }
        if (wait == Wait::Waits) {
            task.blockers.store(2, std::memory_order_relaxed);  // as in launch()
            events_.add_waiter(events.waits_for, record, task.queue);
        }
    }
    if (!events.signals.is_none()) {
        ENSURE(events_.queue_of_open(events.signals, task.group), ==, task.queue);
        events_.bind(events.signals);
    }
    how = enter_queue(record);
    return true;
}

OpenedEvent TaskRuntime::open_event_from(u32 parent, StreamIndex stream) {
    TaskRecord& task = record_[parent];
    ENSURE(task.own_group, !=, kNone);  // open_group() comes first
    const Want want{.level = groups_[task.own_group].level,
                    .is_urgent = is_urgent(task.descriptor.priority)};
    const u32 record = take_record(want);
    if (record == kNone) {
        task.lack = Lack::Task;
        task.lack_want = want;
        return {.refusal = Refusal::NoRoom};
    }
    const OpenedEvent opened = open_event(task.own_group, stream, record, want.is_urgent);
    if (!opened.is_open()) {
        task.lack = Lack::Event;
        task.lack_want = {.level = 0, .is_urgent = want.is_urgent};
    }
    return opened;
}

// The event takes the record; if no event is free, the record returns to the pool.
OpenedEvent TaskRuntime::open_event(u32 group, StreamIndex stream, u32 record, bool is_urgent) {
    // No level has events kept for it: see README.md.
    const u32 place = event_pool_.take({.level = 0, .is_urgent = is_urgent});
    if (place == kNone) {
        counters_.add(Figure::RefusedNoRoom);
        release(record);
        wake_needy();
        return {.refusal = Refusal::NoRoom};
    }
    // Relaxed: read when the parent is complete, after all that it or its children did.
    groups_[group].open_events.fetch_add(1, std::memory_order_relaxed);
    const std::scoped_lock lock(events_.mutex());
    return {.event = events_.open(place, group, groups_.queue_of(stream), record)};
}

void TaskRuntime::close_event(u32 group, EventId event) {
    u32 record = kNone;
    {
        const std::scoped_lock lock(events_.mutex());
        ENSURE(events_.queue_of_open(event, group), <, kMostQueues);
        ENSURE(events_.is_bound(event), ==, false);
        record = events_.record_of_open(event);
    }
    fire(event);
    release(record);
    wake_needy();
}

// The event happens: its signaller is complete, or it was closed.
void TaskRuntime::fire(EventId event) {
    u32 waiter = kNone;
    {
        const std::scoped_lock lock(events_.mutex());
        const u32 group = events_.group_of_open(event);
        groups_[group].open_events.fetch_sub(1, std::memory_order_relaxed);  // as in open_event()
        waiter = events_.fire(event);
    }
    event_pool_.give(event.index);
    while (waiter != kNone) {
        // Before the waiter can start, and wait for something else.
        const u32 next = events_.next_waiter(waiter);
        unblock(waiter);
        waiter = next;
    }
}

}  // namespace weft::task
