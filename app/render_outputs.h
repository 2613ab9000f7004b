// render_outputs.h — what a render leaves behind: picture, snapshots, figures, trace, a summary.
//
// One thread, while no run of the frame is under way.
#pragma once

#include <string>

#include "app/command/render_options.h"
#include "app/render_stats.h"
#include "engine/frame/renderer.h"
#include "engine/scene/edit/edit.h"

namespace weft::app {

// Everything that a render needs to know, after options and edits.
struct Plan {
    RenderOptions options;  // with what edits say of exposure and view transform
    std::string command_line;
    scene::Scene scene;
    scene::EditContext context;
    frame::RenderSettings settings;
};

// Writes the picture as it is now; the frame is held, or its last run is over.
base::Status write_snapshot(const Plan& plan, frame::Renderer& frame);

// Picture, summary, figures and trace of a frame that ran.
base::Status write_outputs(const Plan& plan, const frame::Renderer& frame, RenderTimes& times);

}  // namespace weft::app
