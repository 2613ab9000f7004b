// sky.cpp — environments made in code; see sky.h.
#include "engine/scene/model/sky.h"

#include <cmath>
#include <cstddef>

#include "engine/math/vector.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {
namespace {

constexpr u32 kWidth = 64;
constexpr u32 kHeight = 32;

using math::DVec3;

struct Gradient {
    DVec3 zenith{};
    DVec3 horizon{};
    DVec3 ground{};
    double glow = 0;         // strength of the bright region
    double mean = 1;         // mean luminance over the sphere, cd/m²
    DVec3 glow_direction{};  // unit length
};

DVec3 blend(const DVec3& a, const DVec3& b, double t) {
    return a + (b - a) * t;
}

DVec3 gradient_color(const Gradient& gradient, const DVec3& direction) {
    const double up = direction[1];
    // Above: from horizon to zenith, steep at first. Below: the ground, with a short soft edge.
    const DVec3 color = up >= 0 ? blend(gradient.horizon, gradient.zenith, std::sqrt(up))
                                : blend(gradient.horizon, gradient.ground, std::fmin(1.0, -up * 6));
    const double toward = std::fmax(0.0, dot(direction, gradient.glow_direction));
    const double glow = 1 + gradient.glow * toward * toward * toward * toward;
    return color * glow;
}

Environment paint(const std::string& name, const Gradient& gradient) {
    Environment environment;
    environment.name = name;
    environment.width = kWidth;
    environment.height = kHeight;
    std::vector<double> colors;
    double luminance_sum = 0;
    double weight_sum = 0;
    for (u32 row = 0; row < kHeight; ++row) {
        const double latitude = shaders::kPi * (0.5 - (row + 0.5) / kHeight);
        const double level = shaders::cos_of(latitude);
        for (u32 column = 0; column < kWidth; ++column) {
            // The inverse of u = 0.5 + atan2(z, x) / 2π.
            const double longitude = 2 * shaders::kPi * ((column + 0.5) / kWidth - 0.5);
            const DVec3 color = gradient_color(gradient,
                                               {level * shaders::cos_of(longitude),
                                                shaders::sin_of(latitude),
                                                level * shaders::sin_of(longitude)});
            luminance_sum += level * (0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2]);
            weight_sum += level;
            for (const double channel : math::components(color)) {
                colors.push_back(channel);
            }
        }
    }
    const double scale = gradient.mean * weight_sum / luminance_sum;
    for (const double value : colors) {
        environment.pixels.push_back(static_cast<float>(value * scale));
    }
    return environment;
}

}  // namespace

Environment soft_environment() {
    Gradient gradient;
    gradient.zenith = {0.75, 0.95, 1.25};
    gradient.horizon = {1.35, 1.2, 1.0};
    gradient.ground = {0.28, 0.25, 0.22};
    gradient.glow = 5;
    gradient.mean = 0.5;
    gradient.glow_direction = {-0.48, 0.64, 0.6};
    return paint("soft default environment", gradient);
}

Environment clear_sky() {
    Gradient gradient;
    gradient.zenith = {0.35, 0.75, 1.7};
    gradient.horizon = {1.25, 1.3, 1.35};
    gradient.ground = {0.3, 0.26, 0.2};
    return paint("clear sky", gradient);
}

}  // namespace weft::scene
