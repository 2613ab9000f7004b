#include "engine/denoise/blend.h"

#include <algorithm>
#include <cmath>

#include "engine/denoise/surface_light.h"

namespace weft::denoise {

namespace {

constexpr u32 kBlendReach = 4;
// The noise of 81 pixels is known to a factor of about so much; less would give noise back.
constexpr float kTolerance = 2.0F;

float square(float value) {
    return value * value;
}

}  // namespace

void add_colours(const Estimate& estimate,
                 const DenoiseLayers& layers,
                 film::Picture& picture,
                 const Passes& passes) {
    passes.run(picture.height, [&](u32 y) {
        for (u32 x = 0; x < picture.width; ++x) {
            for (u32 c = 0; c < kColours; ++c) {
                const std::size_t at = kColours * (std::size_t{y} * picture.width + x) + c;
                const float light =
                    0.5F * (estimate.first.row(c, y)[x] + estimate.second.row(c, y)[x]);
                picture.pixels[at] += light * reflected_share(layers.albedo.pixels[at]);
            }
        }
    });
}

void blend_with_noisy(const DenoiseLayers& layers,
                      float dark,
                      film::Picture& filtered,
                      const Passes& passes) {
    const u32 width = filtered.width;
    const u32 height = filtered.height;
    const std::size_t pixels = std::size_t{width} * height;
    // Squares of the noise, and of the distance, relative to the light.
    std::vector<float> noise(pixels);
    std::vector<float> distance(pixels);
    const std::size_t row = std::size_t{kColours} * width;
    passes.run(height, [&](u32 y) {
        for (std::size_t at = y * row; at < (y + 1) * row; ++at) {
            const float colour = layers.colour.pixels[at];
            const float light = 0.5F * (std::fabs(colour) + std::fabs(filtered.pixels[at])) + dark;
            const float error =
                0.5F * (layers.first_half.pixels[at] - layers.second_half.pixels[at]);
            noise[at / kColours] += square(error / light) / 3.0F;
            distance[at / kColours] += square((filtered.pixels[at] - colour) / light) / 3.0F;
        }
    });
    noise = box_mean(noise, width, height, kBlendReach, passes);
    distance = box_mean(distance, width, height, kBlendReach, passes);
    passes.run(height, [&](u32 y) {
        for (std::size_t pixel = std::size_t{y} * width; pixel < std::size_t{y + 1} * width;
             ++pixel) {
            const float explained = kTolerance * noise[pixel];
            const float ratio = distance[pixel] > explained ? explained / distance[pixel] : 1.0F;
            const float need = std::clamp(
                (std::sqrt(noise[pixel]) - kCleanNoise) / (kNoisyNoise - kCleanNoise), 0.0F, 1.0F);
            const float share = ratio * need;
            for (std::size_t at = kColours * pixel; at < kColours * (pixel + 1); ++at) {
                const float colour = layers.colour.pixels[at];
                filtered.pixels[at] = colour + share * (filtered.pixels[at] - colour);
            }
        }
    });
}

}  // namespace weft::denoise
