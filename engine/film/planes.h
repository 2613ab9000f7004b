// planes.h — pictures as planes of floats, and the separable filters over them. Rows run on several
// threads; one thread computes each value, in a fixed order, so their number changes no bit. Used
// by FLIP alone.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "engine/film/parallel_rows.h"
#include "engine/math/vector.h"
#include "scheduler/base/ids.h"

namespace weft::film {

struct Plane {
    u32 width = 0;
    u32 height = 0;
    std::vector<float> values;  // row by row

    [[nodiscard]] const float* row(u32 y) const { return values.data() + std::size_t{y} * width; }

    [[nodiscard]] float* row(u32 y) { return values.data() + std::size_t{y} * width; }
};

// Zeros, in the size of `plane`.
Plane plane_like(const Plane& plane);

using ColourPlanes = std::array<Plane, 3>;
using Colour = math::DVec3;

inline Colour colour_at(const ColourPlanes& planes, std::size_t i) {
    return {double{planes[0].values[i]}, double{planes[1].values[i]}, double{planes[2].values[i]}};
}

// Applies `change` to every pixel.
template <typename Change>
ColourPlanes changed(const ColourPlanes& planes, const Change& change) {
    ColourPlanes result{plane_like(planes[0]), plane_like(planes[0]), plane_like(planes[0])};
    const std::size_t width = planes[0].width;
    for_rows(planes[0].height, [&](u32 y) {
        for (std::size_t i = y * width; i < (y + 1) * width; ++i) {
            const Colour colour = change(colour_at(planes, i));
            for (std::size_t c = 0; c < 3; ++c) {
                result[c].values[i] = static_cast<float>(colour[c]);
            }
        }
    });
    return result;
}

using Kernel = std::vector<float>;  // odd length, centre in the middle

// exp(−falloff · i²) for i from −radius to radius.
std::vector<double> bell_curve(double falloff, int radius);
double total(const std::vector<double>& values);

// Filters along rows by `across`, then along columns by `down`; beyond the border the outermost
// value repeats.
Plane filtered(const Plane& plane, const Kernel& across, const Kernel& down);

}  // namespace weft::film
