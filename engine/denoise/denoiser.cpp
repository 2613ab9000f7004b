#include "engine/denoise/denoiser.h"

#include <algorithm>
#include <atomic>
#include <functional>
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

// The planes of the regression, its results, and what it compares; with direct light also the
// halves of the rest and the picture of either part.
constexpr u64 kBytesPerPixel = (kRegressionPlanes + 6 * kColours + 4) * sizeof(float);
constexpr u64 kBytesOfParts = 4 * kColours * sizeof(float);

// What a part leaves of the whole.
film::Picture rest_of(const film::Picture& whole, const film::Picture& part) {
    film::Picture rest = whole;
    std::transform(whole.pixels.begin(),
                   whole.pixels.end(),
                   part.pixels.begin(),
                   rest.pixels.begin(),
                   [](float all, float some) { return all - some; });
    return rest;
}

// Direct light and the rest are filtered apart where the layers tell them apart.
film::Picture filtered_picture(const DenoiseLayers& layers,
                               shaders::Isa isa,
                               const std::function<bool()>& should_stop) {
    const float dark = dark_light(layers.colour);
    const auto filtered = [&](const LightHalves& halves, float bandwidth) {
        Estimator estimator(layers, halves, dark, isa);
        return picture_of(estimator.estimate(bandwidth, should_stop), layers);
    };
    film::Picture picture;
    if (layers.has_direct()) {
        picture = filtered({layers.first_direct, layers.second_direct}, kDirectBandwidth);
        const film::Picture first = rest_of(layers.first_half, layers.first_direct);
        const film::Picture second = rest_of(layers.second_half, layers.second_direct);
        const film::Picture indirect = filtered({first, second}, kBandwidth);
        std::transform(picture.pixels.begin(),
                       picture.pixels.end(),
                       indirect.pixels.begin(),
                       picture.pixels.begin(),
                       std::plus<>());
    } else {
        picture = filtered({layers.first_half, layers.second_half}, kBandwidth);
    }
    blend_with_noisy(layers, dark, picture);
    return picture;
}

base::Result<film::Picture> filtered_fast(const DenoiseLayers& layers, shaders::Isa isa) {
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
    FastFilter filter(isa);
    WEFT_TRY(filter.filter(input, picture.pixels, run_on_tbb));
    return picture;
}

}  // namespace

base::Result<film::Picture> denoise(const DenoiseLayers& layers, const DenoiseConfig& config) {
    WEFT_TRY(check_layers(layers));
    if (config.method == Method::Fast) {
        return filtered_fast(layers, config.isa);
    }
    const u64 pixels = u64{layers.colour.width} * layers.colour.height;
    const base::Result<base::MemoryClaim> claim = base::claim_memory(
        (kBytesPerPixel + (layers.has_direct() ? kBytesOfParts : 0)) * pixels, "denoising");
    WEFT_TRY(claim);
    std::atomic<bool> is_stopped{false};
    const auto should_stop = [&] {
        // Relaxed: the end of the parallel loop orders it.
        if (config.should_stop && config.should_stop()) {
            is_stopped.store(true, std::memory_order_relaxed);
        }
        return is_stopped.load(std::memory_order_relaxed);
    };
    try {
        film::Picture picture = filtered_picture(layers, config.isa, should_stop);
        if (is_stopped.load(std::memory_order_relaxed)) {
            return base::Error{base::ErrorKind::Render, "denoising was stopped"};
        }
        return picture;
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory, "out of memory while denoising"};
    }
}

}  // namespace weft::denoise
