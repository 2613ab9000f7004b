#include "engine/live/spread_pictures.h"

#include <algorithm>
#include <utility>

#include "scheduler/base/clock.h"

namespace weft::live {

namespace {

// First pictures with fewer than every third pixel to a side are spread, others where they have a
// history.
constexpr u32 kCoarse = 3;
// What a history is worth at most: where only things or the camera have moved, and where lights or
// materials are others, so that it bridges the first moments alone.
constexpr float kMostSamples = 128;
constexpr float kMostOtherwiseLit = 2;
// A first picture with a history is due so many seconds after the job was shown. Where another job
// comes before, as in a drag, it takes no more than the second number.
constexpr double kDue_s = 0.1;
constexpr double kLeast_s = 0.04;
constexpr u32 kMostStep = 4;

// Surfaces are those of pictures without a lens, and of opaque ones.
bool has_surfaces(const LiveJob& job, const LiveView& view) {
    const frame::RenderSettings& settings = job.settings;
    const bool is_filtered = view.denoise != LiveDenoise::Off && !view.layer &&
                             !view.has_false_colours && LiveFilter::can_filter(settings.aovs);
    return is_filtered && !settings.crop && job.camera.lens_radius_m == 0 &&
           !settings.is_film_transparent && settings.geometry_memory_bytes == 0;
}

}  // namespace

bool SpreadPictures::expects_history(const LiveJob& job, const LiveView& view) {
    // Keep the newest picture that had surfaces: frames of a drag have none.
    if (const std::shared_ptr<LiveFrame> aside = frames_.aside()) {
        FormerPicture former = aside->shown->former(aside->renderer->camera());
        if (former.image) {
            former_ = std::move(former);
            former_job_ = aside->job;
        }
    }
    // Say what it is worth.
    most_samples_ = 0;
    if (former_.image && has_surfaces(job, view) && is_comparable(former_job_, job)) {
        most_samples_ = is_lit_alike(former_job_, job) ? kMostSamples : kMostOtherwiseLit;
    }
    return most_samples_ > 0;
}

void SpreadPictures::show(const LiveJob& job, const LiveView& view) {
    surfaces_ = nullptr;
    history_ = nullptr;
    if (!has_surfaces(job, view)) {
        return;
    }
    const auto is_outdated = [this] { return queue_.is_outdated(); };
    if (most_samples_ == 0) {
        read(job, 1, is_outdated);
        if (surfaces_ && first_picture_.reduction() >= kCoarse) {
            static_cast<void>(present_first(1));
        }
        return;
    }
    const u32 step = pick_step(job);
    const auto begin = base::Clock::now();
    read(job, step, [this] { return queue_.is_closing(); });
    const bool is_shown = present_first(step);
    if (is_shown) {
        pixel_s_ = base::seconds_since(begin) / static_cast<double>(surfaces_->pixels.size());
    }
    if (step > 1 && !is_outdated()) {
        read(job, 1, is_outdated);
        static_cast<void>(surfaces_ && present_first(1));
    } else if (step > 1) {
        surfaces_ = nullptr;
        history_ = nullptr;
    }
    if (!is_shown && first_picture_.shown()) {
        presenter_.present(*first_picture_.shown());
    }
}

void SpreadPictures::hand_over(const LiveFrame& frame) {
    if (surfaces_) {
        frame.shown->use_surfaces(std::move(surfaces_), std::move(history_));
    }
}

// The finest surfaces that are read and shown in time; the first picture's pixels hold whole ones.
u32 SpreadPictures::pick_step(const LiveJob& job) const {
    const film::Region region = region_of(job.settings);
    const double whole_s = pixel_s_ * static_cast<double>(u64{region.width()} * region.height());
    const double allowed_s = std::max(kDue_s - presenter_.waited_s(), kLeast_s);
    const u32 most = first_picture_.shown() ? std::min(first_picture_.reduction(), kMostStep) : 1;
    u32 step = 1;
    while (step < most && whole_s / (step * step) > allowed_s) {
        step *= 2;
    }
    return step;
}

void SpreadPictures::read(const LiveJob& job, u32 step, const std::function<bool()>& should_stop) {
    const HitRequest request = hit_request(preparer_.prepared(), job);
    surfaces_ = read_surfaces(request, region_of(job.settings), step, should_stop);
    history_ = surfaces_ && most_samples_ > 0
                   ? make_history(former_, *surfaces_, request.camera, most_samples_)
                   : nullptr;
}

// Whether there is a first picture that could be spread.
bool SpreadPictures::present_first(u32 step) {
    const std::shared_ptr<LiveFrame>& first = first_picture_.shown();
    if (!surfaces_ || !first ||
        !first->shown->spread(surfaces_, history_, first_picture_.reduction() / step)) {
        return false;
    }
    presenter_.present(*first);
    return true;
}

}  // namespace weft::live
