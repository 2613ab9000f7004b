// denoiser.h — the façade of this room: a picture without most of its noise.
//
//     layers ─▶ ÷ albedo ─▶ regression of each half ─▶ × albedo ─▶ blend with the noisy picture
//               of direct light and of the rest               their sum
//
// The result depends on the layers and the arithmetic class alone, not on the number of threads.
// Runs where the configuration runs jobs.
#pragma once

#include <functional>

#include "engine/denoise/denoise_layers.h"
#include "engine/denoise/passes.h"
#include "shaders/host/shade_kernels.h"

namespace weft::denoise {

struct DenoiseConfig {
    // Quality computes as above; fast is the viewer's filter (fast_filter.h).
    Method method = Method::Quality;
    shaders::Isa isa = shaders::best_isa();
    // Asked by any thread that computes, between rows or blocks of pixels; true ends the work with
    // an error of kind Render.
    std::function<bool()> should_stop = {};
    RunJobs run = run_on_tbb;
};

// RGB of the picture. Errors: those of check_layers(), too little memory, stopped.
base::Result<film::Picture> denoise(const DenoiseLayers& layers, const DenoiseConfig& config);

}  // namespace weft::denoise
