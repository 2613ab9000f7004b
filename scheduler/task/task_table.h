// task_table.h — the work distribution unit's table: a fixed number of slots for running tasks, and
// the choice of the task to evict (N3).
//
// Pure: it decides, the runtime acts. A task holds its slot from the call of its program until the
// outcome of the call; a pending task until it is completed. The highest priority may use all
// slots, the others leave it some. Under the runtime's scheduling lock.
#pragma once

#include <memory>

#include "scheduler/base/ids.h"

namespace weft::task {

struct TableConfig {
    u32 slots = 1;
    u32 urgent_slots = 0;  // of those, for the highest priority alone
    u32 top_priority = 0;  // the highest there is
};

class TaskTable {
public:
    explicit TaskTable(const TableConfig& config);

    // Free slots that a task of this priority may use.
    [[nodiscard]] u32 room(u32 priority) const;
    // Needs room. Returns the slot.
    [[nodiscard]] u32 occupy(u32 task, u32 priority);
    // Returns whether the task had been asked to stop.
    bool vacate(u32 slot);

    // The slot of the running task to ask next, or kNone: of tasks not yet asked the one of lowest
    // priority, among equals the one that started last, since it loses the least.
    [[nodiscard]] u32 next_victim() const;
    void ask(u32 slot);

    [[nodiscard]] u32 task_in(u32 slot) const { return slot_[slot].task; }

    [[nodiscard]] u32 priority_in(u32 slot) const { return slot_[slot].priority; }

    // Running tasks that have been asked to stop, and have not yet.
    [[nodiscard]] u32 asked() const { return asked_; }

private:
    struct Slot {
        u32 task = kNone;  // kNone: free
        u32 priority = 0;
        u64 turn = 0;  // rises with every task put into a slot
        u32 next_free = kNone;
        bool is_asked = false;
    };

    TableConfig config_;
    std::unique_ptr<Slot[]> slot_;
    u32 free_ = 0;
    u32 free_head_ = 0;
    u32 asked_ = 0;
    u64 turn_ = 0;
};

}  // namespace weft::task
