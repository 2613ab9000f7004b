// edit_options.h — `--edits FILE` and `--set path=value`: edits that apply after all other options.
//
// The file applies first, then each --set in command-line order. So edits have the last word: they
// may show what --hide hides, --show shows nothing that they hide, and a frame that they set counts
// before --width and --height. render and view call these
// functions after complete_scene(). One thread.
#pragma once

#include "app/command/render_options.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// Parses "path=value". The value is JSON, or a list of numbers with commas, or else a plain string:
// base_color=1,0,0 and environment/file=sky.hdr need no brackets and no quotes.
base::Result<scene::Edit> parse_set(const std::string& text);

// Takes camera, hidden nodes, section planes, exposure and view transform from the options, then
// applies all edits. `scene` must be complete; after an error it may hold some of the edits.
base::Result<scene::EditContext> edited_context(const RenderOptions& options, scene::Scene& scene);

// Returns the frame size that --width and --height ask for, which edits may change; 0, 0: none.
std::array<u32, 2> asked_size(const RenderOptions& options, const scene::Camera& camera);

// Returns the picture's size after edits: the percentage of the frame size, or of the camera's
// default size if no frame size is set.
std::array<u32, 2> framed_size(const scene::EditContext& context);

// Returns pick_settings() for the context's camera, with framed_size() and the edited section
// planes and focus.
base::Result<frame::RenderSettings> edited_settings(const RenderOptions& options,
                                                    const scene::EditContext& context);

}  // namespace weft::app
