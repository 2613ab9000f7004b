#include "engine/live/solid_colours.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/film/display.h"
#include "engine/film/view_transform.h"

namespace weft::live {

namespace {

// Light that surfaces get which are seen from the side, of 1.
constexpr float kFromTheSide = 0.25F;
// What is added to albedo, and taken from its range.
constexpr float kDarkest = 0.03F;
constexpr float kSteps = 4096;

// Edges show fully in triangles of so many pixels' height, and not at all below the first number.
constexpr float kDense = 2.5F;
constexpr float kSparse = 7;
constexpr float kMostCover = 0.85F;

// The sRGB curve in steps finer than those of bytes, but for the darkest colours.
u8 encoded(float linear) {
    static const std::vector<u8> kBytes = [] {
        std::vector<u8> bytes;
        for (u32 k = 0; k <= static_cast<u32>(kSteps); ++k) {
            const double value = static_cast<double>(k) / static_cast<double>(kSteps);
            bytes.push_back(film::to_byte(static_cast<float>(film::srgb_encode(value))));
        }
        return bytes;
    }();
    return kBytes[static_cast<std::size_t>(std::clamp(linear, 0.0F, 1.0F) * kSteps + 0.5F)];
}

}  // namespace

DisplayRgb solid_colour(const frame::CameraHit& hit, const math::Vec3& direction) {
    if (hit.instance == kNone) {
        return kSolidBackground;
    }
    const float facing = std::fabs(math::dot(hit.normal, math::normalize(direction)));
    const float light = kFromTheSide + (1 - kFromTheSide) * facing;
    DisplayRgb display{};
    const auto albedo = math::components(hit.albedo);
    for (std::size_t c = 0; c < 3; ++c) {
        display[c] = encoded((kDarkest + (1 - kDarkest) * albedo[c]) * light);
    }
    return display;
}

float edge_cover(const frame::SeenTriangle& seen) {
    // Half of a line of one pixel lies in each of its triangles.
    const float line = std::clamp(1 - seen.to_edge, 0.0F, 1.0F);
    const float sparse = std::clamp((seen.height - kDense) / (kSparse - kDense), 0.0F, 1.0F);
    return kMostCover * line * sparse;
}

DisplayRgb with_line(const DisplayRgb& colour, float cover) {
    constexpr int kMiddle = 110;
    constexpr float kDark = 20;
    constexpr float kBright = 225;
    const int brightness = (colour[0] + 2 * colour[1] + colour[2]) / 4;
    const float line = brightness > kMiddle ? kDark : kBright;
    DisplayRgb lined{};
    for (std::size_t c = 0; c < 3; ++c) {
        const auto under = static_cast<float>(colour[c]);
        lined[c] = static_cast<u8>(under + (line - under) * cover + 0.5F);
    }
    return lined;
}

}  // namespace weft::live
