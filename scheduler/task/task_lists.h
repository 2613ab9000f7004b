// task_lists.h — the task management unit: one list of waiting tasks per priority (N2).
//
// Accepting is decoupled from scheduling. Any thread accepts, lock-free, into an inbox per
// priority. The scheduling thread moves inboxes into the lists and takes from the head of the
// highest priority. A task that returns at the tail lets its equals run first.
//
// Any thread: accept, has_accepted_above. One thread at a time (the runtime's scheduling lock):
// everything else. Knows tasks by number alone.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "scheduler/base/ids.h"
#include "scheduler/task/task.h"

namespace weft::task {

inline constexpr u32 kMostPriorities = 16;

class TaskLists {
public:
    TaskLists(u32 tasks, u32 priorities);

    // The task is in no list. Costs a compare-and-swap.
    void accept(u32 task, u32 priority, Insertion insertion);
    // Some task of a priority above that has been accepted and not yet collected.
    [[nodiscard]] bool has_accepted_above(u32 priority) const;

    // Moves what was accepted into the lists, in the order of acceptance.
    void collect();
    // Collected tasks of this and of higher priorities.
    [[nodiscard]] u32 waiting_from(u32 priority) const;
    // The highest priority with a collected task, or kNone.
    [[nodiscard]] u32 highest() const;
    // The head of a list that is not empty.
    [[nodiscard]] u32 pop(u32 priority);

private:
    struct List {
        u32 head = kNone;
        u32 tail = kNone;
        u32 size = 0;
    };

    struct alignas(64) Inbox {
        std::atomic<u32> newest{kNone};
    };

    void insert(u32 priority, u32 task);

    u32 priorities_;
    std::unique_ptr<u32[]> next_;             // of a task, in its inbox or list
    std::unique_ptr<Insertion[]> insertion_;  // of a task, while in its inbox
    std::array<Inbox, kMostPriorities> inbox_;
    std::array<List, kMostPriorities> list_{};
};

}  // namespace weft::task
