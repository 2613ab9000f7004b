#include "app/command/time_to_go.h"

#include <algorithm>

namespace weft::app {

namespace {

constexpr double kMostMoments = 512;
constexpr double kLeastShare = 0.01;
constexpr double kLeastElapsed_s = 0.5;
constexpr double kEnough_s = 10;

}  // namespace

double TimeToGo::wanted() const {
    return static_cast<double>(work_.total - std::min(work_.found, work_.total));
}

void TimeToGo::add(u64 done, double elapsed_s) {
    now_ = {static_cast<double>(done - std::min(work_.found, done)), elapsed_s};
    if (now_.samples - kept_.back().samples >= std::max(wanted() / kMostMoments, 1.0)) {
        kept_.push_back(now_);
    }
}

double TimeToGo::time_of(double samples) const {
    const auto after = std::find_if(
        kept_.begin(), kept_.end(), [&](const Moment& m) { return m.samples > samples; });
    const Moment end = after == kept_.end() ? now_ : *after;
    const Moment begin = *(after - 1);  // the first moment has no samples
    const double span = end.samples - begin.samples;
    const double share = span > 0 ? (samples - begin.samples) / span : 1;
    return begin.elapsed_s + share * (end.elapsed_s - begin.elapsed_s);
}

std::optional<double> TimeToGo::left_s() const {
    const bool is_begun = now_.samples > kLeastShare * wanted() || now_.elapsed_s >= kEnough_s;
    const bool has_pace = now_.samples > 0 && now_.elapsed_s > kLeastElapsed_s && is_begun;
    if (!has_pace) {
        return std::nullopt;
    }
    const double half = now_.samples / 2;
    const double sample_s = (now_.elapsed_s - time_of(half)) / (now_.samples - half);
    const double left = std::max(wanted() - now_.samples, 0.0);
    return std::clamp(left * sample_s, 0.0, std::max(work_.limit_s - now_.elapsed_s, 0.0));
}

}  // namespace weft::app
