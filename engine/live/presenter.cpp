#include "engine/live/presenter.h"

namespace weft::live {

void Presenter::present(const LiveFrame& complete) {
    const std::lock_guard lock(mutex_);
    picture_.show(complete.shown);
    if (latency_.last_job() < complete.number) {
        latency_.add(complete.number, waited_s() * 1e3);
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
