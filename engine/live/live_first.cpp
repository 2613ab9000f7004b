// live_first.cpp — the first picture of a job: coarse if need be, and there in time.
//
// It comes in two steps. The coarsest one that says anything takes a few milliseconds, and is not
// shown at once: what it took, on this very tree with these lamps and from here, says how much
// finer the next one may be. That one is shown when it is complete. Where it is not when a first
// picture is due, the coarsest is shown until then. Both run on the same units, one after the
// other, which the next first picture takes over.
//
// The render thread's, but for what says otherwise.
#include <algorithm>
#include <array>

#include "engine/live/live_state.h"

namespace weft::live {

namespace {

using Clock = std::chrono::steady_clock;

// After show(). The rest of a tenth of a second is for the interface to draw it.
constexpr std::chrono::milliseconds kDue(80);
// When a finer picture is expected to be there: the one that it is expected by errs.
constexpr double kAim_s = 0.068;
// How long it may render at most: whoever drags wants the next one.
constexpr double kFirstPicture_s = 0.045;
// So long after it was due it is given up, and at once where another job waits.
constexpr std::chrono::milliseconds kPatience(45);
// From here on a finer picture is worth little: it may render for so long only.
constexpr u32 kFineReduction = 4;
constexpr double kFinePicture_s = 0.012;
constexpr std::array<u32, 6> kReductions = {2, 3, 4, 6, 8, 11};
constexpr u32 kMostReduction = 16;
// Fewer samples say little of how fast they are, and less of the picture.
constexpr u64 kFewestSamples = 900;
// The frame itself is soon there.
constexpr u64 kSmallPicture = 8192;
// Shares of each worker: the last ones of two workers end at about the same time.
constexpr u64 kSharesOfWorker = 4;
constexpr u64 kSmallestShare = 256;

u64 pixel_count(const frame::RenderSettings& settings) {
    const film::Region region = region_of(settings);
    return u64{region.width()} * region.height();
}

u64 samples_of(const frame::RenderSettings& settings, u32 reduction) {
    return pixel_count(settings) / (u64{reduction} * reduction);
}

frame::RenderSettings reduced(const frame::RenderSettings& settings, u32 reduction) {
    const auto fewer = [reduction](u32 pixels) { return (pixels + reduction - 1) / reduction; };
    frame::RenderSettings small = settings;
    small.width = fewer(settings.width);
    small.height = fewer(settings.height);
    if (settings.crop) {
        small.crop = film::Region{settings.crop->x0 / reduction,
                                  settings.crop->y0 / reduction,
                                  fewer(settings.crop->x1),
                                  fewer(settings.crop->y1)};
    }
    small.samples_per_pixel = 1;
    small.has_heat = false;
    small.has_scene_kernels = false;  // they would come too late
    const u64 share = samples_of(settings, reduction) / (settings.thread_count * kSharesOfWorker);
    small.share_samples = static_cast<u32>(std::clamp<u64>(
        share, kSmallestShare, std::max<u64>(kSmallestShare, settings.integrator.path_count)));
    return small;
}

u32 coarsest_reduction(const frame::RenderSettings& settings) {
    u32 reduction = kMostReduction;
    while (reduction > 1 && samples_of(settings, reduction) < kFewestSamples) {
        reduction /= 2;
    }
    return reduction;
}

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

// Any worker: all of it is there.
void LiveRender::State::present(const LiveFrame& complete) {
    const std::lock_guard lock(mutex);
    shown.show(complete.shown);
    if (latency.last_job() < complete.number) {
        latency.add(complete.number, seconds_since(taken_at) * 1e3);
    }
}

// Unless something better is shown by now.
void LiveRender::State::present_fallback() {
    const std::lock_guard lock(mutex);
    if (latency.last_job() < fallback->number) {
        shown.show(fallback->shown);
        latency.add(fallback->number, seconds_since(taken_at) * 1e3);
        ++counters.fallbacks;
    }
}

bool LiveRender::State::is_first_picture_due() const {
    return Clock::now() - taken_at >= kDue;
}

// Any worker.
bool LiveRender::State::is_first_picture_over_due() const {
    const auto over = Clock::now() - taken_at - kDue;
    return over > kPatience ||
           (over > Clock::duration::zero() && is_job_waiting.load(std::memory_order_relaxed));
}

// By how much width and height are divided, so that one sample of each pixel is there in time, by
// the rate of the coarsest picture.
u32 LiveRender::State::pick_reduction(const LiveJob& job, u32 coarsest, double rate) const {
    const double left_s = kAim_s - seconds_since(taken_at);
    for (const u32 reduction : kReductions) {
        const double allowed_s =
            std::min(left_s, reduction < kFineReduction ? kFinePicture_s : kFirstPicture_s);
        const auto samples = static_cast<double>(samples_of(job.settings, reduction));
        if (reduction < coarsest && samples / (rate * finer_speedup) <= allowed_s) {
            return reduction;
        }
    }
    return coarsest;
}

void LiveRender::State::show_first_picture(const LiveJob& job,
                                           u64 number,
                                           frame::Renderer* maybe_spent) {
    if (pixel_count(job.settings) <= kSmallPicture && has_final_tree(job)) {
        return;
    }
    const u32 coarsest = coarsest_reduction(job.settings);
    const auto begin = Clock::now();
    const std::shared_ptr<LiveFrame> first = draw_coarse(job, number, coarsest, true, maybe_spent);
    if (!first) {
        return;
    }
    const auto rate_since = [&](u32 reduction, Clock::time_point since) {
        return static_cast<double>(samples_of(job.settings, reduction)) / seconds_since(since);
    };
    const double rate = rate_since(coarsest, begin);
    const u32 reduction = pick_reduction(job, coarsest, rate);
    if (reduction == coarsest) {
        present(*first);
        keep_coarse(first);
        finer_speedup += finer_speedup < 1 ? (1 - finer_speedup) / 4 : 0;  // tried again some time
        return;
    }
    fallback = first;
    const auto finer_begin = Clock::now();
    const std::shared_ptr<LiveFrame> finer =
        draw_coarse(job, number, reduction, false, first->renderer.get());
    const double speedup = finer ? rate_since(reduction, finer_begin) / rate : finer_speedup / 2;
    finer_speedup = std::clamp((finer_speedup + speedup) / 2, 0.5, 8.0);
    if (!finer) {
        present_fallback();
    }
    fallback = nullptr;
    keep_coarse(finer ? finer : first);
}

void LiveRender::State::keep_coarse(const std::shared_ptr<LiveFrame>& picture) {
    coarse = picture;
    const std::lock_guard lock(mutex);
    ++counters.first_pictures;
}

// Null: it failed, or was given up.
std::shared_ptr<LiveFrame> LiveRender::State::draw_coarse(
    const LiveJob& job, u64 number, u32 reduction, bool is_hidden, frame::Renderer* maybe_spent) {
    auto made = std::make_shared<LiveFrame>();
    made->number = number;
    made->is_hidden = is_hidden;
    base::Result<std::unique_ptr<frame::Renderer>> renderer = frame::Renderer::prepare(
        *prepared, job.camera, reduced(job.settings, reduction), maybe_spent);
    if (!renderer.is_ok()) {
        fail(renderer.error());
        return nullptr;
    }
    made->renderer = std::move(renderer.value());
    {
        const std::lock_guard lock(mutex);
        made->shown =
            std::make_shared<ShownFrame>(made->renderer->film(), view, place_of(job, number, true));
    }
    const base::Status ran = run(*made);
    if (!ran.is_ok()) {
        fail(ran.error());
        return nullptr;
    }
    return made->shown->is_complete() ? made : nullptr;
}

}  // namespace weft::live
