#include "engine/live/picture_history.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "engine/film/parallel_rows.h"
#include "engine/live/former_mirror.h"

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
// Other light may fall on a thing that has moved: this many samples at most.
constexpr float kMostOfMoved = 8;
// What a mirror shows is found up to so much of its distance from the eye. Where it is not, the
// light at the mirror's own place bridges the first moments alone.
constexpr float kMostOffMirrored = 0.005F;
constexpr float kMostOfMirrored = 2;
// Through the camera of before a pixel shows the same point, up to rounding, and the same colour.
constexpr float kMostMoved = 1e-4F;  // of the distance from the camera
constexpr float kMostRecoloured = 0.02F;

bool is_same_surface(const SurfacePixel& now, const SurfacePixel& before, float distance_m) {
    return before.is_hit() && now.instance == before.instance &&
           math::dot(now.normal, before.normal) >= kLeastAlike &&
           std::fabs(math::dot(now.normal, before.position - now.position)) <=
               kMostOffPlane * distance_m;
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

// How things have moved between two pictures.
class Moves {
public:
    Moves(const SurfacePixels& now, const SurfacePixels& before) {
        if (now.places.size() != before.places.size()) {
            return;
        }
        of_instance_.resize(now.places.size(), kNone);
        for (std::size_t k = 0; k < now.places.size(); ++k) {
            if (now.places[k] == before.places[k]) {
                continue;
            }
            if (const std::optional<math::Affine> to_object = math::inverse(now.places[k])) {
                of_instance_[k] = static_cast<u32>(moves_.size());
                const math::Affine to_former = math::compose(before.places[k], *to_object);
                moves_.push_back(
                    {to_former, math::to_float(math::normal_matrix(math::to_double(to_former)))});
            }
        }
    }

    // The point of that surface before; none: its thing has not moved.
    [[nodiscard]] std::optional<SurfacePixel> former(const SurfacePixel& now) const {
        const u32 move = now.instance < of_instance_.size() ? of_instance_[now.instance] : kNone;
        if (move == kNone) {
            return std::nullopt;
        }
        SurfacePixel before = now;
        before.position = math::transform_point(moves_[move].points, now.position);
        before.normal = math::normalize(math::transform_vector(moves_[move].normals, now.normal));
        return before;
    }

    // The same of a point of that instance.
    [[nodiscard]] std::optional<Vec3> former(const Vec3& point, u32 instance) const {
        const u32 move = instance < of_instance_.size() ? of_instance_[instance] : kNone;
        return move == kNone ? std::nullopt
                             : std::optional(math::transform_point(moves_[move].points, point));
    }

private:
    // From the place of now to that of before.
    struct Move {
        math::Affine points;
        math::Affine normals;  // without their length
    };

    std::vector<u32> of_instance_;  // index of its move; kNone: it stays
    std::vector<Move> moves_;
};

LightPixel scaled(const LightPixel& light, float share, float most_samples) {
    return {light.rgb, std::min(light.samples * share, most_samples)};
}

// Where the former camera saw a point; none: it did not.
std::optional<PixelPlace> former_place(const FormerPicture& former, const Vec3& position) {
    const SurfacePixels& before = *former.surfaces;
    const Vec3 film = frame::on_film(former.camera, {before.width, before.height}, position);
    const PixelPlace at = {film.x / film.z - 0.5F, film.y / film.z - 0.5F};
    const bool is_inside = film.z > 0 && at.x > -0.5F && at.y > -0.5F &&
                           at.x < static_cast<float>(before.width) - 0.5F &&
                           at.y < static_cast<float>(before.height) - 0.5F;
    return is_inside ? std::optional(at) : std::nullopt;
}

// The light of the four pixels around a place for which counts(pixel).
template <typename Counts>
LightPixel light_around(const FormerPicture& former,
                        const PixelPlace& at,
                        float most_samples,
                        const Counts& counts) {
    const SurfacePixels& before = *former.surfaces;
    const auto left = static_cast<i32>(std::floor(at.x));
    const auto top = static_cast<i32>(std::floor(at.y));
    LightPixel sum;
    float weight_sum = 0;
    for (i32 j = top; j <= top + 1; ++j) {
        for (i32 i = left; i <= left + 1; ++i) {
            const auto px = static_cast<u32>(std::clamp(i, 0, static_cast<i32>(before.width) - 1));
            const auto py = static_cast<u32>(std::clamp(j, 0, static_cast<i32>(before.height) - 1));
            const std::size_t pixel = std::size_t{py} * before.width + px;
            if (!counts(pixel)) {
                continue;
            }
            const float weight = (1 - std::fabs(at.x - static_cast<float>(i))) *
                                 (1 - std::fabs(at.y - static_cast<float>(j)));
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

// The light that the former picture has of a surface, between its pixels.
LightPixel former_light(const FormerPicture& former, const SurfacePixel& now, float most_samples) {
    const std::optional<PixelPlace> at =
        now.is_hit() ? former_place(former, now.position) : std::nullopt;
    if (!at) {
        return {};
    }
    const float distance_m = math::length(now.position - math::vec3_at(former.camera.origin));
    return light_around(former, *at, most_samples, [&](std::size_t pixel) {
        return is_same_surface(now, former.surfaces->pixels[pixel], distance_m);
    });
}

// The light of what a mirror shows: from where it showed the same point, else that of the mirror's
// own place. `now`: as the mirror was placed before.
LightPixel mirrored_light(const FormerPicture& former,
                          const SurfacePixel& now,
                          const frame::MirroredPoint& shown,
                          const Moves& moves,
                          float most_samples) {
    const std::optional<PixelPlace> at = former_place(former, now.position);
    if (at && shown.instance != kNone && !former.surfaces->mirrored.empty()) {
        const FormerMirror mirror(*former.surfaces, now.instance, shown.instance);
        const std::optional<Vec3> moved = moves.former(shown.position, shown.instance);
        const Vec3 eye = math::vec3_at(former.camera.origin);
        const float distance_m =
            math::length(now.position - eye) + math::length(shown.position - now.position);
        if (const std::optional<PixelPlace> place =
                mirror.find(moved.value_or(shown.position), *at, kMostOffMirrored * distance_m)) {
            return light_around(former,
                                *place,
                                moved ? std::min(most_samples, kMostOfMoved) : most_samples,
                                [&](std::size_t pixel) { return mirror.shows(pixel); });
        }
    }
    return former_light(former, now, std::min(most_samples, kMostOfMirrored));
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
    const Moves moves(surfaces, *former.surfaces);
    // Whether a mirror shows the same point through the same camera.
    const auto shows_the_same = [&](std::size_t pixel) {
        if (!is_still || former.surfaces->mirrored.empty()) {
            return false;
        }
        const frame::MirroredPoint& now = surfaces.mirrored[pixel];
        const frame::MirroredPoint& before = former.surfaces->mirrored[pixel];
        return before.is_mirror && now.instance == before.instance &&
               !moves.former(now.position, now.instance) &&
               largest(now.position - before.position) <=
                   kMostMoved * math::length(now.position - eye);
    };
    film::for_rows(surfaces.height, [&](u32 y) {
        for (u32 x = 0; x < surfaces.width; ++x) {
            const std::size_t pixel = std::size_t{y} * surfaces.width + x;
            const SurfacePixel& now = surfaces.pixels[pixel];
            LightPixel& light = history->pixels[pixel];
            const std::optional<SurfacePixel> moved = moves.former(now);
            const float most = moved ? std::min(most_samples, kMostOfMoved) : most_samples;
            const bool is_mirror = !surfaces.mirrored.empty() && surfaces.mirrored[pixel].is_mirror;
            if (is_mirror && (moved || !shows_the_same(pixel))) {
                light = mirrored_light(
                    former, moved.value_or(now), surfaces.mirrored[pixel], moves, most);
            } else if (moved || !is_still) {
                light = former_light(former, moved.value_or(now), most);
            } else if (is_same_point(now, former.surfaces->pixels[pixel], eye)) {
                light = scaled(former.image->light[pixel], 1, most);
            }
        }
    });
    return history;
}

}  // namespace weft::live
