#include "scheduler/task/task_table.h"

#include "scheduler/base/ensure.h"

namespace weft::task {

TaskTable::TaskTable(const TableConfig& config)
    : config_(config), slot_(std::make_unique<Slot[]>(config.slots)), free_(config.slots) {
    ENSURE(config.urgent_slots, <, config.slots);
    for (u32 slot = 0; slot + 1 < config.slots; ++slot) {
        slot_[slot].next_free = slot + 1;
    }
}

u32 TaskTable::room(u32 priority) const {
    const u32 held_back = priority == config_.top_priority ? 0 : config_.urgent_slots;
    return free_ > held_back ? free_ - held_back : 0;
}

u32 TaskTable::occupy(u32 task, u32 priority) {
    ENSURE(room(priority), >, 0u);
    const u32 slot = free_head_;
    free_head_ = slot_[slot].next_free;
    --free_;
    slot_[slot] = {.task = task, .priority = priority, .turn = ++turn_};
    return slot;
}

bool TaskTable::vacate(u32 slot) {
    ENSURE(slot_[slot].task, !=, kNone);
    const bool was_asked = slot_[slot].is_asked;
    asked_ -= was_asked ? 1 : 0;
    slot_[slot] = {.next_free = free_head_};
    free_head_ = slot;
    ++free_;
    return was_asked;
}

u32 TaskTable::next_victim() const {
    u32 victim = kNone;
    for (u32 slot = 0; slot < config_.slots; ++slot) {
        const Slot& running = slot_[slot];
        if (running.task == kNone || running.is_asked) {
            continue;
        }
        if (victim == kNone || running.priority < slot_[victim].priority ||
            (running.priority == slot_[victim].priority && running.turn > slot_[victim].turn)) {
            victim = slot;
        }
    }
    return victim;
}

void TaskTable::ask(u32 slot) {
    ENSURE(slot_[slot].task, !=, kNone);
    ENSURE(slot_[slot].is_asked, ==, false);
    slot_[slot].is_asked = true;
    ++asked_;
}

}  // namespace weft::task
