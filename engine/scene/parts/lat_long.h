// lat_long.h — lat-long pictures made from the light of each direction.
//
// Pure; any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/math/vector.h"
#include "engine/scene/model/scene.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {

// Pixels of a picture of width × width / 2 in the orientation of environments (shaders/bsdf.md
// section 5), each the mean of `radiance` in four directions. `width` is even.
template <typename Radiance>
std::vector<float> lat_long_pixels(u32 width, const Radiance& radiance) {
    const u32 height = width / 2;
    std::vector<float> pixels(std::size_t{3} * width * height);
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            math::DVec3 sum{};
            for (u32 part = 0; part < 4; ++part) {
                const double column = x + 0.25 + 0.5 * (part % 2);
                const double row = y + 0.25 + 0.5 * (part / 2);
                const double phi = (column / width - 0.5) * 2 * shaders::kPi;
                const double theta = row / height * shaders::kPi;
                const double sine = shaders::sin_of(theta);
                sum += radiance(math::DVec3{sine * shaders::cos_of(phi),
                                            shaders::cos_of(theta),
                                            sine * shaders::sin_of(phi)});
            }
            for (glm::length_t c = 0; c < 3; ++c) {
                pixels[std::size_t{3} * (std::size_t{y} * width + x) +
                       static_cast<std::size_t>(c)] = static_cast<float>(sum[c] / 4);
            }
        }
    }
    return pixels;
}

}  // namespace weft::scene
