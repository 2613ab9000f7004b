#include "engine/denoise/outliers.h"

#include <algorithm>
#include <cmath>

#include "engine/denoise/surface_light.h"

namespace weft::denoise {

namespace {

constexpr u32 kReach = 3;

float brightness(const Planes& light, u32 x, u32 y) {
    return (light.row(0, y)[x] + light.row(1, y)[x] + light.row(2, y)[x]) / 3.0F;
}

void darken(Planes& light, u32 x, u32 y, float bound) {
    const float bright = brightness(light, x, y);
    if (bright > bound) {
        for (u32 c = 0; c < kColours; ++c) {
            light.row(c, y)[x] *= bound / bright;
        }
    }
}

}  // namespace

void bound_outliers(Planes& first, Planes& second, float dark, const Passes& passes) {
    const u32 width = first.width();
    const u32 height = first.height();
    // What both halves agree on.
    std::vector<float> agreed(std::size_t{width} * height);
    std::vector<float> roots(agreed.size());
    passes.run(height, [&](u32 y) {
        for (u32 x = 0; x < width; ++x) {
            const std::size_t pixel = std::size_t{y} * width + x;
            agreed[pixel] =
                std::max(0.0F, std::min(brightness(first, x, y), brightness(second, x, y)));
            roots[pixel] = std::sqrt(agreed[pixel]);
        }
    });
    const std::vector<float> mean = box_mean(roots, width, height, kReach, passes);
    const std::vector<float> square = box_mean(agreed, width, height, kReach, passes);
    passes.run(height, [&](u32 y) {
        for (u32 x = 0; x < width; ++x) {
            const std::size_t pixel = std::size_t{y} * width + x;
            const float spread = std::max(0.0F, square[pixel] - mean[pixel] * mean[pixel]);
            const float root = mean[pixel] + kOutlierDeviations * std::sqrt(spread);
            const float bound = std::max(root * root + dark, kOutlierRatio * agreed[pixel]);
            darken(first, x, y, bound);
            darken(second, x, y, bound);
        }
    });
}

}  // namespace weft::denoise
