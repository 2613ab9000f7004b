#include "engine/live/presenter.h"

#include <utility>

namespace weft::live {

void Presenter::present(std::shared_ptr<const PictureSource> picture, u64 job) {
    const std::lock_guard lock(mutex_);
    picture_.show(std::move(picture));
    if (last_job_ < job) {
        last_job_ = job;
        latency_.add(waited_s() * 1e3);
    }
}

bool Presenter::present_fallback(const LiveFrame& complete) {
    const std::lock_guard lock(mutex_);
    if (last_job_ >= complete.number) {
        return false;
    }
    picture_.show(complete.shown);
    last_job_ = complete.number;
    latency_.add(waited_s() * 1e3);
    return true;
}

TimeFigures Presenter::latency() const {
    const std::lock_guard lock(mutex_);
    return latency_.figures();
}

}  // namespace weft::live
