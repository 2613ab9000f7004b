// edit_options.h — `--edits FILE` and `--set path=value`: edits on top of what the other options
// make of a scene.
//
// The file comes first, then each --set in the order given. Called by render and view once the
// scene is complete. One thread.
#pragma once

#include "app/command/render_options.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// "path=value" as an edit. The value is JSON; numbers with commas are a list, and what is neither
// is a text: base_color=1,0,0 and environment/file=sky.hdr need no brackets and quotes.
base::Result<scene::Edit> parse_set(const std::string& text);

// Camera, hidden nodes, section planes, exposure and view transform as the options say, then all
// edits. The scene has been completed; on error it is half edited.
base::Result<scene::EditContext> edited_context(const RenderOptions& options, scene::Scene& scene);

// The picture's size as the edits have it: the frame's percentage of its size, which is the
// camera's where none is set.
std::array<u32, 2> framed_size(const scene::EditContext& context);

// pick_settings() for the context's camera, with what else the edits have changed. --width and
// --height go before the frame of the edits.
base::Result<frame::RenderSettings> edited_settings(const RenderOptions& options,
                                                    const scene::EditContext& context);

}  // namespace weft::app
