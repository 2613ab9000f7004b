// render_line.h — the `weft render` command that makes the picture of the viewer, for the
// clipboard.
//
// Says all that the picture depends on and the devices and scheduler, as far as it is not what
// render does by itself; pasted into a shell it gives the same film hash. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "engine/frame/render_settings.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

struct RenderLine {
    const RenderOptions& options;           // that the scene was opened with
    const frame::RenderSettings& settings;  // size, samples, filter, ... as they are now
    std::string edits_file;                 // goes first; empty: none
    std::vector<scene::Edit> edits;         // then these, one by one
    std::string output = "picture.exr";
};

std::string render_line(const RenderLine& wanted);

}  // namespace weft::app
