// denoise_step.h — `--denoise` and `weft denoise`: from the layers of a film to a picture without
// its noise, with a line on stderr; a signal ends it.
//
// One thread calls; the work runs on oneTBB's threads.
#pragma once

#include <memory>

#include "engine/film/image_file.h"
#include "engine/film/resolved_film.h"
#include "scheduler/base/result.h"
#include "shaders/host/shade_kernels.h"

namespace weft::app {

// What the metadata say of such a picture (weft:denoised_by).
inline constexpr const char* kDenoisedBy = "weft quality";

// RGB of the crop. Errors: the film lacks a layer, no memory, or a signal.
base::Result<std::shared_ptr<const film::Picture>> denoised_picture(
    const film::ResolvedFilm& picture, shaders::Isa isa);

}  // namespace weft::app
