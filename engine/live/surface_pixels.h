// surface_pixels.h — what each pixel of a picture hits at its middle, without noise: the features
// by which pictures of fewer samples are spread over pixels.
//
// The render thread reads it, while no frame runs; it does not change afterwards.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/film/film.h"
#include "engine/live/hit_rows.h"
#include "engine/math/affine.h"

namespace weft::live {

struct SurfacePixel {
    math::Vec3 position{};  // in the world
    math::Vec3 normal{};    // 0: nothing is hit, and the rest is 0
    math::Vec3 albedo{};    // CameraHit::albedo
    u32 instance = kNone;   // of the drawn scene

    [[nodiscard]] bool is_hit() const { return math::dot(normal, normal) > 0; }
};

struct SurfacePixels {
    static constexpr std::size_t kMostPlaces = 1U << 16;

    u32 width = 0;  // of the crop, over the step
    u32 height = 0;
    std::vector<SurfacePixel> pixels;  // row by row
    // What mirrors show, by pixel; empty: no material is one.
    std::vector<frame::MirroredPoint> mirrored;
    // Of the instances, object to world; empty: there are more than kMostPlaces.
    std::vector<math::Affine> places;

    [[nodiscard]] const SurfacePixel& at(u32 x, u32 y) const {
        return pixels[std::size_t{y} * width + x];
    }
};

// Those of the crop of that picture, at the middle of each square of `step` pixels to a side. Null:
// stopped, or memory ran out.
std::shared_ptr<const SurfacePixels> read_surfaces(HitRequest request,
                                                   const film::Region& crop,
                                                   u32 step,
                                                   const std::function<bool()>& should_stop);

}  // namespace weft::live
