// noise_bench.h — how far pictures of few samples are from one of many: noisy and denoised, with
// each way to choose lights, and with samples where the noise is.
//
// The reference has the same settings, another seed and many samples. It is noisy itself, which
// adds to every error. All variants take turns, and each renders its own picture: the seconds of a
// denoised one are those of sampling and denoising. Errors are those of image_compare.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/bench/ray_bench.h"
#include "engine/frame/renderer.h"

namespace weft::bench {

// What takes the noise out of a picture (engine/denoise).
enum class NoiseFilter { None, Fast, Quality };

struct NoiseVariant {
    u32 samples = 0;            // of a pixel, at most
    float noise_threshold = 0;  // blocks of pixels end there (engine/film/noise.h); 0: none does
    trace::LightChoice light_choice = trace::LightChoice::Tree;
    NoiseFilter filter = NoiseFilter::None;

    // Whether the picture is the renderer's own, with as many samples everywhere.
    [[nodiscard]] bool is_plain() const {
        return noise_threshold == 0 && light_choice == trace::LightChoice::Tree &&
               filter == NoiseFilter::None;
    }
};

struct NoiseRow {
    NoiseVariant variant{};
    double mean_samples = 0;  // of a pixel
    double relmse = 0;
    double flip = 0;         // LDR-FLIP in the standard view
    double worst_block = 0;  // largest √relmse of 8×8 pixels
    u32 repeats = 0;
    Spread seconds{};
    std::string film_hash{};
    bool is_repeatable = true;
};

struct NoiseBenchConfig {
    u32 repeats = 5;
    u32 reference_samples = 4096;
    std::vector<u32> samples = {16, 64};
    std::vector<float> noise_thresholds{};  // of pictures with at most a quarter of the reference's
    // Called before each picture but the reference, for progress; may be empty.
    std::function<void(const NoiseVariant& variant, u32 repeat)> on_frame;
    // Called between pictures: true ends the comparison with the rows so far. May be empty.
    std::function<bool()> is_stopped;
};

// Renders with the settings, but for samples, seed of the reference, layers and choice of lights.
// Errors: those of a render or of the denoiser.
base::Result<std::vector<NoiseRow>> compare_noise(const scene::Scene& scene,
                                                  const scene::Camera& camera,
                                                  const frame::RenderSettings& settings,
                                                  const std::vector<std::string>& hidden,
                                                  const NoiseBenchConfig& config);

}  // namespace weft::bench
