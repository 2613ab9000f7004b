// idle_options.h — options that were given and change nothing in this render.
//
// Whether some options change anything is known once the scene is read and the edits are made: its
// camera may have an aperture, an edit may add a section plane.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "engine/film/film.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// A note for each such option, which says what it lacks. `context` is that of the edited scene.
std::vector<scene::Note> idle_options(const RenderOptions& options,
                                      const scene::EditContext& context);

// Warns of those that a picture of the output's kind has no use for: for the commands that read a
// film and write a picture.
void say_idle_file_options(const RenderOptions& options, const std::string& output);

// The same of layers that the film lacks, once it is read.
void say_idle_layer_options(const RenderOptions& options,
                            const std::string& output,
                            const film::Film& film);

}  // namespace weft::app
