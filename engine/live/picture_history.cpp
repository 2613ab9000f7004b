#include "engine/live/picture_history.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/film/parallel_rows.h"

namespace weft::live {

namespace {

using math::Vec3;

// The former pixels around a point count where their surface lies in the plane of the new one up to
// so much of the distance from the former camera, and faces alike.
constexpr float kMostOffPlane = 0.005F;
constexpr float kLeastAlike = 0.8F;  // cosine of the normals
// Of the four pixels around a point so much must count.
constexpr float kLeastWeight = 0.2F;
// Light that was resampled is a little blurred, and counts less.
constexpr float kResampled = 0.75F;
// Through the camera of before a pixel shows the same point, up to rounding, and the same colour.
constexpr float kMostMoved = 1e-4F;  // of the distance from the camera
constexpr float kMostRecoloured = 0.02F;

bool is_same_surface(const SurfacePixel& now, const SurfacePixel& before, float distance_m) {
    return before.is_hit() && math::dot(now.normal, before.normal) >= kLeastAlike &&
           std::fabs(math::dot(now.normal, before.position - now.position)) <=
               kMostOffPlane * distance_m;
}

float largest(const Vec3& v) {
    return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

bool is_same_point(const SurfacePixel& now, const SurfacePixel& before, const Vec3& eye) {
    if (!now.is_hit() || !before.is_hit()) {
        return now.is_hit() == before.is_hit();
    }
    const Vec3 moved = now.position - before.position;
    return largest(moved) <= kMostMoved * math::length(now.position - eye) &&
           math::dot(now.normal, before.normal) >= kLeastAlike &&
           largest(now.albedo - before.albedo) <= kMostRecoloured;
}

// Without a lens the focus shows nowhere.
bool is_same_view(shaders::CameraRecord a, shaders::CameraRecord b) {
    a.focus_m = 0;
    b.focus_m = 0;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

LightPixel scaled(const LightPixel& light, float share, float most_samples) {
    return {light.rgb, std::min(light.samples * share, most_samples)};
}

// The light that the former picture has of a surface, between its pixels.
LightPixel former_light(const FormerPicture& former, const SurfacePixel& now, float most_samples) {
    const SurfacePixels& before = *former.surfaces;
    const Vec3 film = frame::on_film(former.camera, {before.width, before.height}, now.position);
    if (!now.is_hit() || film.z <= 0) {
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
    LightPixel sum;
    float weight_sum = 0;
    for (i32 j = top; j <= top + 1; ++j) {
        for (i32 i = left; i <= left + 1; ++i) {
            const auto px = static_cast<u32>(std::clamp(i, 0, static_cast<i32>(before.width) - 1));
            const auto py = static_cast<u32>(std::clamp(j, 0, static_cast<i32>(before.height) - 1));
            const std::size_t pixel = std::size_t{py} * before.width + px;
            if (!is_same_surface(now, before.pixels[pixel], distance_m)) {
                continue;
            }
            const float weight = (1 - std::fabs(x - static_cast<float>(i))) *
                                 (1 - std::fabs(y - static_cast<float>(j)));
            const LightPixel& light = former.image->light[pixel];
            sum.rgb += weight * light.rgb;
            sum.samples += weight * light.samples;
            weight_sum += weight;
        }
    }
    if (weight_sum < kLeastWeight) {
        return {};
    }
    return scaled({sum.rgb / weight_sum, sum.samples / weight_sum}, kResampled, most_samples);
}

}  // namespace

std::shared_ptr<const PictureHistory> make_history(const FormerPicture& former,
                                                   const SurfacePixels& surfaces,
                                                   const shaders::CameraRecord& camera,
                                                   float most_samples) {
    auto history = std::make_shared<PictureHistory>();
    history->width = surfaces.width;
    history->height = surfaces.height;
    history->pixels.resize(surfaces.pixels.size());
    const bool is_still = surfaces.width == former.surfaces->width &&
                          surfaces.height == former.surfaces->height &&
                          is_same_view(camera, former.camera);
    const Vec3 eye = math::vec3_at(camera.origin);
    film::for_rows(surfaces.height, [&](u32 y) {
        for (u32 x = 0; x < surfaces.width; ++x) {
            const std::size_t pixel = std::size_t{y} * surfaces.width + x;
            const SurfacePixel& now = surfaces.pixels[pixel];
            if (!is_still) {
                history->pixels[pixel] = former_light(former, now, most_samples);
            } else if (is_same_point(now, former.surfaces->pixels[pixel], eye)) {
                history->pixels[pixel] = scaled(former.image->light[pixel], 1, most_samples);
            }
        }
    });
    return history;
}

}  // namespace weft::live
