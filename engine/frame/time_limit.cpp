#include "engine/frame/time_limit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace weft::frame {

namespace {

// Shares of the limit at which left() changes, before the reserve is taken off. The last leaves
// room for what the machine does meanwhile.
constexpr std::array<double, 3> kEnds = {1.00, 1.02, 1.05};

// A small film lies in the cache, and its pages are there.
constexpr double kColdFactor = 2;

double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double TimeLimit::reserve_s(const Spent& spent) const {
    if (!std::isfinite(limit_s)) {
        return 0;
    }
    // Processors that the frame has had; a frame that has hardly begun has all that it asked for.
    constexpr double kLeastShare = 0.05;
    constexpr double kLeastElapsed = 0.02;
    const double processors =
        spent.elapsed_s < kLeastElapsed
            ? thread_count
            : std::clamp<double>(spent.processor_s / spent.elapsed_s, kLeastShare, thread_count);
    const double means_s = means_cost_s * static_cast<double>(spent.begun_pixels) / processors;
    return std::min(means_s, limit_s / 2);
}

TimeLeft TimeLimit::left(const Spent& spent) const {
    const double shares = (spent.elapsed_s + reserve_s(spent)) / limit_s;
    const auto passed =
        std::count_if(kEnds.begin(), kEnds.end(), [&](double end) { return shares >= end; });
    return static_cast<TimeLeft>(passed);
}

double TimeLimit::until_next_s(const Spent& spent, double most_s) const {
    double wait_s = most_s;
    for (const double end : kEnds) {
        const double left_s = end * limit_s - spent.elapsed_s - reserve_s(spent);
        wait_s = left_s > 0 ? std::min(wait_s, left_s) : wait_s;
    }
    return wait_s;
}

double means_cost_s(const film::Film& film, const film::ResolveConfig& config) {
    constexpr u32 kSide = 64;
    constexpr u32 kLattice = 8;  // pixels without samples cost most
    std::vector<film::Aov> aovs;
    for (const film::FilmLayer& aov : film.aovs()) {
        aovs.push_back(aov.aov);
    }
    film::Film small(kSide, kSide, {0, 0, kSide, kSide}, aovs);
    film::ResolvedFilm means(small, config);
    if (!small.is_allocated() || !means.is_allocated()) {
        return 0;
    }
    for (u32 pixel = 0; pixel < kSide * kSide; pixel += kLattice) {
        small.add_sample(pixel % kSide, pixel / kSide, {0.3F, 0.4F, 0.5F, 1});
    }
    const double begin_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    means.resolve(small.crop());
    means.tone(small.crop());
    return kColdFactor * (seconds_of(CLOCK_THREAD_CPUTIME_ID) - begin_s) / (kSide * kSide);
}

double processor_seconds() {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

}  // namespace weft::frame
