// external_denoiser.h — `--denoise-command`: a program of the user's denoises the finished picture.
//
//     film ──▶ {color} {albedo} {normal} as files ──▶ program ──▶ {output} ──▶ picture; film
//     unchanged
//
// The words of the command go to the program as they are: no shell reads them. Files are EXR, or
// PFM where the word says so ({color.pfm}); they lie in a folder of mode 0700 that is removed
// afterwards. One thread.
#pragma once

#include <memory>

#include "app/command/denoise_command.h"
#include "engine/film/image_file.h"
#include "scheduler/base/result.h"

namespace weft::app {

// Runs the command to its end, or until a signal interrupts the program. Returns RGB of the crop.
// Errors, of kind Render: the program failed, or wrote no picture, or one of another size, or with
// values that are not finite.
base::Result<std::shared_ptr<const film::Picture>> run_denoiser(const DenoiseCommand& command,
                                                                const film::ResolvedFilm& picture);

}  // namespace weft::app
