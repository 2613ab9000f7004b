// environment_tables.h — importance sampling of the environment: the distribution of its rows, and
// of the texels in each (shaders/bsdf.md section 5).
//
// The weight of a cell is what the largest luminance of its 3×3 neighbourhood has above the mean of
// the map, times the cosine of its latitude. Bilinear radiance where the density is 0 is at most
// the mean: scattered rays find it as well as a light sample would, and light samples go where they
// are needed (MIS compensation: Karlík et al. 2019). In a map of one colour nothing is above the
// mean, and nothing is taken off. Called once by make_scene_tables; threads of `work` compute rows.
#pragma once

#include <vector>

#include "engine/math/vector.h"
#include "engine/scene/model/scene.h"
#include "engine/trace/table_work.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

// Means over the sphere of luminance times 1, the direction, and products of its components, in
// the map's own directions, not turned by its rotation; cd/m² with the strength multiplied in.
struct EnvironmentMoments {
    double mean = 0;
    math::DVec3 first{};    // x, y, z
    math::DVec3 squares{};  // x², y², z²; their sum is the mean
    math::DVec3 mixed{};    // xy, xz, yz
};

struct EnvironmentTable {
    // One per texel, then one per row; all pdfs are 0 if the picture is black.
    std::vector<shaders::EnvironmentCell> cells;
    EnvironmentMoments moments;
};

// The illuminance of surfaces by an environment of these moments, turned by a rotation about +Y
// (cosine and sine) and divided by `unit`: the clamped cosine in Legendre polynomials up to second
// order (Ramamoorthi and Hanrahan 2001). `moments.mean` is positive.
shaders::SkyLight make_sky_light(const EnvironmentMoments& moments,
                                 double cosine,
                                 double sine,
                                 double unit);

// An environment without pixels has no cells. Nor has one of a single texel: every direction sees
// the same radiance, so light samples would only cost shadow rays.
EnvironmentTable make_environment_table(const scene::Environment& environment, TableWork& work);

// Rec. 709 luminance of three floats; negative values and those that are not finite count as 0.
double luminance_of(const float rgb[3]);

}  // namespace weft::trace
