#include "engine/denoise/surface_light.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::denoise {

float reflected_share(float albedo) {
    return std::max(albedo, 0.0F) + kAlbedoFloor;
}

float dark_light(const film::Picture& colour, const Passes& passes) {
    std::vector<double> roots(colour.height);
    passes.run(colour.height, [&](u32 y) {
        const float* rgb = &colour.pixels[kColours * std::size_t{y} * colour.width];
        for (u32 x = 0; x < colour.width; ++x, rgb += kColours) {
            const float mean = std::max(0.0F, (rgb[0] + rgb[1] + rgb[2]) / 3.0F);
            roots[y] += std::sqrt(static_cast<double>(mean));
        }
    });
    const double pixels = static_cast<double>(colour.width) * colour.height;
    const double mean = std::accumulate(roots.begin(), roots.end(), 0.0) / pixels;
    return mean > 0 ? static_cast<float>(std::max(0.4 * mean * mean, 1e-12)) : 1.0F;
}

std::vector<float> box_mean(
    const std::vector<float>& values, u32 width, u32 height, u32 reach, const Passes& passes) {
    if (passes.must_stop()) {
        return {};
    }
    std::vector<float> rows(values.size());
    std::vector<float> means(values.size());
    passes.run(height, [&](u32 y) {
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
    passes.run(height, [&](u32 y) {
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

void put_values(Planes& planes,
                u32 channel,
                const std::vector<float>& values,
                const Passes& passes) {
    passes.run(planes.height(), [&](u32 y) {
        std::copy_n(values.data() + std::size_t{y} * planes.width(),
                    planes.width(),
                    planes.row(channel, y));
    });
}

Planes surface_light(const PartOfLight& colour, const film::Picture& albedo, const Passes& passes) {
    Planes light(colour.whole.width, colour.whole.height, kColours);
    passes.run(light.height(), [&](u32 y) {
        for (u32 x = 0; x < light.width(); ++x) {
            for (u32 c = 0; c < kColours; ++c) {
                const float all = colour.whole.at(x, y, c);
                const float part = colour.maybe_less ? all - colour.maybe_less->at(x, y, c) : all;
                light.row(c, y)[x] = part / reflected_share(albedo.at(x, y, c));
            }
        }
    });
    return light;
}

}  // namespace weft::denoise
