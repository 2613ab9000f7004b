#include "engine/live/reprojection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "engine/film/parallel_rows.h"

namespace weft::live {

namespace {

using math::Vec3;

// The former pixels around a point count where their surface lies in the plane of the new one up to
// so much of the distance from the former camera, and faces alike.
constexpr float kMostOffPlane = 0.005F;
constexpr float kLeastAlike = 0.8F;  // cosine of the normals
// Of the four pixels around a point so much must count.
constexpr float kLeastWeight = 0.5F;

struct Colour {
    std::array<float, 3> sum{};
    float weight = 0;
};

bool is_same_surface(const SurfacePixel& now, const SurfacePixel& before, float distance_m) {
    return before.is_hit() && math::dot(now.normal, before.normal) >= kLeastAlike &&
           std::fabs(math::dot(now.normal, before.position - now.position)) <=
               kMostOffPlane * distance_m;
}

// The colour that the former picture has of a surface; without weight where it did not show it.
Colour former_colour(const FormerPicture& former, const SurfacePixel& now) {
    const SurfacePixels& before = *former.surfaces;
    const Vec3 film = frame::on_film(former.camera, {before.width, before.height}, now.position);
    if (film.z <= 0) {
        return {};
    }
    // From the middle of the first pixel.
    const float x = film.x / film.z - 0.5F;
    const float y = film.y / film.z - 0.5F;
    if (!(x > -0.5F && y > -0.5F && x < static_cast<float>(before.width) - 0.5F &&
          y < static_cast<float>(before.height) - 0.5F)) {
        return {};
    }
    const float distance_m = math::length(now.position - math::vec3_at(former.camera.origin));
    const auto left = static_cast<i32>(std::floor(x));
    const auto top = static_cast<i32>(std::floor(y));
    Colour colour;
    for (i32 j = top; j <= top + 1; ++j) {
        for (i32 i = left; i <= left + 1; ++i) {
            const auto px = static_cast<u32>(std::clamp(i, 0, static_cast<i32>(before.width) - 1));
            const auto py = static_cast<u32>(std::clamp(j, 0, static_cast<i32>(before.height) - 1));
            if (!is_same_surface(now, before.at(px, py), distance_m)) {
                continue;
            }
            const float weight = (1 - std::fabs(x - static_cast<float>(i))) *
                                 (1 - std::fabs(y - static_cast<float>(j)));
            const u8* const rgba =
                former.image->rgba.data() + 4 * (std::size_t{py} * before.width + px);
            for (std::size_t c = 0; c < 3; ++c) {
                colour.sum[c] += weight * static_cast<float>(rgba[c]);
            }
            colour.weight += weight;
        }
    }
    return colour;
}

}  // namespace

double reproject(const FormerPicture& former, const SurfacePixels& surfaces, ShownImage& picture) {
    std::atomic<u64> shown{0};  // relaxed: joining orders it
    film::for_rows(surfaces.height, [&](u32 y) {
        u64 of_row = 0;
        for (u32 x = 0; x < surfaces.width; ++x) {
            const SurfacePixel& now = surfaces.at(x, y);
            const Colour colour = now.is_hit() ? former_colour(former, now) : Colour{};
            if (colour.weight < kLeastWeight) {
                continue;
            }
            u8* const rgba = picture.rgba.data() + 4 * (std::size_t{y} * surfaces.width + x);
            for (std::size_t c = 0; c < 3; ++c) {
                rgba[c] = static_cast<u8>(colour.sum[c] / colour.weight + 0.5F);
            }
            rgba[3] = 255;
            ++of_row;
        }
        shown.fetch_add(of_row, std::memory_order_relaxed);
    });
    return static_cast<double>(shown.load(std::memory_order_relaxed)) /
           static_cast<double>(surfaces.pixels.size());
}

}  // namespace weft::live
