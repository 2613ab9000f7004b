// event_table.h — events between the streams of one group, and the refusal of endless waits (N8).
//
// An event is opened for a stream; a task launched into that stream later signals it. A launch may
// wait for the event before or after that launch. If streams share a queue, a task could wait for
// one behind it in the queue: such a launch is refused, even if the wait leads through other
// queues:
//
//     Refused, if the task, in queue a, waits for an event of queue b, and
//       - b is a, and nothing has been launched that signals it, or
//       - from b, following the waits of tasks not started (queue of the waiter -> queue of the
//         event), one comes to a by a last step that was taken before its signaller was launched.
//
// Why this suffices: tasks wait for tasks launched before them, by order or by event, except for a
// wait that was accepted before its signaller was launched. In a cycle of waits, take the latest
// launch with a wait: the task that leads back to it is behind it in its queue or is signalled by
// it, so the last step is such an early wait, and all steps are in the table by then. Positions
// within a queue are ignored, so a few harmless launches are refused, too.
//
// A mutex guards everything. Launches that name events hold it while they enter their queue, so
// that the table knows their order. Launches and completions without events never take it.
#pragma once

#include <memory>
#include <mutex>

#include "scheduler/base/ids.h"
#include "scheduler/task/task.h"

namespace weft::task {

inline constexpr u32 kMostQueues = 64;  // of a group: sets of queues are words

// The verdict on a launch that waits for an event.
enum class Wait : u32 {
    Over,     // the event has happened, or its signaller is ahead in the same queue
    Waits,    // add the task as a waiter
    Refused,  // the task would wait for a task behind it
};

class EventTable {
public:
    EventTable(u32 events, u32 tasks);

    // Hold this lock for all calls below.
    [[nodiscard]] std::mutex& mutex() const { return mutex_; }

    // `place`: a free one of the pool of events; `record`: kept for the task that will signal it.
    [[nodiscard]] EventId open(u32 place, u32 group, u32 queue, u32 record);
    [[nodiscard]] Wait verdict(EventId event, u32 group, u32 queue) const;
    // The verdict was Waits.
    void add_waiter(EventId event, u32 task, u32 queue);
    // A task that signals the event enters its queue.
    void bind(EventId event);
    // The event happens: returns its first waiter, or kNone; next_waiter() gives the others. The
    // place may be freed afterwards.
    [[nodiscard]] u32 fire(EventId event);

    [[nodiscard]] u32 next_waiter(u32 task) const { return next_waiter_[task]; }

    // Ends the program if the event has happened or belongs to another group.
    [[nodiscard]] u32 queue_of_open(EventId event, u32 group) const;

    [[nodiscard]] u32 record_of_open(EventId event) const { return entry_[event.index].record; }

    [[nodiscard]] u32 group_of_open(EventId event) const { return entry_[event.index].group; }

    [[nodiscard]] bool is_bound(EventId event) const { return entry_[event.index].is_bound; }

private:
    struct Entry {
        u32 generation = 1;
        u32 group = kNone;  // kNone: the place is free
        u32 queue = 0;
        u32 record = kNone;
        u32 first_waiter = kNone;
        bool is_bound = false;
        u64 waiting = 0;        // queues with a task that waits for it
        u64 waiting_early = 0;  // those of which one was launched before its signaller
    };

    [[nodiscard]] bool is_open(EventId event) const;
    [[nodiscard]] bool comes_back(u32 group, u32 from, u32 to) const;

    u32 events_;
    std::unique_ptr<Entry[]> entry_;
    std::unique_ptr<u32[]> next_waiter_;  // of a task
    mutable std::mutex mutex_;
};

}  // namespace weft::task
