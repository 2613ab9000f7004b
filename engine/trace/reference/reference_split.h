// reference_split.h — the parts of a path's radiance that layers hold apart (shaders/bsdf.md
// section 8).
//
// Plain data.
#pragma once

#include <array>

#include "engine/film/aov.h"

namespace weft::trace {

struct LightSplit {
    using Radiance = std::array<double, 3>;
    std::array<Radiance, film::kMostLightGroups> groups{};
    Radiance emission{};
    Radiance diffuse{};
    Radiance specular{};
    Radiance transmission{};
    Radiance direct{};  // section 7
};

}  // namespace weft::trace
