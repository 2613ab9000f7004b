// former_mirror.h — where a mirror of a picture shows a point: the place from which the light of a
// later picture's mirror comes (picture_history.h).
//
// Whatever moves, the mirror, the camera or the thing, a mirror shows most points that it showed
// before, but elsewhere. Each pixel of a mirror knows the point that it shows
// (SurfacePixels::mirrored), so the place of another point follows from those of pixels near by,
// for flat mirrors and for curved ones. Pure; any thread.
#pragma once

#include <optional>

#include "engine/live/surface_pixels.h"

namespace weft::live {

// A place in a picture, in pixels from the middle of the first one.
struct PixelPlace {
    float x = 0;
    float y = 0;
};

// The pixels at which one mirror shows one thing; both are instances.
class FormerMirror {
public:
    // `picture` has what mirrors show, and outlives this.
    FormerMirror(const SurfacePixels& picture, u32 mirror, u32 thing)
        : picture_(picture), mirror_(mirror), thing_(thing) {}

    [[nodiscard]] bool shows(std::size_t pixel) const;

    // Where the mirror shows the thing's point, up to `most_off_m` or half of what a pixel shows.
    // None: nowhere near `from`.
    [[nodiscard]] std::optional<PixelPlace> find(const math::Vec3& point,
                                                 PixelPlace from,
                                                 float most_off_m) const;

private:
    [[nodiscard]] std::optional<std::size_t> pixel_at(const PixelPlace& at) const;
    [[nodiscard]] std::optional<PixelPlace> nearest(const PixelPlace& from) const;
    [[nodiscard]] math::Vec3 slope(const PixelPlace& at, float dx, float dy) const;

    const SurfacePixels& picture_;
    u32 mirror_;
    u32 thing_;
};

}  // namespace weft::live
