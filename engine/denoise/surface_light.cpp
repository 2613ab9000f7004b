#include "engine/denoise/surface_light.h"

#include <algorithm>
#include <cmath>

#include <tbb/parallel_for.h>

namespace weft::denoise {

float reflected_share(float albedo) {
    return std::max(albedo, 0.0F) + kAlbedoFloor;
}

float dark_light(const film::Picture& colour) {
    double roots = 0;
    const std::size_t pixels = std::size_t{colour.width} * colour.height;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        const float* const rgb = &colour.pixels[kColours * pixel];
        roots += std::sqrt(static_cast<double>(std::max(0.0F, (rgb[0] + rgb[1] + rgb[2]) / 3.0F)));
    }
    const double mean = roots / static_cast<double>(pixels);
    return mean > 0 ? static_cast<float>(std::max(0.4 * mean * mean, 1e-12)) : 1.0F;
}

std::vector<float> box_mean(const std::vector<float>& values, u32 width, u32 height, u32 reach) {
    std::vector<float> rows(values.size());
    std::vector<float> means(values.size());
    tbb::parallel_for(u32{0}, height, [&](u32 y) {
        const float* const from = values.data() + std::size_t{y} * width;
        for (u32 x = 0; x < width; ++x) {
            const u32 begin = x - std::min(x, reach);
            const u32 end = std::min(width, x + reach + 1);
            float sum = 0;
            for (u32 k = begin; k < end; ++k) {
                sum += from[k];
            }
            rows[std::size_t{y} * width + x] = sum / static_cast<float>(end - begin);
        }
    });
    tbb::parallel_for(u32{0}, height, [&](u32 y) {
        const u32 begin = y - std::min(y, reach);
        const u32 end = std::min(height, y + reach + 1);
        float* const to = means.data() + std::size_t{y} * width;
        for (u32 k = begin; k < end; ++k) {
            const float* const from = rows.data() + std::size_t{k} * width;
            for (u32 x = 0; x < width; ++x) {
                to[x] += from[x];
            }
        }
        for (u32 x = 0; x < width; ++x) {
            to[x] /= static_cast<float>(end - begin);
        }
    });
    return means;
}

void put_values(Planes& planes, u32 channel, const std::vector<float>& values) {
    for (u32 y = 0; y < planes.height(); ++y) {
        std::copy_n(values.data() + std::size_t{y} * planes.width(),
                    planes.width(),
                    planes.row(channel, y));
    }
}

Planes surface_light(const film::Picture& colour, const film::Picture& albedo) {
    Planes light(colour.width, colour.height, kColours);
    for (u32 y = 0; y < light.height(); ++y) {
        for (u32 x = 0; x < light.width(); ++x) {
            for (u32 c = 0; c < kColours; ++c) {
                light.row(c, y)[x] = colour.at(x, y, c) / reflected_share(albedo.at(x, y, c));
            }
        }
    }
    return light;
}

}  // namespace weft::denoise
