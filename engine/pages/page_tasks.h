// page_tasks.h — what happens to pages, as tasks in the streams of the pages (mechanism N).
//
// A page's stream orders everything that needs its rows, so that nobody else has to:
//
//     load ──▶ walk ──▶ walk ──▶ evict ──▶ load ──▶ ...
//      │        │ pending until the packet      │ waits for the event
//      │ reads  │ of each reader that asked     │ that no reader is left inside
//               │ has left the page
//
// The thread that finds a page absent launches its tasks itself, for a task that has been pending
// since the store was made: the host submits nothing while rays run (N4, N13). Reading threads are
// the workers. Streams of all pages share a few hundred queues (N8). A task waits for tasks
// launched before it alone, and a reader that waits for a page keeps no other page that is near
// (PageStore::end_near_walks), or ends its walk there first: so no wait leads in a circle.
//
// Under the store's lock: launches, ends of walks, events. Any thread: everything else.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "scheduler/task/task_runtime.h"

namespace weft::pages {

struct PageTaskConfig {
    u64 page_count = 0;
    u32 loads = 16;  // most launched at once
    u32 walks = 32;  // most open at once
    // On a reading thread, under no lock. False: the load is under way, and end_load() follows.
    std::function<bool(u32 page)> load;
    // `turn`: which eviction of the page it is.
    std::function<void(u32 page, u32 turn)> evict;
};

class PageTasks {
public:
    explicit PageTasks(const PageTaskConfig& config);
    PageTasks(const PageTasks&) = delete;
    PageTasks& operator=(const PageTasks&) = delete;

    // Each is false where there is no room: ask again when another task has ended.
    [[nodiscard]] bool launch_load(u32 page);
    // Any thread: ends a load that is under way, or about to be.
    void end_load(u32 page);
    // The page's walk must not be open.
    [[nodiscard]] bool begin_walk(u32 page);
    void end_walk(u32 page);
    // It waits for the event that end_wait() makes happen.
    [[nodiscard]] bool launch_evict(u32 page, u32 turn, task::EventId& left);
    void end_wait(u32 page, task::EventId left);

    // --- reading threads ---
    // Runs one task; false: none may run now.
    [[nodiscard]] bool run_one() { return runtime_->run_one(); }

    // Take the number of rings before looking for a task; await() then returns at once if one has
    // become runnable since.
    [[nodiscard]] u32 rings() const { return rings_.load(); }

    void await(u32 rings) const { rings_.wait(rings); }

    // Wakes all.
    void wake();

    [[nodiscard]] task::TaskFigures figures() const { return runtime_->figures(); }

private:
    // The walk of a page. It may be over before its task has its turn; a walk that begins before
    // that takes the task over.
    //
    //     Free ─begin_walk()─▶ Launched ─program─▶ Begun ─end_walk()─▶ Free, task completed
    //      ▲     begin_walk() ─▲    │
    //      │                   │    └─end_walk()─┐
    //      │                   └─────────────────┤
    //      └────────────program──────────────── Ended
    enum class Step : u32 { Free, Launched, Begun, Ended };

    struct Walk {
        std::atomic<Step> step{Step::Free};
        task::TaskId task;  // written before Begun
    };

    // Where the tasks of a page are launched.
    struct Place {
        task::TaskId root;
        task::StreamIndex stream{};
    };

    [[nodiscard]] Place place_of(u32 page) const;
    static task::Outcome run_root(task::TaskContext& task, void* tasks);
    static task::Outcome run_load(task::TaskContext& task, void* tasks);
    static task::Outcome run_walk(task::TaskContext& task, void* tasks);
    static task::Outcome run_evict(task::TaskContext& task, void* tasks);

    PageTaskConfig config_;
    std::atomic<u32> rings_{0};
    std::unique_ptr<Walk[]> walks_;          // by page
    std::unique_ptr<task::TaskId[]> loads_;  // by page: the latest, written before load()
    std::vector<task::TaskId> roots_;
    std::unique_ptr<task::TaskRuntime> runtime_;
};

}  // namespace weft::pages
