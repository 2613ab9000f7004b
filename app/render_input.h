// render_input.h — from options to a scene that is ready for rays; frames and moments of an
// animation take over what they have in common.
//
// One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/render_outputs.h"
#include "app/render_stats.h"
#include "engine/frame/renderer.h"

namespace weft::app {

// What the next frame of an animation takes over: every part of the scene that did not change.
struct KeptFrame {
    std::shared_ptr<const Plan> plan;  // null before the first frame
    frame::PreparedScene prepared;
};

// Imports and edits the scene, then picks the camera and the settings.
base::Result<Plan> make_plan(const RenderOptions& options,
                             const std::string& command_line,
                             const KeptFrame& kept,
                             RenderTimes& times);

// The first half of make_plan(): imports, lights and completes the plan's scene. `is_cancelled` as
// in ImportConfig.
base::Status load_scene(const RenderOptions& options,
                        const KeptFrame& kept,
                        const std::function<bool()>& is_cancelled,
                        Plan& plan);

// The rest of make_plan(), of a plan that has its options, its command line and a completed scene:
// makes the edits, then picks the camera and the settings.
base::Status finish_plan(Plan& plan);

// Prepares the plan's frame, and keeps that of an animation for the next one.
base::Result<std::unique_ptr<frame::Renderer>> prepare_frame(const std::shared_ptr<Plan>& plan,
                                                             KeptFrame& kept);

// Lets the plan's frame show another moment of its exposure (Renderer::change_scene).
base::Status show_moment(const Plan& plan,
                         double frame_offset,
                         frame::Renderer& frame,
                         KeptFrame& kept);

}  // namespace weft::app
