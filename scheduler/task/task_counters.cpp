#include "scheduler/task/task_counters.h"

#include <algorithm>

namespace weft::task {

namespace {

std::atomic<u32> threads_seen = 0;

}  // namespace

TaskCounters::Shard& TaskCounters::own() const {
    // Relaxed: only that numbers differ.
    thread_local const u32 number = threads_seen.fetch_add(1, std::memory_order_relaxed);
    return shard_[number % kShards];
}

// Relaxed throughout: figures order nothing.
void TaskCounters::add(Figure figure) {
    own().count[static_cast<u32>(figure)].fetch_add(1, std::memory_order_relaxed);
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
