// planes.cpp — separable filters with the border repeated.
#include "engine/film/planes.h"

#include <algorithm>

#include "shaders/host/scalar_math.h"

namespace weft::film {

namespace {

int radius_of(const Kernel& kernel) {
    return static_cast<int>(kernel.size() / 2);
}

u32 within(int position, u32 size) {
    return static_cast<u32>(std::clamp(position, 0, static_cast<int>(size) - 1));
}

Plane filtered_rows(const Plane& plane, const Kernel& kernel) {
    Plane result = plane_like(plane);
    const int radius = radius_of(kernel);
    for_rows(plane.height, [&](u32 y) {
        std::vector<float> padded(plane.width + kernel.size() - 1);
        for (std::size_t i = 0; i < padded.size(); ++i) {
            padded[i] = plane.row(y)[within(static_cast<int>(i) - radius, plane.width)];
        }
        float* out = result.row(y);
        for (std::size_t tap = 0; tap < kernel.size(); ++tap) {
            for (u32 x = 0; x < plane.width; ++x) {
                out[x] += kernel[tap] * padded[x + tap];
            }
        }
    });
    return result;
}

Plane filtered_columns(const Plane& plane, const Kernel& kernel) {
    Plane result = plane_like(plane);
    const int radius = radius_of(kernel);
    for_rows(plane.height, [&](u32 y) {
        float* out = result.row(y);
        for (std::size_t tap = 0; tap < kernel.size(); ++tap) {
            const float* in = plane.row(
                within(static_cast<int>(y) + static_cast<int>(tap) - radius, plane.height));
            for (u32 x = 0; x < plane.width; ++x) {
                out[x] += kernel[tap] * in[x];
            }
        }
    });
    return result;
}

}  // namespace

Plane plane_like(const Plane& plane) {
    return {plane.width, plane.height, std::vector<float>(plane.values.size())};
}

std::vector<double> bell_curve(double falloff, int radius) {
    std::vector<double> values;
    for (int i = -radius; i <= radius; ++i) {
        values.push_back(shaders::exp_of(-falloff * i * i));
    }
    return values;
}

double total(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

Plane filtered(const Plane& plane, const Kernel& across, const Kernel& down) {
    return filtered_columns(filtered_rows(plane, across), down);
}

}  // namespace weft::film
