// joint_upsampling.h — the colours of all pixels from those of few: the light of nodes, spread over
// the pixels whose surfaces are like theirs, times the pixels' own albedo.
//
// Joint bilateral upsampling (Kopf et al. 2007) of light without albedo. Edges and textures are
// those of the pixels' surfaces; light is as coarse as the nodes. Pure; any thread.
#pragma once

#include <span>

#include "engine/live/surface_pixels.h"

namespace weft::live {

// A lattice of nodes, row by row. Node (i, j) is the middle of what the pixels around
// (first + i · step, first + j · step) show, in pixels from the corner.
struct NodeLattice {
    u32 width = 0;
    u32 height = 0;
    float first = 0.5F;
    float step = 1;
};

// Divides the colours of nodes (RGB) by the albedo of what they show: `albedo` has that of their
// samples. `light` may be `colours`.
void divide_by_albedo(const NodeLattice& nodes,
                      const SurfacePixels& surfaces,
                      std::span<const float> colours,
                      std::span<const float> albedo,
                      std::span<float> light);

// The colour of a pixel from the light of the nodes around it.
math::Vec3 upsampled_colour(const NodeLattice& nodes,
                            const SurfacePixels& surfaces,
                            std::span<const float> light,
                            u32 x,
                            u32 y);

}  // namespace weft::live
