// task_counters.h — figures of the room, counted without contention between threads.
//
// Each thread adds to a shard of its own, without read-modify-writes; threads beyond the shards
// share the last one. A reader sums them. The sums are exact once nothing runs. Any thread:
// everything.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "scheduler/base/ids.h"

namespace weft::task {

enum class Figure : u32 {
    Launched,
    Completed,
    Calls,           // of programs
    StartedFirst,    // launched into an empty queue
    StartedByMark,   // by their launcher, which found their predecessor DONE
    StartedInTurn,   // by the completion of their predecessor
    Joins,           // calls that ended with Join
    PutAside,        // ... with PutAside
    Evicted,         // of these, after should_stop() had asked for it
    NeededRoom,      // calls that ended with NeedsRoom
    StopsAsked,      // requests to stop
    RefusedNoRoom,   // launches, groups, events
    RefusedTooDeep,  // groups
    RefusedWaits,    // launches that would wait for the event of a later task
};

struct TaskFigures {
    static constexpr u32 kFigures = 14;

    std::array<u64, kFigures> count{};
    u64 stack_bytes = 0;  // the deepest that a call or a completion reached below its run_one()

    [[nodiscard]] u64 operator[](Figure figure) const { return count[static_cast<u32>(figure)]; }
};

class TaskCounters {
public:
    TaskCounters() : shard_(std::make_unique<Shard[]>(kShards)) {}

    void add(Figure figure);
    void note_stack(u64 depth_bytes);
    [[nodiscard]] TaskFigures total() const;

private:
    static constexpr u32 kShards = 64;

    struct alignas(64) Shard {
        std::array<std::atomic<u64>, TaskFigures::kFigures> count{};
        std::atomic<u64> stack_bytes{0};
    };

    [[nodiscard]] Shard& own() const;

    std::unique_ptr<Shard[]> shard_;
};

}  // namespace weft::task
