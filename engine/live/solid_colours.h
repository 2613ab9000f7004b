// solid_colours.h — display colours of the solid and wireframe displays: material colours under a
// lamp at the camera, and lines.
//
// They depend on neither lights, exposure nor view transform, so that a scene can be seen before it
// is lit. Pure; any thread.
#pragma once

#include <array>

#include "engine/frame/camera_hits.h"
#include "shaders/host/path_view.h"

namespace weft::live {

// 8-bit sRGB.
using DisplayRgb = std::array<u8, 3>;

// Where nothing is hit.
inline constexpr DisplayRgb kSolidBackground = {58, 60, 64};

// A surface that `direction` leads to, of any length. Black material is dark grey, so that its
// shape is seen.
DisplayRgb solid_colour(const frame::CameraHit& hit, const math::Vec3& direction);

// How much of a pixel the edges of its triangle cover, in [0, 1]: lines of one pixel that
// neighbours share, which fade as triangles become a few pixels small.
float edge_cover(const frame::SeenTriangle& seen);

// The colour with that much of a line over it: dark on bright surfaces, bright on dark ones.
DisplayRgb with_line(const DisplayRgb& colour, float cover);

}  // namespace weft::live
