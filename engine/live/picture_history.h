// picture_history.h — the light that the pictures before have shown of the surfaces that a new
// picture shows.
//
// After an edit most surfaces are lit as before. Each pixel of the new picture asks where the
// former camera saw its surface, and takes the light there if that surface was what the former
// picture showed (backward warping as in temporal supersampling, Nehab et al. 2007). A mirror has
// the light of where it showed the same point (former_mirror.h). Whatever else moves with the
// camera (glass, gloss) is that of the former camera, and shadows may have moved: how much the
// history counts beside new samples is decided later (history_trust.h). Pure but for the threads
// that it uses.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "engine/live/shown_picture.h"
#include "engine/live/surface_pixels.h"

namespace weft::live {

// A whole picture of all pixels, and what they showed.
struct FormerPicture {
    std::shared_ptr<const ShownImage> image;        // with `light`; null: there is none
    std::shared_ptr<const SurfacePixels> surfaces;  // of the image's size
    shaders::CameraRecord camera{};
};

// The largest of the three, without their signs.
inline float largest(const math::Vec3& v) {
    return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
}

// By pixel, of the size of the surfaces that it was made for.
struct PictureHistory {
    u32 width = 0;
    u32 height = 0;
    std::vector<LightPixel> pixels;  // `samples` 0: not known

    [[nodiscard]] const LightPixel& at(u32 x, u32 y) const {
        return pixels[std::size_t{y} * width + x];
    }
};

// The history of pixels that show `surfaces` through `camera`. No pixel counts as more than
// `most_samples`.
std::shared_ptr<const PictureHistory> make_history(const FormerPicture& former,
                                                   const SurfacePixels& surfaces,
                                                   const shaders::CameraRecord& camera,
                                                   float most_samples);

}  // namespace weft::live
