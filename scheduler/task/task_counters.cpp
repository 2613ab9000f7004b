#include "scheduler/task/task_counters.h"

#include <algorithm>

namespace weft::task {

namespace {

std::atomic<u32> threads_seen = 0;
thread_local u32 own_number = kNone;

// In the order in which threads first count something. Relaxed: only that numbers differ.
u32 number_of_thread() {
    if (own_number == kNone) {
        own_number = threads_seen.fetch_add(1, std::memory_order_relaxed);
    }
    return own_number;
}

}  // namespace

TaskCounters::Shard& TaskCounters::own() const {
    return shard_[std::min(number_of_thread(), kShards - 1)];
}

// Relaxed throughout: figures order nothing.
void TaskCounters::add(Figure figure) {
    std::atomic<u64>& count = own().count[static_cast<u32>(figure)];
    if (number_of_thread() < kShards - 1) {
        // No other thread writes here.
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
        count.fetch_add(1, std::memory_order_relaxed);
    }
}

void TaskCounters::note_stack(u64 depth_bytes) {
    std::atomic<u64>& deepest = own().stack_bytes;
    u64 before = deepest.load(std::memory_order_relaxed);
    while (before < depth_bytes &&
           !deepest.compare_exchange_weak(before, depth_bytes, std::memory_order_relaxed)) {
    }
}

TaskFigures TaskCounters::total() const {
    TaskFigures sum;
    for (u32 shard = 0; shard < kShards; ++shard) {
        for (u32 figure = 0; figure < TaskFigures::kFigures; ++figure) {
            sum.count[figure] += shard_[shard].count[figure].load(std::memory_order_relaxed);
        }
        sum.stack_bytes =
            std::max(sum.stack_bytes, shard_[shard].stack_bytes.load(std::memory_order_relaxed));
    }
    return sum;
}

}  // namespace weft::task
