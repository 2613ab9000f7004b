// render_line.h — the `weft render` command that renders the viewer's picture, for the clipboard.
//
// Contains everything that the picture depends on, the devices and the scheduler, except defaults;
// in a shell it gives the same film hash. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"
#include "engine/frame/render_settings.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

struct RenderLine {
    const RenderOptions& options;           // with which the scene was opened
    const frame::RenderSettings& settings;  // size, samples, filter, ... at present
    std::string edits_file;                 // comes first; empty: none
    std::vector<scene::Edit> edits;         // follow the file, one by one
    std::string output = "picture.exr";
};

std::string render_line(const RenderLine& wanted);

}  // namespace weft::app
