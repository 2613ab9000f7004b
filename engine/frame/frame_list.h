// frame_list.h — the command list that every frame submits: recorded once for the program, patched
// each time with camera and sample range.
//
// The view is inherited state. The list's patch turns it into the constants of ray generation, and
// its draw runs the frame. The list depends on nothing else, so frames of all sizes and settings
// submit the same one. Any thread, each with its own frame.
#pragma once

#include <functional>
#include <span>

#include "scheduler/base/result.h"
#include "scheduler/command/submitter.h"
#include "shaders/host/path_view.h"

namespace weft::frame {

// The state that a frame inherits.
struct View {
    std::span<const shaders::CameraRecord> cameras;
    u32 camera = 0;        // index into cameras
    u32 sample_begin = 0;  // of each pixel
    u32 sample_end = 1;
    bool has_auxiliary = false;  // AOVs are written as well
};

// The arguments of the frame's draw.
struct FrameCall {
    shaders::CameraRecord camera{};
    u32 first_sample = 0;
    u32 sample_count = 0;
    bool has_auxiliary = false;
};

const command::ListPtr& frame_list();

// Submits the list under this view, and calls `run` where it draws. Errors: no such camera, no
// sample, or the error of `run`.
base::Result<command::SubmitFigures> submit_frame(
    const View& view, const std::function<base::Status(const FrameCall&)>& run);

}  // namespace weft::frame
