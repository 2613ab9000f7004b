#include "app/view/background/depth_watch.h"

#include <algorithm>
#include <cmath>

namespace weft::app {

namespace {

constexpr u32 kColumns = 32;
constexpr u32 kRows = 24;
constexpr std::size_t kOneOf = 100;     // ignore one depth in 100 at either end
constexpr float kLeastRatio = 1.0625F;  // least far-to-near ratio, for a wall seen head-on

// The rounding step for two significant digits: 347 is rounded to tens.
float step_of(float metres) {
    return std::pow(10.0F, std::floor(std::log10(metres)) - 1);
}

std::optional<std::array<float, 2>> measure(const live::LiveRender& live, u32 width, u32 height) {
    std::vector<float> distances_m;
    for (u32 row = 0; row < kRows; ++row) {
        for (u32 column = 0; column < kColumns; ++column) {
            const auto place = [](u32 at, u32 count, u32 extent) {
                return (static_cast<float>(at) + 0.5F) / static_cast<float>(count) *
                       static_cast<float>(extent);
            };
            const auto picked =
                live.pick(place(column, kColumns, width), place(row, kRows, height));
            if (picked && picked->distance_m > 0) {
                distances_m.push_back(picked->distance_m);
            }
        }
    }
    return depth_range(std::move(distances_m));
}

}  // namespace

std::optional<std::array<float, 2>> depth_range(std::vector<float> distances_m) {
    if (distances_m.empty()) {
        return std::nullopt;
    }
    std::sort(distances_m.begin(), distances_m.end());
    const std::size_t left_out = distances_m.size() / kOneOf;
    const float nearest = distances_m[left_out];
    const float farthest = distances_m[distances_m.size() - 1 - left_out];
    const float low = std::floor(nearest / step_of(nearest)) * step_of(nearest);
    const float high = std::ceil(farthest / step_of(farthest)) * step_of(farthest);
    return std::array{low, std::max(high, low * kLeastRatio)};
}

std::optional<std::array<float, 2>> DepthWatch::poll(const live::LiveRender& live,
                                                     u32 width,
                                                     u32 height,
                                                     u64 job) {
    if (!question_.is_running() && asked_job_ != job) {
        asked_job_ = job;
        question_.start([&live, width, height] { return measure(live, width, height); });
    }
    return question_.poll().value_or(std::nullopt);
}

}  // namespace weft::app
