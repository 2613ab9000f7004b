#include "engine/denoise/denoiser.h"

#include <new>

#include "engine/denoise/blend.h"
#include "engine/denoise/estimator.h"
#include "engine/denoise/fast_filter.h"
#include "engine/denoise/surface_light.h"
#include "scheduler/base/memory_limit.h"

namespace weft::denoise {

namespace {

// How unlike patches may be. Other values, and a choice among several by the error that the halves
// show, were no better on eight scenes (tests/bench/notebook/denoise.md).
constexpr float kBandwidth = 0.5F;
// Shadows and highlights have edges that no feature knows.
constexpr float kDirectBandwidth = 0.35F;

// The planes of the regression, its results, what it compares, and the picture.
constexpr u64 kBytesPerPixel = (kRegressionPlanes + 7 * kColours + 4) * sizeof(float);

film::Picture black_picture(const DenoiseLayers& layers) {
    film::Picture picture;
    picture.width = layers.colour.width;
    picture.height = layers.colour.height;
    picture.channels = kColours;
    picture.pixels.assign(layers.colour.pixels.size(), 0.0F);
    return picture;
}

// Direct light and the rest are filtered apart where the layers tell them apart.
film::Picture filtered_picture(const DenoiseLayers& layers,
                               shaders::Isa isa,
                               const Passes& passes) {
    film::Picture picture = black_picture(layers);
    const float dark = dark_light(layers.colour, passes);
    const auto add_filtered = [&](const LightHalves& halves, float bandwidth) {
        Estimator estimator(layers, halves, dark, isa, passes);
        add_colours(estimator.estimate(bandwidth), layers, picture, passes);
    };
    if (layers.has_direct()) {
        add_filtered({{layers.first_direct}, {layers.second_direct}}, kDirectBandwidth);
        add_filtered({{layers.first_half, &layers.first_direct},
                      {layers.second_half, &layers.second_direct}},
                     kBandwidth);
    } else {
        add_filtered({{layers.first_half}, {layers.second_half}}, kBandwidth);
    }
    blend_with_noisy(layers, dark, picture, passes);
    return picture;
}

base::Result<film::Picture> filtered_fast(const DenoiseLayers& layers,
                                          const DenoiseConfig& config) {
    FastInput input;
    input.width = layers.colour.width;
    input.height = layers.colour.height;
    input.colour = layers.colour.pixels;
    input.first_half = layers.first_half.pixels;
    input.second_half = layers.second_half.pixels;
    input.albedo = layers.albedo.pixels;
    input.normal = layers.normal.pixels;
    input.depth = layers.depth.pixels;
    film::Picture picture = layers.colour;
    FastFilter filter(config.isa);
    WEFT_TRY(filter.filter(input, picture.pixels, config.run));
    return picture;
}

}  // namespace

base::Result<film::Picture> denoise(const DenoiseLayers& layers, const DenoiseConfig& config) {
    const Passes passes(config.run, config.should_stop);
    WEFT_TRY(check_layers(layers, passes));
    if (config.method == Method::Fast) {
        return filtered_fast(layers, config);
    }
    const u64 pixels = u64{layers.colour.width} * layers.colour.height;
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(kBytesPerPixel * pixels, "denoising");
    WEFT_TRY(claim);
    try {
        film::Picture picture = filtered_picture(layers, config.isa, passes);
        if (passes.lacked_memory()) {
            throw std::bad_alloc();
        }
        if (passes.is_stopped()) {
            return base::Error{base::ErrorKind::Render, "denoising was stopped"};
        }
        return picture;
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory, "out of memory while denoising"};
    }
}

}  // namespace weft::denoise
