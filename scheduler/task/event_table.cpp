#include "scheduler/task/event_table.h"

#include "scheduler/base/ensure.h"

namespace weft::task {

namespace {

constexpr u64 one(u32 queue) {
    return u64{1} << queue;
}

}  // namespace

EventTable::EventTable(u32 events, u32 tasks)
    : events_(events),
      entry_(std::make_unique<Entry[]>(events)),
      next_waiter_(std::make_unique<u32[]>(tasks)) {}

EventId EventTable::open(u32 place, u32 group, u32 queue, u32 record) {
    Entry& entry = entry_[place];
    ENSURE(entry.group, ==, kNone);
    const u32 generation = entry.generation;
    entry = {.generation = generation, .group = group, .queue = queue, .record = record};
    return {.index = place, .generation = generation};
}

bool EventTable::is_open(EventId event) const {
    return event.index < events_ && entry_[event.index].generation == event.generation;
}

Wait EventTable::verdict(EventId event, u32 group, u32 queue) const {
    if (!is_open(event)) {
        return Wait::Over;
    }
    const Entry& entry = entry_[event.index];
    ENSURE(entry.group, ==, group);
    if (entry.queue == queue) {
        return entry.is_bound ? Wait::Over : Wait::Refused;
    }
    return comes_back(group, entry.queue, queue) ? Wait::Refused : Wait::Waits;
}

bool EventTable::comes_back(u32 group, u32 from, u32 to) const {
    // The queues that `from` waits for, through as many waits as need be.
    u64 reached = one(from);
    for (u64 before = 0; before != reached;) {
        before = reached;
        for (u32 place = 0; place < events_; ++place) {
            const Entry& entry = entry_[place];
            if (entry.group == group && (entry.waiting & reached) != 0) {
                reached |= one(entry.queue);
            }
        }
    }
    // The last step.
    for (u32 place = 0; place < events_; ++place) {
        const Entry& entry = entry_[place];
        if (entry.group == group && entry.queue == to && (entry.waiting_early & reached) != 0) {
            return true;
        }
    }
    return false;
}

void EventTable::add_waiter(EventId event, u32 task, u32 queue) {
    ENSURE(is_open(event), ==, true);
    Entry& entry = entry_[event.index];
    entry.waiting |= one(queue);
    entry.waiting_early |= entry.is_bound ? 0 : one(queue);
    next_waiter_[task] = entry.first_waiter;
    entry.first_waiter = task;
}

void EventTable::bind(EventId event) {
    ENSURE(is_open(event), ==, true);
    ENSURE(entry_[event.index].is_bound, ==, false);
    entry_[event.index].is_bound = true;
}

u32 EventTable::fire(EventId event) {
    ENSURE(is_open(event), ==, true);
    Entry& entry = entry_[event.index];
    const u32 first = entry.first_waiter;
    entry = {.generation = entry.generation + 1};
    return first;
}

u32 EventTable::queue_of_open(EventId event, u32 group) const {
    ENSURE(is_open(event), ==, true);
    ENSURE(entry_[event.index].group, ==, group);
    return entry_[event.index].queue;
}

}  // namespace weft::task
