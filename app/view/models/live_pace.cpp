#include "app/view/models/live_pace.h"

namespace weft::app {

bool LivePace::goes_on(const live::LiveStatus& status, u64 done, u64 total) const {
    return to_go_ && status.prepared_job == job_ && total == total_ && done >= done_ &&
           status.elapsed_s >= elapsed_s_;
}

void LivePace::look(const live::LiveStatus& status, u64 pixels) {
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
}

std::optional<double> LivePace::left_s() const {
    return to_go_ && done_ < total_ ? to_go_->left_s() : std::nullopt;
}

}  // namespace weft::app
