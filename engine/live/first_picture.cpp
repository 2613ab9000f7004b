#include "engine/live/first_picture.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::live {

namespace {

// Seconds after show(). The rest of a tenth of a second is for the interface to draw the picture.
constexpr double kDue_s = 0.080;
// When a finer picture should be complete: earlier than it is due, for the estimate errs.
constexpr double kAim_s = 0.068;
// How long a finer picture may render at most: during a drag the next job waits.
constexpr double kFirstPicture_s = 0.045;
// A finer picture is given up so long after it was due, and at once where another job waits.
constexpr double kPatience_s = 0.045;
// Below this reduction a finer picture is worth little, so it may render for so long only.
constexpr u32 kFineReduction = 4;
constexpr double kFinePicture_s = 0.012;
constexpr std::array<u32, 6> kReductions = {2, 3, 4, 6, 8, 11};
constexpr u32 kMostReduction = 16;
// Fewer samples measure their rate badly, and show little of the picture.
constexpr u64 kFewestSamples = 900;
// A frame of so few pixels needs no first picture.
constexpr u64 kSmallPicture = 8192;
// Shares of each worker: enough that the last shares of all workers end at about the same time.
constexpr u64 kSharesOfWorker = 4;
constexpr u64 kSmallestShare = 256;
// Of a worker: frames that wait for pages have many more, which few samples would not use.
constexpr u32 kMostPaths = 4096;

u64 pixel_count(const frame::RenderSettings& settings) {
    const film::Region region = region_of(settings);
    return u64{region.width()} * region.height();
}

u64 samples_of(const frame::RenderSettings& settings, u32 reduction) {
    return pixel_count(settings) / (u64{reduction} * reduction);
}

// One sample per pixel of a picture whose width and height are divided by `reduction`.
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
    small.integrator.path_count = std::min(small.integrator.path_count, kMostPaths);
    small.integrator.trace_batch = std::min(small.integrator.trace_batch, kMostPaths);
    small.has_scene_kernels = false;  // they would be compiled too late
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

// Samples per second since then.
double rate_since(base::Clock::time_point begin, const LiveJob& job, u32 reduction) {
    return static_cast<double>(samples_of(job.settings, reduction)) / base::seconds_since(begin);
}

}  // namespace

void FirstPicture::show(const LiveJob& job, u64 number, bool is_hidden) {
    const std::shared_ptr<LiveFrame> former = std::exchange(shown_, nullptr);
    if (pixel_count(job.settings) <= kSmallPicture && preparer_.has_final_tree(job)) {
        return;
    }

    // Draw the coarsest picture, on the units of the first picture before, and time it.
    const u32 coarsest = coarsest_reduction(job.settings);
    const auto begin = base::Clock::now();
    const std::shared_ptr<LiveFrame> first =
        draw_coarsest(job, number, coarsest, former ? former->renderer.get() : nullptr);
    if (!first) {
        return;
    }
    const double rate = rate_since(begin, job, coarsest);
    if (is_hidden) {
        keep(first, coarsest);
        return;
    }

    // Show it where there is no time for a finer one.
    const u32 reduction = pick_reduction(job, coarsest, rate);
    if (reduction == coarsest) {
        presenter_.present(*first);
        keep(first, coarsest);
        // Forget slowly that finer pictures were slow, so that one is tried again some time.
        finer_speedup_ += finer_speedup_ < 1 ? (1 - finer_speedup_) / 4 : 0;
        return;
    }

    // Draw the finer one, and learn how its rate compares.
    const auto finer_begin = base::Clock::now();
    const std::shared_ptr<LiveFrame> finer = draw_finer(job, number, reduction, *first);
    const double speedup =
        finer ? rate_since(finer_begin, job, reduction) / rate : finer_speedup_ / 2;
    finer_speedup_ = std::clamp((finer_speedup_ + speedup) / 2, 0.5, 8.0);
    if (!finer) {
        present_fallback(*first);
    }
    keep(finer ? finer : first, finer ? reduction : coarsest);
}

// The smallest divisor of width and height with which one sample of each pixel should be there in
// time, by the rate of the coarsest picture.
u32 FirstPicture::pick_reduction(const LiveJob& job, u32 coarsest, double rate) const {
    const double left_s = kAim_s - presenter_.waited_s();
    for (const u32 reduction : kReductions) {
        const double allowed_s =
            std::min(left_s, reduction < kFineReduction ? kFinePicture_s : kFirstPicture_s);
        const auto samples = static_cast<double>(samples_of(job.settings, reduction));
        if (reduction < coarsest && samples / (rate * finer_speedup_) <= allowed_s) {
            return reduction;
        }
    }
    return coarsest;
}

// Null: it failed, or the live render closes.
std::shared_ptr<LiveFrame> FirstPicture::draw_coarsest(const LiveJob& job,
                                                       u64 number,
                                                       u32 reduction,
                                                       frame::Renderer* maybe_spent) {
    std::shared_ptr<LiveFrame> picture = make(job, number, reduction, maybe_spent);
    if (!picture) {
        return nullptr;
    }
    picture->is_hidden = true;
    // A waiting job does not hold it: during a drag every job shows a picture.
    const bool is_drawn =
        run(*picture, {.should_hold = [this] { return queue_.is_closing(); }, .on_progress = {}});
    return is_drawn ? picture : nullptr;
}

// Null: it failed, or was given up. `fallback` gives its units away, and is shown when the finer
// picture is late.
std::shared_ptr<LiveFrame> FirstPicture::draw_finer(const LiveJob& job,
                                                    u64 number,
                                                    u32 reduction,
                                                    const LiveFrame& fallback) {
    if (fallback.renderer->has_pages()) {
        fallback.renderer->let_go_of_units();
    }
    std::shared_ptr<LiveFrame> picture = make(job, number, reduction, fallback.renderer.get());
    if (!picture) {
        return nullptr;
    }
    const bool is_drawn =
        run(*picture,
            {.should_hold = [this] { return queue_.is_closing() || is_over_due(); },
             .on_progress =
                 [this, &fallback] {
                     if (is_due()) {
                         present_fallback(fallback);
                     }
                 }});
    return is_drawn ? picture : nullptr;
}

// Null: it failed.
std::shared_ptr<LiveFrame> FirstPicture::make(const LiveJob& job,
                                              u64 number,
                                              u32 reduction,
                                              frame::Renderer* maybe_spent) {
    base::Result<std::unique_ptr<frame::Renderer>> renderer = frame::Renderer::prepare(
        preparer_.prepared(), job.camera, reduced(job.settings, reduction), maybe_spent);
    if (!renderer.is_ok()) {
        board_.fail(renderer.error());
        return nullptr;
    }
    auto made = std::make_shared<LiveFrame>();
    made->number = number;
    made->renderer = std::move(renderer.value());
    made->shown = std::make_shared<ShownFrame>(
        made->renderer->film(), queue_.view(), place_of(job, number, true), filter_);
    made->shown->begin_after(made->renderer->film().crop().width());  // no lattices
    return made;
}

// Whether the picture is complete.
bool FirstPicture::run(LiveFrame& picture, const RunRules& rules) {
    const base::Status ran = runner_.run(picture, rules);
    if (!ran.is_ok()) {
        board_.fail(ran.error());
        return false;
    }
    return picture.shown->is_complete();
}

void FirstPicture::present_fallback(const LiveFrame& fallback) {
    if (presenter_.present_fallback(fallback)) {
        board_.update([](LiveStatus& status) { ++status.counters.fallbacks; });
    }
}

void FirstPicture::keep(std::shared_ptr<LiveFrame> picture, u32 reduction) {
    reduction_ = reduction;
    let_go_of_pages(picture);
    shown_ = std::move(picture);
    board_.update([](LiveStatus& status) { ++status.counters.first_pictures; });
}

bool FirstPicture::is_due() const {
    return presenter_.waited_s() >= kDue_s;
}

// Any worker.
bool FirstPicture::is_over_due() const {
    const double over_s = presenter_.waited_s() - kDue_s;
    return over_s > kPatience_s || (over_s > 0 && queue_.is_job_waiting());
}

}  // namespace weft::live
