// task_completion.cpp — the end of a call, and the completion of a task and of the tasks above it.
//
// A loop instead of a recursion: a thousand parents that wait for one child complete in the same
// few bytes of stack.
#include "scheduler/base/ensure.h"
#include "scheduler/task/task_runtime.h"

namespace weft::task {

// The call is over and its outcome known.
void TaskRuntime::settle(u32 record, Outcome outcome) {
    TaskRecord& task = record_[record];
    const bool was_asked = vacate(record);
    switch (outcome) {
        case Outcome::Done:
            if (task.own_group != kNone) {
                task.phase = Phase::Finished;
                record = leave_group(task.own_group);
            }
            finish(record);
            return;
        case Outcome::Join:
            ENSURE(task.own_group, !=, kNone);
            counters_.add(Figure::Joins);
            task.phase = Phase::Joining;
            ENSURE(leave_group(task.own_group), ==, kNone);
            return;
        case Outcome::PutAside:
            counters_.add(Figure::PutAside);
            if (was_asked) {
                counters_.add(Figure::Evicted);
            }
            // An evicted task has not had its turn, so it is the next of its equals.
            accept(record, was_asked ? Insertion::Head : Insertion::Tail);
            return;
        case Outcome::NeedsRoom:
            counters_.add(Figure::NeededRoom);
            wait_for_room(record);
            return;
        case Outcome::Pending:
            break;
    }
    UNREACHABLE("a settled call is not pending");
}

// The task and everything that it launched have ended; kNone: no task has.
void TaskRuntime::finish(u32 record) {
    while (record != kNone) {
        note_stack();
        TaskRecord& task = record_[record];
        const u32 group = task.group;
        if (task.own_group != kNone) {
            // Relaxed: the parent opened them itself, or its children, which are complete.
            ENSURE(groups_[task.own_group].open_events.load(std::memory_order_relaxed), ==, 0u);
            group_pool_.give(task.own_group);
            task.own_group = kNone;
        }
        if (!task.signals.is_none()) {
            fire(task.signals);
        }
        // Relaxed: only release() changes it, below.
        const QueueRef ref{.index = record,
                           .generation = task.generation.load(std::memory_order_relaxed)};
        const u32 successor = groups_.queue(group, task.queue).remove(ref, link_of());
        if (successor != kNone) {
            counters_.add(Figure::StartedInTurn);
            unblock(successor);
        }
        counters_.add(Figure::Completed);
        release(record);
        wake_needy();
        // After the queue, although N10 names the counter first: this may free the group, and then
        // its queues must not be touched. A successor keeps the counter above zero in between, so
        // the order makes no other difference.
        record = leave_group(group);
    }
}

// Lowers the group's counter. Returns the parent if this completes it.
u32 TaskRuntime::leave_group(u32 group) {
    // Release: the parent sees this task's writes (N12). Acquire: the last decrement sees all
    // tasks' writes; additions in between are read-modify-writes and continue the release sequence.
    if (groups_[group].work.fetch_sub(1, std::memory_order_acq_rel) != 1) {
        return kNone;
    }
    const u32 parent = groups_[group].parent;
    if (record_[parent].phase == Phase::Finished) {
        return parent;
    }
    resume(parent);
    return kNone;
}

// Everything that the parent launched is complete, and the parent waits in Join.
void TaskRuntime::resume(u32 parent) {
    TaskRecord& task = record_[parent];
    task.phase = Phase::Running;
    // Relaxed: no task is left in the group that could launch; accept() publishes it.
    groups_[task.own_group].work.store(1, std::memory_order_relaxed);
    accept(parent, task.descriptor.insertion);
}

void TaskRuntime::release(u32 record) {
    TaskRecord& task = record_[record];
    // Release pairs with the acquire in is_complete(). An addition is not needed: one thread
    // completes a task.
    task.generation.store(task.generation.load(std::memory_order_relaxed) + 1,
                          std::memory_order_release);
    if (task.is_host_slot) {
        task.is_host_slot = false;
        // Relaxed: only the number counts.
        host_free_.fetch_add(1, std::memory_order_relaxed);
    }
    task_pool_.give(record);
}

bool TaskRuntime::has_room(Lack lack, Want want) const {
    switch (lack) {
        case Lack::Nothing:
            return true;
        case Lack::Task:
            return task_pool_.has_room(want);
        case Lack::Group:
            return group_pool_.has_room(want);
        case Lack::Event:
            return event_pool_.has_room(want);
    }
    UNREACHABLE("every pool is listed");
}

void TaskRuntime::wait_for_room(u32 record) {
    // From here on another thread may wake the task and run it.
    const Lack lack = record_[record].lack;
    const Want want = record_[record].lack_want;
    u32 newest = needy_.load(std::memory_order_relaxed);  // the exchange below checks it
    do {
        record_[record].next_in_need = newest;
        // Release pairs with the acquire in wake_needy(). Sequentially consistent: before the look
        // at the pool, as a giver gives before it looks here. One of the two sees the other.
    } while (!needy_.compare_exchange_weak(
        newest, record, std::memory_order_seq_cst, std::memory_order_relaxed));
    if (has_room(lack, want)) {
        wake_needy();
    }
}

// Call after a place returned to a pool.
void TaskRuntime::wake_needy() {
    // Sequentially consistent: see wait_for_room().
    if (needy_.load(std::memory_order_seq_cst) == kNone) {
        return;
    }
    u32 record = needy_.exchange(kNone, std::memory_order_acquire);
    while (record != kNone) {
        const u32 next = record_[record].next_in_need;
        accept(record, record_[record].descriptor.insertion);
        record = next;
    }
}

}  // namespace weft::task
