#include "engine/denoise/denoiser.h"

#include <atomic>
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

// The planes of the regression, its results, and what it compares.
constexpr u64 kBytesPerPixel = (kRegressionPlanes + 6 * kColours + 4) * sizeof(float);

film::Picture filtered_picture(const DenoiseLayers& layers,
                               shaders::Isa isa,
                               const std::function<bool()>& should_stop) {
    Estimator estimator(layers, isa);
    film::Picture picture = picture_of(estimator.estimate(kBandwidth, should_stop), layers);
    blend_with_noisy(layers, dark_light(layers.colour), picture);
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
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(kBytesPerPixel * pixels, "denoising");
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
