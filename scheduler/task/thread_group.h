// thread_group.h — the context that a task opens for its children: queues and one counter (N6, N7).
//
// All groups and their queues exist from the start. A stream is an index; its queue is the index
// modulo the number of queues, so further streams share queues (N8), and tasks of one queue run in
// the order of launch. The counter counts launched tasks that are not complete, plus one for the
// parent until it returns Join or Done; the thread that brings it to zero continues the parent. The
// host's group has no parent, and its counter never falls to zero.
#pragma once

#include <atomic>
#include <memory>

#include "scheduler/base/ids.h"
#include "scheduler/task/stream_queue.h"
#include "scheduler/task/task.h"

namespace weft::task {

struct alignas(64) ThreadGroup {
    std::atomic<u64> work{0};
    std::atomic<u32> streams{0};      // created so far
    std::atomic<u32> open_events{0};  // neither happened nor closed
    u32 parent = kNone;               // record of the task that opened it
    u32 level = 0;                    // of the tasks launched into it
};

class ThreadGroups {
public:
    ThreadGroups(u32 groups, u32 queues)
        : queues_(queues),
          group_(std::make_unique<ThreadGroup[]>(groups)),
          queue_(std::make_unique<Padded[]>(std::size_t{groups} * queues)) {}

    [[nodiscard]] ThreadGroup& operator[](u32 group) { return group_[group]; }

    [[nodiscard]] const ThreadGroup& operator[](u32 group) const { return group_[group]; }

    [[nodiscard]] u32 queue_of(StreamIndex stream) const {
        return static_cast<u32>(stream) % queues_;
    }

    [[nodiscard]] StreamQueue& queue(u32 group, u32 queue) {
        return queue_[std::size_t{group} * queues_ + queue].queue;
    }

    // All queues are empty: the last user's tasks are complete.
    void open(u32 group, u32 parent, u32 level) {
        ThreadGroup& opened = group_[group];
        // Relaxed: no other thread knows the group before the first launch publishes it.
        opened.work.store(1, std::memory_order_relaxed);
        opened.streams.store(0, std::memory_order_relaxed);
        opened.parent = parent;
        opened.level = level;
    }

    // Any thread that may launch into the group. Streams need no destruction.
    [[nodiscard]] StreamIndex create_stream(u32 group) {
        // Relaxed: only that indices differ.
        return StreamIndex{group_[group].streams.fetch_add(1, std::memory_order_relaxed)};
    }

private:
    struct alignas(64) Padded {
        StreamQueue queue;
    };

    u32 queues_;
    std::unique_ptr<ThreadGroup[]> group_;
    std::unique_ptr<Padded[]> queue_;
};

}  // namespace weft::task
