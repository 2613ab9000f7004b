#include "engine/live/former_mirror.h"

#include <algorithm>
#include <cmath>

namespace weft::live {

namespace {

using math::Vec3;

// Newton's method takes so many steps, each of so many pixels to a side at most, and so many pixels
// beside the end of a step must show the thing.
constexpr u32 kMostSteps = 8;
constexpr float kMostStep = 16;
constexpr float kMostBeside = 2;
// Curved mirrors show far points side by side: as a share of what lies between.
constexpr float kMostOffPixel = 0.5F;

}  // namespace

bool FormerMirror::shows(std::size_t pixel) const {
    const frame::MirroredPoint& shown = picture_.mirrored[pixel];
    return shown.is_mirror && picture_.pixels[pixel].instance == mirror_ &&
           shown.instance == thing_;
}

std::optional<PixelPlace> FormerMirror::find(const Vec3& point,
                                             PixelPlace from,
                                             float most_off_m) const {
    for (u32 step = 0; step < kMostSteps; ++step) {
        const std::optional<PixelPlace> at = nearest(from);
        if (!at) {
            return std::nullopt;
        }
        // The way to the point, as steps to the right and down.
        const Vec3 off = point - picture_.mirrored[*pixel_at(*at)].position;
        const Vec3 right = slope(*at, 1, 0);
        const Vec3 down = slope(*at, 0, 1);
        const float xx = math::dot(right, right);
        const float xy = math::dot(right, down);
        const float yy = math::dot(down, down);
        const float off_x = math::dot(right, off);
        const float off_y = math::dot(down, off);
        const float determinant = xx * yy - xy * xy;
        float dx = 0;
        float dy = 0;
        if (determinant > 0) {
            dx = (off_x * yy - off_y * xy) / determinant;
            dy = (off_y * xx - off_x * xy) / determinant;
        } else {
            // As narrow as a pixel: known along its length alone.
            dx = xx > 0 ? off_x / xx : 0;
            dy = yy > 0 ? off_y / yy : 0;
        }
        if (std::fabs(dx) < 1 && std::fabs(dy) < 1) {
            const float rest_m = math::length(off - dx * right - dy * down);
            const float most_m = std::max(most_off_m, kMostOffPixel * std::sqrt(xx + yy));
            return rest_m <= most_m ? std::optional(PixelPlace{at->x + dx, at->y + dy})
                                    : std::nullopt;
        }
        from = {at->x + std::clamp(dx, -kMostStep, kMostStep),
                at->y + std::clamp(dy, -kMostStep, kMostStep)};
    }
    return std::nullopt;
}

// The pixel at its own middle, if it shows the thing.
std::optional<std::size_t> FormerMirror::pixel_at(const PixelPlace& at) const {
    const bool is_inside = at.x >= 0 && at.y >= 0 && at.x < static_cast<float>(picture_.width) &&
                           at.y < static_cast<float>(picture_.height);
    if (!is_inside) {
        return std::nullopt;
    }
    const std::size_t pixel =
        static_cast<std::size_t>(at.y) * picture_.width + static_cast<std::size_t>(at.x);
    return shows(pixel) ? std::optional(pixel) : std::nullopt;
}

// The middle of the nearest pixel that shows the thing.
std::optional<PixelPlace> FormerMirror::nearest(const PixelPlace& from) const {
    const PixelPlace middle = {std::round(from.x), std::round(from.y)};
    std::optional<PixelPlace> found;
    float least = 2 * kMostBeside * kMostBeside + 1;
    for (float dy = -kMostBeside; dy <= kMostBeside; ++dy) {
        for (float dx = -kMostBeside; dx <= kMostBeside; ++dx) {
            const float squared = dx * dx + dy * dy;
            const PixelPlace at = {middle.x + dx, middle.y + dy};
            if (squared < least && pixel_at(at)) {
                found = at;
                least = squared;
            }
        }
    }
    return found;
}

// How the point that is shown moves from a pixel to its neighbour on one side, or on the other; 0:
// neither shows the thing.
Vec3 FormerMirror::slope(const PixelPlace& at, float dx, float dy) const {
    const Vec3& here = picture_.mirrored[*pixel_at(at)].position;
    for (const float sign : {1.0F, -1.0F}) {
        if (const auto next = pixel_at({at.x + sign * dx, at.y + sign * dy})) {
            return sign * (picture_.mirrored[*next].position - here);
        }
    }
    return {};
}

}  // namespace weft::live
