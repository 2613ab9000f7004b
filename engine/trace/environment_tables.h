// environment_tables.h — where to aim at the environment: an alias table over its texels
// (shaders/bsdf.md section 5).
//
// A cell weighs the largest luminance of its 3×3 neighbourhood times the cosine of its latitude, so
// that bilinear radiance is never without density. Called once by make_scene_tables; rows are made
// in threads of `work`.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"
#include "engine/trace/table_work.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

struct EnvironmentTable {
    std::vector<shaders::EnvironmentCell>
        cells;                  // one per texel; pdf 0 throughout where the picture is black
    double mean_luminance = 0;  // over the sphere, cd/m² with the strength multiplied in
};

// An environment without pixels gives no cells, nor does one of a single colour: wherever a ray is
// scattered to, it meets the same, so aiming at it would only cost a shadow ray.
EnvironmentTable make_environment_table(const scene::Environment& environment, TableWork& work);

// Rec. 709 luminance of three floats; values that are negative or not finite count as 0.
double luminance_of(const float rgb[3]);

}  // namespace weft::trace
