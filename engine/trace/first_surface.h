// first_surface.h — the first surface that a camera sample hits: the AOVs of one sample.
//
// Returned by the reference tracer for single pixels (reference_tracer.h); a film with AOVs holds
// their means (engine/film). Plain data.
#pragma once

#include <array>

#include "scheduler/base/ids.h"

namespace weft::trace {

struct FirstSurface {
    std::array<double, 3> albedo{};
    std::array<double, 3> normal{};    // shading normal, normal map included
    std::array<double, 3> position{};  // in the world
    double depth_m = 0;                // along the ray
    u32 instance = 0;
};

}  // namespace weft::trace
