#include "scheduler/task/task_lists.h"

#include "scheduler/base/ensure.h"

namespace weft::task {

TaskLists::TaskLists(u32 tasks, u32 priorities)
    : priorities_(priorities),
      next_(std::make_unique<u32[]>(tasks)),
      insertion_(std::make_unique<Insertion[]>(tasks)) {
    ENSURE(priorities, >=, 1u);
    ENSURE(priorities, <=, kMostPriorities);
}

void TaskLists::accept(u32 task, u32 priority, Insertion insertion) {
    std::atomic<u32>& newest = inbox_[priority].newest;
    insertion_[task] = insertion;
    // Relaxed: only the number goes into the next value. If the same task was taken out and put in
    // again in between, it is the newest again, which is correct.
    u32 former = newest.load(std::memory_order_relaxed);
    do {
        next_[task] = former;
        // Release pairs with the acquire in collect(): the record and its place here are filled.
    } while (!newest.compare_exchange_weak(
        former, task, std::memory_order_release, std::memory_order_relaxed));
}

bool TaskLists::has_accepted_above(u32 priority) const {
    for (u32 above = priority + 1; above < priorities_; ++above) {
        // Relaxed: a hint; collect() acquires.
        if (inbox_[above].newest.load(std::memory_order_relaxed) != kNone) {
            return true;
        }
    }
    return false;
}

void TaskLists::collect() {
    for (u32 priority = 0; priority < priorities_; ++priority) {
        std::atomic<u32>& newest = inbox_[priority].newest;
        // Relaxed: an inbox seen too early as empty is collected next time.
        if (newest.load(std::memory_order_relaxed) == kNone) {
            continue;
        }
        // Acquire pairs with the release of every accept() since the last collection: each was a
        // read-modify-write, so all are in one release sequence.
        u32 task = newest.exchange(kNone, std::memory_order_acquire);
        // The inbox has the newest first: reverse it.
        u32 oldest = kNone;
        while (task != kNone) {
            const u32 older = next_[task];
            next_[task] = oldest;
            oldest = task;
            task = older;
        }
        while (oldest != kNone) {
            const u32 younger = next_[oldest];
            insert(priority, oldest);
            oldest = younger;
        }
    }
}

void TaskLists::insert(u32 priority, u32 task) {
    List& list = list_[priority];
    ++list.size;
    if (list.head == kNone) {
        next_[task] = kNone;
        list.head = list.tail = task;
    } else if (insertion_[task] == Insertion::Head) {
        next_[task] = list.head;
        list.head = task;
    } else {
        next_[task] = kNone;
        next_[list.tail] = task;
        list.tail = task;
    }
}

u32 TaskLists::waiting_from(u32 priority) const {
    u32 waiting = 0;
    for (; priority < priorities_; ++priority) {
        waiting += list_[priority].size;
    }
    return waiting;
}

u32 TaskLists::highest() const {
    for (u32 priority = priorities_; priority-- > 0;) {
        if (list_[priority].size > 0) {
            return priority;
        }
    }
    return kNone;
}

u32 TaskLists::pop(u32 priority) {
    List& list = list_[priority];
    ENSURE(list.size, >, 0u);
    const u32 task = list.head;
    list.head = next_[task];
    --list.size;
    return task;
}

}  // namespace weft::task
