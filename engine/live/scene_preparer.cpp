#include "engine/live/scene_preparer.h"

#include <utility>

#include "scheduler/base/clock.h"

namespace weft::live {

namespace {

// No tree is built for a frame while its first picture is younger: during a drag the next job comes
// soon, and a build that has begun is slow to stop.
constexpr std::chrono::milliseconds kSettling(200);
// Above this the tree of a first picture is built fast, and again for the frame.
constexpr u64 kManyTriangles = 100000;
// Above this the tree of a first picture is patched from the tree before, where that is possible.
constexpr u64 kPatchedTriangles = 20000;

// Refers to both arguments.
TreesInUse trees_in_use(const frame::PreparedScene& prepared, const LiveFrame* maybe_aside) {
    return {
        .current = prepared.acceleration,
        .scene = *prepared.scene,
        .maybe_aside = maybe_aside ? maybe_aside->renderer->scene().acceleration.get() : nullptr};
}

}  // namespace

bool ScenePreparer::prepare(const LiveJob& job, u64 number) {
    board_.update([](LiveStatus& status) { status.state = LiveState::Preparing; });
    const auto begin = base::Clock::now();
    reserve_.set_memory_limit(job.settings.memory_limit_bytes);
    unprepared_effect_ |= job.effect;

    // Choose the quickest tree that this job may have.
    frame::RenderSettings quick = job.settings;
    const u64 triangles = scene::scene_size(*job.scene).triangles;
    // Pages are written once: a quick tree's would be as many again.
    const bool has_pages = job.settings.geometry_memory_bytes != 0;
    quick.has_fine_tree = quick.has_fine_tree && (has_pages || triangles < kManyTriangles);
    base::Result<frame::PreparedScene> made =
        frame::prepare_scene({.scene = job.scene,
                              .settings = &quick,
                              .hidden = job.hidden,
                              .maybe_former = prepared_ ? &*prepared_ : nullptr,
                              .effect = unprepared_effect_,
                              .may_patch = triangles >= kPatchedTriangles,
                              .maybe_reserve = reserve_.largest(),
                              .pool = reserve_.pool(),
                              .should_stop = [this] { return queue_.is_closing(); }});
    if (!made.is_ok()) {
        board_.fail(made.error());
        return false;
    }

    // Take it over, and keep its tree for later edits.
    prepared_ = std::move(made.value());
    unprepared_effect_ = 0;
    reserve_.keep(trees_in_use(*prepared_, frames_.aside().get()));
    aim_at(job);
    board_.update([&](LiveStatus& status) {
        status.prepare_ms = base::seconds_since(begin) * 1e3;
        status.prepared_job = number;
        status.samples_done = 0;
        status.samples_wanted = job.settings.samples_per_pixel;
        const bool is_patched = prepared_->has_new_tree && prepared_->acceleration->is_patched;
        status.counters.kept_tables += prepared_->has_new_tables ? 0U : 1U;
        status.counters.kept_trees += prepared_->has_new_tree ? 0U : 1U;
        status.counters.built_trees += prepared_->has_built_tree ? 1U : 0U;
        status.counters.patched_trees += is_patched ? 1U : 0U;
    });
    return true;
}

void ScenePreparer::bring_back(const LiveFrame& frame) {
    prepared_ = frame.renderer->scene();
    unprepared_effect_ = 0;
    aim_at({*prepared_,
            frame.renderer->camera(),
            frame.job.settings.width,
            frame.job.settings.height});
}

bool ScenePreparer::has_final_tree(const LiveJob& job) const {
    return !prepared_->acceleration->is_patched &&
           (prepared_->has_fine_tree || !job.settings.has_fine_tree);
}

bool ScenePreparer::make_fine(const LiveJob& job) {
    if (has_final_tree(job)) {
        return true;
    }
    const auto should_stop = [this] { return queue_.is_outdated(); };
    reserve_.copy_ahead(trees_in_use(*prepared_, frames_.aside().get()), should_stop);

    // Begin when the edits have come to rest and the build before, if any, has stopped.
    if (!queue_.stays_wanted_for(kSettling) || !is_builder_free()) {
        return false;
    }
    if (!build(job)) {
        return false;
    }
    reserve_.keep(trees_in_use(*prepared_, frames_.aside().get()));
    aim_at(job);
    reserve_.copy_ahead(trees_in_use(*prepared_, frames_.aside().get()), should_stop);
    return !queue_.is_outdated();
}

// Waits for the builder. False: the next job has come meanwhile.
bool ScenePreparer::is_builder_free() {
    queue_.wait_while_wanted([this] { return !builder_.is_busy(); });
    return !builder_.is_busy();
}

// False: the next job has come, or it failed.
bool ScenePreparer::build(const LiveJob& job) {
    board_.update([](LiveStatus& status) { ++status.counters.begun_builds; });
    builder_.begin({*prepared_, job.settings, job.hidden}, [this] { queue_.ring(); });
    if (!is_builder_free()) {
        if (!queue_.is_closing()) {
            builder_.give_up();  // closing waits for the build
        }
        board_.update([](LiveStatus& status) { ++status.counters.stopped_builds; });
        return false;
    }
    base::Result<frame::PreparedScene> made = builder_.take();
    if (!made.is_ok()) {
        if (!queue_.is_closing()) {
            board_.fail(made.error());
        }
        return false;
    }
    prepared_ = std::move(made.value());
    return true;
}

void ScenePreparer::drop_large_aside() {
    const std::shared_ptr<LiveFrame> aside = frames_.aside();
    if (!aside) {
        return;
    }
    const accel::Acceleration& tree = *aside->renderer->scene().acceleration;
    const bool is_shared = &tree == prepared_->acceleration.get();
    // A budget is one tree's.
    if (!is_shared && (tree.store || tree.size_bytes() > reserve_.most_bytes(trees_in_use(
                                                             *prepared_, aside.get())))) {
        frames_.drop_aside();
    }
}

void ScenePreparer::aim_at(const LiveJob& job) {
    aim_at({*prepared_,
            trace::make_camera(job.camera, job.settings.width, job.settings.height),
            job.settings.width,
            job.settings.height});
}

void ScenePreparer::aim_at(LiveTarget target) {
    auto aimed = std::make_shared<const LiveTarget>(std::move(target));
    const std::lock_guard lock(mutex_);
    std::swap(target_, aimed);
}

std::shared_ptr<const LiveTarget> ScenePreparer::target() const {
    const std::lock_guard lock(mutex_);
    return target_;
}

}  // namespace weft::live
