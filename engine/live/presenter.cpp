#include "engine/live/presenter.h"

#include <utility>

namespace weft::live {

void Presenter::present(std::shared_ptr<const PictureSource> picture, u64 job) {
    const std::lock_guard lock(mutex_);
    picture_.show(std::move(picture));
    if (latency_.last_job() < job) {
        latency_.add(job, waited_s() * 1e3);
    }
}

bool Presenter::present_fallback(const LiveFrame& complete) {
    const std::lock_guard lock(mutex_);
    if (latency_.last_job() >= complete.number) {
        return false;
    }
    picture_.show(complete.shown);
    latency_.add(complete.number, waited_s() * 1e3);
    return true;
}

LatencyFigures Presenter::latency() const {
    const std::lock_guard lock(mutex_);
    return latency_.figures();
}

}  // namespace weft::live
