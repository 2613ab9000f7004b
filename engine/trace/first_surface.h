// first_surface.h — what a camera sample saw first: the AOVs of one sample.
//
// The reference tracer tells it for a pixel that somebody asks about (reference_tracer.h); a film
// that keeps AOVs has their means (engine/film). Plain data.
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
