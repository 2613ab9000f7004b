// film_picture.h — how a film that was read from a file is written as a picture.
//
// Pure; any thread.
#pragma once

#include <string>

#include "app/command/render_options.h"
#include "engine/film/film_file.h"
#include "engine/film/image_file.h"

namespace weft::app {

// The options choose type, compression and view. An EXR keeps the sums; the metadata state what the
// record and the counts tell.
film::ImageConfig film_picture_config(const RenderOptions& options,
                                      const std::string& output,
                                      const film::SavedFilm& saved,
                                      const std::string& command_line);

}  // namespace weft::app
