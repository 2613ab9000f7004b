// denoise_step.h — `--denoise` and `weft denoise`: from the layers of a film to a picture without
// its noise.
//
// One thread calls; the work runs on oneTBB's threads.
#pragma once

#include <memory>

#include "engine/denoise/denoiser.h"
#include "engine/film/image_file.h"
#include "engine/film/layer_file.h"
#include "engine/film/resolved_film.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/result.h"

namespace weft::app {

// What the metadata say of such a picture (weft:denoised_by), such as "weft quality".
const char* denoised_by(denoise::Method method);

// RGB of the crop. Errors: the film lacks a layer, no memory, or should_stop() of the config.
base::Result<std::shared_ptr<const film::Picture>> denoised_picture(
    const film::ResolvedFilm& picture, const denoise::DenoiseConfig& config);

// RGB by the fast filter, of layers without halves. Errors: a value that is not finite, no memory.
base::Result<film::Picture> denoised_layers(const film::StoredLayers& layers);

// Says on stderr how long that took.
void say_denoised(base::Clock::time_point begin);

}  // namespace weft::app
