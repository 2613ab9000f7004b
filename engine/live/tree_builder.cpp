#include "engine/live/tree_builder.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include "scheduler/base/ensure.h"
#include "scheduler/base/trace_log.h"

namespace weft::live {

namespace {

// The niceness that cancelling adds: a tenth of a processor beside a thread that renders, so that
// the build ends in finite time even on a busy machine.
constexpr int kGivesWay = 10;

// Where the system refuses, the build keeps its priority.
void give_way(pid_t thread) {
    const auto id = static_cast<id_t>(thread);
    static_cast<void>(
        setpriority(PRIO_PROCESS, id, std::min(getpriority(PRIO_PROCESS, id) + kGivesWay, 19)));
}

}  // namespace

struct TreeBuilder::Build {
    std::atomic<bool> is_wanted{true};  // relaxed: only says when to stop
    std::atomic<bool> is_done{false};   // release by the building thread: `made` is there
    std::optional<base::Result<frame::PreparedScene>> made;

    std::mutex mutex;  // guards threads and is_giving_way
    std::vector<pid_t> threads;
    bool is_giving_way = false;

    std::jthread thread;  // the last member: joined before the rest goes

    void run(const TreeOrder& order, const std::function<void()>& on_done);
    void enlist();
    void leave();
    void give_way_all();
};

// Each thread of the build enters when it begins and leaves before it ends: afterwards another
// thread may get its number.
void TreeBuilder::Build::enlist() {
    const std::lock_guard lock(mutex);
    threads.push_back(gettid());
    if (is_giving_way) {
        give_way(threads.back());
    }
}

void TreeBuilder::Build::leave() {
    const std::lock_guard lock(mutex);
    std::erase(threads, gettid());
}

void TreeBuilder::Build::give_way_all() {
    const std::lock_guard lock(mutex);
    if (!std::exchange(is_giving_way, true)) {
        std::for_each(threads.begin(), threads.end(), give_way);
    }
}

// All slots of the arena are reserved for the build's own threads, so that none of oneTBB's joins
// them; threads that wait for the group run its tasks.
void TreeBuilder::Build::run(const TreeOrder& order, const std::function<void()>& on_done) {
    enlist();
    base::name_traced_thread("tree builder");
    const u32 count = std::max(1U, order.settings.thread_count);
    tbb::task_arena arena(static_cast<int>(count), count);
    tbb::task_group group;
    std::vector<std::jthread> others;
    arena.execute([&] {
        group.run([&] {
            made.emplace(frame::prepare_scene(
                {.scene = order.former.scene,
                 .settings = &order.settings,
                 .hidden = order.hidden,
                 .maybe_former = &order.former,
                 .effect = scene::kEffectNone,
                 .should_stop = [this] { return !is_wanted.load(std::memory_order_relaxed); }}));
        });
        for (u32 k = 1; k < count; ++k) {
            others.emplace_back([this, &arena, &group] {
                enlist();
                arena.execute([&group] { group.wait(); });
                leave();
            });
        }
        group.wait();
    });
    others.clear();  // joins
    leave();
    is_done.store(true, std::memory_order_release);
    on_done();
}

TreeBuilder::TreeBuilder() = default;

TreeBuilder::~TreeBuilder() {
    if (build_) {
        build_->is_wanted.store(false, std::memory_order_relaxed);
    }
}

void TreeBuilder::begin(TreeOrder order, std::function<void()> on_done) {
    ENSURE(is_busy(), ==, false);
    build_ = std::make_unique<Build>();
    build_->thread = std::jthread([build = build_.get(),
                                   order = std::move(order),
                                   on_done = std::move(on_done)] { build->run(order, on_done); });
}

bool TreeBuilder::is_busy() const {
    return build_ && !build_->is_done.load(std::memory_order_acquire);
}

void TreeBuilder::give_up() {
    if (is_busy()) {
        build_->give_way_all();
        build_->is_wanted.store(false, std::memory_order_relaxed);
    }
}

base::Result<frame::PreparedScene> TreeBuilder::take() {
    ENSURE(build_ && build_->made && !is_busy(), ==, true);
    base::Result<frame::PreparedScene> made = std::move(*build_->made);
    build_ = nullptr;
    return made;
}

}  // namespace weft::live
