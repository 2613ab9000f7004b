#include "app/view/models/live_pace.h"

#include <algorithm>

namespace weft::app {

bool LivePace::goes_on(const live::LiveStatus& status, u64 done, u64 total) const {
    return to_go_ && status.prepared_job == job_ && total == total_ && done >= done_ &&
           status.elapsed_s >= elapsed_s_;
}

void LivePace::look(const live::LiveStatus& status, u64 pixels, double noise_threshold) {
    const auto done = static_cast<u64>(status.samples_mean * static_cast<double>(pixels));
    const u64 total = status.samples_wanted * pixels;
    if (!goes_on(status, done, total)) {
        to_go_.emplace(TimeToGo::Work{.total = total});
    }
    to_go_->add(done, status.elapsed_s);
    job_ = status.prepared_job;
    done_ = done;
    total_ = total;
    elapsed_s_ = status.elapsed_s;
    // Noise falls as the square root of the samples, and with it of the time.
    to_noise_s_.reset();
    if (noise_threshold > 0 && status.noise > noise_threshold) {
        const double ratio = status.noise / noise_threshold;
        to_noise_s_ = status.elapsed_s * (ratio * ratio - 1);
    }
}

std::optional<double> LivePace::left_s() const {
    const std::optional<double> to_last =
        to_go_ && done_ < total_ ? to_go_->left_s() : std::nullopt;
    return to_last && to_noise_s_ ? std::min(*to_last, *to_noise_s_) : to_last;
}

}  // namespace weft::app
