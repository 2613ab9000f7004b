// frame_list.h — the command list that every frame submits: recorded once, patched each time with
// camera and sample range.
//
// The view is inherited state. The list's patch turns it into the constants of ray generation, and
// its draw runs the frame. One thread.
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

class FrameList {
public:
    FrameList();

    // Calls `run` where the list draws. Errors: no such camera, no sample, or the error of `run`.
    base::Result<command::SubmitFigures> submit(
        const View& view, const std::function<base::Status(const FrameCall&)>& run) const;

private:
    command::ListPtr list_;
};

}  // namespace weft::frame
