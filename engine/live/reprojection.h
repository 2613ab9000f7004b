// reprojection.h — the last good picture, seen by another camera.
//
// Each pixel of the new picture asks where the former camera saw the surface that it shows, and
// takes the colour there if that surface was what the former picture showed. Everything that moves
// with the camera (mirrors, glass, gloss) is that of the former camera: it is shown only until the
// new frame has a picture of its own. Backward warping as in temporal supersampling (Nehab et al.
// 2007). Pure but for the threads that it uses.
#pragma once

#include <memory>

#include "engine/live/shown_picture.h"
#include "engine/live/surface_pixels.h"

namespace weft::live {

// A whole picture of all pixels, and what they showed.
struct FormerPicture {
    std::shared_ptr<const ShownImage> image;
    std::shared_ptr<const SurfacePixels> surfaces;  // of the image's size
    shaders::CameraRecord camera{};
};

// Overwrites those pixels of `picture` that the former one shows; both have the size of `surfaces`.
// Returns their share of all pixels.
double reproject(const FormerPicture& former, const SurfacePixels& surfaces, ShownImage& picture);

}  // namespace weft::live
