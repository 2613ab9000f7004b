// live_frames.cpp — from a job to its frame: the frame that is there already, or what the job has
// changed prepared, a first picture of few pixels (live_first.cpp), and a frame of all.
#include <algorithm>

#include "engine/accel/tree_patch.h"
#include "engine/live/aside_memory.h"
#include "engine/live/live_state.h"

namespace weft::live {

namespace {

using Clock = std::chrono::steady_clock;

// No tree is built for a frame while its first picture is younger.
constexpr std::chrono::milliseconds kSettling(200);
// Above this the tree of a first picture is built fast, and again for the frame.
constexpr u64 kManyTriangles = 100000;
// Above this the tree of a first picture is made of the tree before, where that is possible.
constexpr u64 kPatchedTriangles = 20000;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

void LiveRender::State::fail(const base::Error& error) {
    const std::lock_guard lock(mutex);
    status.state = LiveState::Failed;
    status.error = error.sentence;
    is_failed = true;
}

void LiveRender::State::take_job(LiveJob job, u64 number) {
    job.settings.thread_count = thread_count;
    job.settings.is_display_drawn = is_drawing.load(std::memory_order_relaxed);
    memory_limit_bytes = job.settings.memory_limit_bytes;
    {
        const std::lock_guard lock(mutex);
        is_failed = false;
    }
    if (resume_frame(job, number) || !prepare_job(job, number)) {
        return;
    }
    const std::shared_ptr<LiveFrame> old_coarse = std::exchange(coarse, nullptr);
    const std::shared_ptr<LiveFrame> older = put_aside;  // given up when the new picture is there
    put_frame_aside();
    show_first_picture(job, number, old_coarse ? old_coarse->renderer.get() : nullptr);
    bool has_failed = false;
    {
        const std::lock_guard lock(mutex);
        has_failed = is_failed;
    }
    if (!has_failed && !is_outdated()) {
        begin_frame(std::move(job), number);
    }
}

// The frame until now stays as it is, for when the change is undone, unless it alone needs a large
// tree.
void LiveRender::State::put_frame_aside() {
    const std::lock_guard lock(mutex);
    if (frame) {
        put_aside = std::exchange(frame, nullptr);
    }
    if (put_aside) {
        const accel::Acceleration* const tree = put_aside->renderer->scene().acceleration.get();
        if (tree != prepared->acceleration.get() && tree->size_bytes() > most_bytes_aside()) {
            put_aside = nullptr;
        }
    }
}

// The largest tree that is kept aside now (aside_memory.h).
u64 LiveRender::State::most_bytes_aside() const {
    const accel::Acceleration* const used = prepared->acceleration.get();
    const accel::Acceleration* const before =
        put_aside ? put_aside->renderer->scene().acceleration.get() : nullptr;
    u64 aside_bytes = pool->size_bytes();
    aside_bytes += reserve && reserve.get() != used ? reserve->size_bytes() : 0;
    aside_bytes += before && before != used && before != reserve.get() ? before->size_bytes() : 0;
    return live::most_bytes_aside(available_memory_bytes() + aside_bytes, memory_limit_bytes);
}

// A change that was undone before it had effect, or a while ago: the frame is there with all that
// was rendered of it. So it is where only another number of samples is wanted.
bool LiveRender::State::resume_frame(const LiveJob& job, u64 number) {
    std::shared_ptr<LiveFrame> found;
    {
        const std::lock_guard lock(mutex);
        if (frame && is_same_picture(frame->job, job)) {
            found = frame;
        } else if (put_aside && is_same_picture(put_aside->job, job)) {
            found = put_aside;
        }
    }
    if (!found) {
        return false;
    }
    const u32 samples = found->renderer->change_samples(job.settings.samples_per_pixel);
    LiveView seen_view;
    {
        const std::lock_guard lock(mutex);
        if (found == put_aside) {
            put_aside = std::exchange(frame, found);
            prepared = found->renderer->scene();
        }
        unprepared_effect = 0;
        ++counters.returns;
        found->number = number;
        found->job.settings.samples_per_pixel = samples;
        status.prepared_job = number;
        status.samples_wanted = samples;
        status.prepare_ms = milliseconds_since(taken_at);
        target = std::make_shared<const LiveTarget>(LiveTarget{
            *prepared, found->renderer->camera(), job.settings.width, job.settings.height});
        seen_view = view;
    }
    found->shown->set_job(number);
    found->shown->change_view(seen_view);
    if (found->shown->is_complete()) {
        present(*found);
    }
    return true;
}

bool LiveRender::State::prepare_job(const LiveJob& job, u64 number) {
    {
        const std::lock_guard lock(mutex);
        status.state = LiveState::Preparing;
    }
    const auto begin = Clock::now();
    unprepared_effect |= job.effect;
    frame::RenderSettings quick = job.settings;
    const u64 triangles = scene::scene_size(*job.scene).triangles;
    quick.has_fine_tree = quick.has_fine_tree && triangles < kManyTriangles;
    base::Result<frame::PreparedScene> made = frame::prepare_scene(
        {.scene = job.scene,
         .settings = &quick,
         .hidden = job.hidden,
         .maybe_former = prepared ? &*prepared : nullptr,
         .effect = unprepared_effect,
         .may_patch = triangles >= kPatchedTriangles,
         .maybe_reserve = reserve,
         .pool = pool,
         .should_stop = [this] { return is_closing.load(std::memory_order_relaxed); }});
    if (!made.is_ok()) {
        fail(made.error());
        return false;
    }
    prepared = std::move(made.value());
    unprepared_effect = 0;
    keep_reserve();
    aim_at(job);
    const std::lock_guard lock(mutex);
    status.prepare_ms = milliseconds_since(begin);
    status.prepared_job = number;
    status.samples_done = 0;
    status.samples_wanted = job.settings.samples_per_pixel;
    counters.kept_tables += prepared->has_new_tables ? 0U : 1U;
    counters.kept_trees += prepared->has_new_tree ? 0U : 1U;
    counters.built_trees += prepared->has_built_tree ? 1U : 0U;
    const bool is_patched = prepared->has_new_tree && prepared->acceleration->is_patched;
    counters.patched_trees += is_patched ? 1U : 0U;
    return true;
}

// What points are looked up in from now on.
void LiveRender::State::aim_at(const LiveJob& job) {
    auto aimed = std::make_shared<const LiveTarget>(
        LiveTarget{*prepared,
                   trace::make_camera(job.camera, job.settings.width, job.settings.height),
                   job.settings.width,
                   job.settings.height});
    const std::lock_guard lock(mutex);
    target = std::move(aimed);
}

// Whether the reserve is a tree of this scene and has what the prepared one lacks.
bool LiveRender::State::is_reserve_larger() const {
    return reserve && accel::has_same_geometry(reserve->source, *prepared->scene) &&
           accel::held_triangles(*reserve) > accel::held_triangles(*prepared->acceleration);
}

// What is hidden now may be shown next: the tree that has it is kept, unless it is large.
void LiveRender::State::keep_reserve() {
    const std::shared_ptr<const accel::Acceleration>& tree = prepared->acceleration;
    if (tree->is_patched) {
        return;
    }
    const u64 most = most_bytes_aside();
    pool->keep_at_most(most);
    if (!is_reserve_larger()) {
        reserve = tree->size_bytes() <= most ? tree : nullptr;
    }
}

bool LiveRender::State::has_final_tree(const LiveJob& job) const {
    return !prepared->acceleration->is_patched &&
           (prepared->has_fine_tree || !job.settings.has_fine_tree);
}

// Nobody waits any more for what is being made. Any thread.
bool LiveRender::State::is_outdated() const {
    return is_job_waiting.load(std::memory_order_relaxed) ||
           is_closing.load(std::memory_order_relaxed);
}

// A copy of the tree that the next job is likely to patch is made while nobody waits.
void LiveRender::State::copy_ahead() {
    const std::shared_ptr<const accel::Acceleration>& tree = prepared->acceleration;
    const bool is_larger = is_reserve_larger();
    if (is_larger || tree->size_bytes() <= most_bytes_aside()) {
        pool->copy_ahead(is_larger ? reserve : tree, [this] { return is_outdated(); });
    }
}

// Whoever pulls at something shows the next job soon, and a build that is begun for nothing is slow
// to stop.
bool LiveRender::State::has_settled() {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, kSettling, [this] { return is_outdated(); });
}

// True: nothing is being built any more. False: the next job has come meanwhile.
bool LiveRender::State::wait_for_tree() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !builder.is_busy() || is_outdated(); });
    return !builder.is_busy();
}

// The tree of the first picture was patched or built fast; the frame's is worth more time. False:
// the next job has come, or it failed. One that was left to itself stops before another begins.
bool LiveRender::State::make_fine(const LiveJob& job) {
    if (has_final_tree(job)) {
        return true;
    }
    copy_ahead();
    if (!has_settled() || !wait_for_tree()) {
        return false;
    }
    {
        const std::lock_guard lock(mutex);
        ++counters.begun_builds;
    }
    builder.begin({*prepared, job.settings, job.hidden}, [this] { tell_ready(); });
    if (!wait_for_tree()) {
        if (!is_closing.load(std::memory_order_relaxed)) {
            builder.give_up();  // closing waits for it
        }
        const std::lock_guard lock(mutex);
        ++counters.stopped_builds;
        return false;
    }
    base::Result<frame::PreparedScene> made = builder.take();
    if (!made.is_ok()) {
        if (!is_closing.load(std::memory_order_relaxed)) {
            fail(made.error());
        }
        return false;
    }
    prepared = std::move(made.value());
    keep_reserve();
    aim_at(job);
    copy_ahead();
    return !is_outdated();
}

void LiveRender::State::begin_frame(LiveJob job, u64 number) {
    if (!make_fine(job)) {
        return;
    }
    base::Result<std::unique_ptr<frame::Renderer>> renderer =
        frame::Renderer::prepare(*prepared, job.camera, job.settings);
    if (!renderer.is_ok()) {
        fail(renderer.error());
        return;
    }
    auto made = std::make_shared<LiveFrame>();
    made->number = number;
    made->job = std::move(job);
    made->renderer = std::move(renderer.value());
    LiveView shown_view;
    film::Region first;
    {
        const std::lock_guard lock(mutex);
        shown_view = view;
        first = attended;
    }
    made->renderer->attend(first);
    made->shown = std::make_shared<ShownFrame>(
        made->renderer->film(), shown_view, place_of(made->job, number, false));
    LivePicture first_picture;
    if (coarse && coarse->shown->copy_to(first_picture)) {
        made->shown->begin_with(first_picture);
        shown.show(made->shown);
    }
    const std::lock_guard lock(mutex);
    frame = std::move(made);
    ++counters.frames;
}

// What the view shows of the newest job: a layer that its film does not hold is a frame of its own,
// so that the picture has no more to do, and keeps what it has.
LiveJob LiveRender::State::seen_job() {
    const std::lock_guard lock(mutex);
    const std::vector<std::string>& aovs = newest_job.settings.aovs;
    const bool is_held =
        view.layer.empty() || std::find(aovs.begin(), aovs.end(), view.layer) != aovs.end();
    return is_held ? newest_job : layers_of(newest_job);
}

// The frame of the newest job, also while a layer is shown; null: there is none.
std::shared_ptr<LiveFrame> LiveRender::State::picture_frame() const {
    const std::lock_guard lock(mutex);
    for (const std::shared_ptr<LiveFrame>& made : {frame, put_aside}) {
        if (made && is_same_picture(made->job, newest_job)) {
            return made;
        }
    }
    return nullptr;
}

// No task of a frame runs.
void LiveRender::State::tell_picture_samples() {
    const std::shared_ptr<LiveFrame> picture = picture_frame();
    const u32 asked = newest_job.settings.samples_per_pixel;
    const u32 samples = picture ? picture->renderer->change_samples(asked) : asked;
    const std::lock_guard lock(mutex);
    status.picture_samples = samples;
}

// No task of a frame runs. A layer that the film does not hold needs a frame that has it.
void LiveRender::State::change_view(const LiveView& new_view) {
    std::shared_ptr<LiveFrame> seen;
    {
        const std::lock_guard lock(mutex);
        seen = frame;
    }
    if (!seen) {
        if (coarse) {
            coarse->shown->change_view(new_view);
        }
        return;
    }
    LiveJob job = seen_job();
    if (is_same_picture(seen->job, job)) {
        seen->shown->change_view(new_view);
        return;
    }
    job.effect = scene::kEffectNone;
    take_job(std::move(job), seen->number);
}

}  // namespace weft::live
