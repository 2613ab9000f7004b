#include "engine/pages/page_tasks.h"

#include <array>

#include "scheduler/base/ensure.h"
#include "scheduler/task/task_context.h"

namespace weft::pages {

namespace {

using task::Outcome;

// Groups of 64 queues. The last queue of each is that of the events, which no launch signals: a
// wait for one is never refused (N8).
constexpr u32 kRoots = 8;
constexpr u32 kPageQueues = task::kMostQueues - 1;
constexpr task::StreamIndex kEventStream{kPageQueues};

// Each keeps two records: of its task and of its event.
constexpr u32 kMostEvictions = 256;

// For walks that are over and have not had their turn, and for records that come back a little
// later than their tasks are counted as over.
constexpr u32 kSpareRecords = 256;

// From low to high: what gives memory back first.
enum Priority : u32 { kLoad, kWalk, kEvict, kPriorities };

task::TaskConfig task_config(const PageTaskConfig& pages) {
    task::TaskConfig config;
    config.slots = kRoots + pages.walks + pages.loads + kSpareRecords;
    config.tasks = kRoots + pages.walks + pages.loads + 2 * kMostEvictions + kSpareRecords;
    config.levels = 2;
    config.groups = kRoots;
    config.queues = task::kMostQueues;
    config.events = kMostEvictions;
    config.priorities = kPriorities;
    config.host_slots = kRoots;
    config.urgent_tasks = 0;
    config.urgent_groups = 0;
    config.urgent_events = 0;
    config.urgent_slots = 0;
    return config;
}

}  // namespace

PageTasks::PageTasks(const PageTaskConfig& config)
    : config_(config),
      walks_(std::make_unique<Walk[]>(config.page_count)),
      loads_(std::make_unique<task::TaskId[]>(config.page_count)) {
    task::TaskConfig sizes = task_config(config);
    sizes.on_ready = [](void* self) {
        auto& tasks = *static_cast<PageTasks*>(self);
        // Seq_cst, as all operations on rings: pairs with the load in rings(). Whoever reads the
        // new number finds the task.
        tasks.rings_.fetch_add(1);
        tasks.rings_.notify_one();
    };
    sizes.on_ready_context = this;
    runtime_ = std::make_unique<task::TaskRuntime>(sizes);
    // Open the groups once; their tasks stay pending.
    for (u32 root = 0; root < kRoots; ++root) {
        const task::TaskDescriptor descriptor{.program = run_root, .context = this};
        const task::Launched launched = runtime_->submit(runtime_->create_stream(), descriptor);
        ENSURE(launched.is_accepted(), ==, true);
        ENSURE(runtime_->run_one(), ==, true);
        roots_.push_back(launched.task);
    }
}

PageTasks::Place PageTasks::place_of(u32 page) const {
    const u32 stream = page % (kRoots * kPageQueues);
    return {roots_[stream % kRoots], task::StreamIndex{stream / kRoots}};
}

bool PageTasks::launch_load(u32 page) {
    const Place place = place_of(page);
    const task::TaskDescriptor load{
        .program = run_load, .context = this, .arguments = {page}, .priority = kLoad};
    return runtime_->launch(place.root, place.stream, load).is_accepted();
}

void PageTasks::end_load(u32 page) {
    runtime_->complete(loads_[page]);
}

bool PageTasks::begin_walk(u32 page) {
    Walk& walk = walks_[page];
    // Seq_cst, as all operations on steps. A task that has not had its turn serves again.
    Step ended = Step::Ended;
    if (walk.step.compare_exchange_strong(ended, Step::Launched)) {
        return true;
    }
    ENSURE(ended == Step::Free, ==, true);
    walk.step.store(Step::Launched);
    const Place place = place_of(page);
    const task::TaskDescriptor descriptor{
        .program = run_walk, .context = this, .arguments = {page}, .priority = kWalk};
    if (!runtime_->launch(place.root, place.stream, descriptor).is_accepted()) {
        walk.step.store(Step::Free);
        return false;
    }
    return true;
}

void PageTasks::end_walk(u32 page) {
    Walk& walk = walks_[page];
    if (walk.step.exchange(Step::Ended) == Step::Begun) {
        const task::TaskId task = walk.task;
        walk.step.store(Step::Free);
        runtime_->complete(task);
    }
}

bool PageTasks::launch_evict(u32 page, u32 turn, task::EventId& left) {
    const Place place = place_of(page);
    const task::OpenedEvent opened = runtime_->open_event(place.root, kEventStream);
    if (!opened.is_open()) {
        return false;
    }
    const task::TaskDescriptor evict{
        .program = run_evict, .context = this, .arguments = {page, turn}, .priority = kEvict};
    const task::Launched launched =
        runtime_->launch(place.root, place.stream, evict, {.waits_for = opened.event});
    if (!launched.is_accepted()) {
        runtime_->close_event(place.root, opened.event);
        return false;
    }
    left = opened.event;
    return true;
}

void PageTasks::end_wait(u32 page, task::EventId left) {
    runtime_->close_event(place_of(page).root, left);
}

void PageTasks::wake() {
    rings_.fetch_add(1);
    rings_.notify_all();
}

// --- programs ---

Outcome PageTasks::run_root(task::TaskContext& task, void*) {
    ENSURE(task.open_group() == task::Refusal::None, ==, true);
    return Outcome::Pending;
}

Outcome PageTasks::run_load(task::TaskContext& task, void* self) {
    auto& tasks = *static_cast<PageTasks*>(self);
    const auto page = static_cast<u32>(task.arguments()[0]);
    tasks.loads_[page] = task.id();
    return tasks.config_.load(page) ? Outcome::Done : Outcome::Pending;
}

Outcome PageTasks::run_walk(task::TaskContext& task, void* tasks) {
    Walk& walk = static_cast<PageTasks*>(tasks)->walks_[task.arguments()[0]];
    walk.task = task.id();
    for (;;) {
        Step launched = Step::Launched;
        if (walk.step.compare_exchange_strong(launched, Step::Begun)) {
            return Outcome::Pending;
        }
        Step ended = Step::Ended;
        if (walk.step.compare_exchange_strong(ended, Step::Free)) {
            return Outcome::Done;
        }
    }
}

Outcome PageTasks::run_evict(task::TaskContext& task, void* tasks) {
    const std::array<u64, 6>& of = task.arguments();
    static_cast<PageTasks*>(tasks)->config_.evict(static_cast<u32>(of[0]), static_cast<u32>(of[1]));
    return Outcome::Done;
}

}  // namespace weft::pages
