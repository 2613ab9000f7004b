// frame_list.h — the one list that every frame submits: recorded once, patched each time with
// camera and sample range.
//
// The view is inherited state; the list's patch makes of it what ray generation needs, and its draw
// runs the frame. One thread.
#pragma once

#include <functional>
#include <span>

#include "scheduler/base/result.h"
#include "scheduler/command/submitter.h"
#include "shaders/host/path_view.h"

namespace weft::frame {

// What a frame inherits.
struct View {
    std::span<const shaders::CameraRecord> cameras;
    u32 camera = 0;        // of them
    u32 sample_begin = 0;  // of each pixel
    u32 sample_end = 1;
    bool has_auxiliary = false;  // AOVs are written, too
};

// What its draw sees.
struct FrameCall {
    shaders::CameraRecord camera{};
    u32 first_sample = 0;
    u32 sample_count = 0;
    bool has_auxiliary = false;
};

class FrameList {
public:
    FrameList();

    // Calls `run` where the list draws. Errors: no such camera, no sample, or what `run` says.
    base::Result<command::SubmitFigures> submit(
        const View& view, const std::function<base::Status(const FrameCall&)>& run) const;

private:
    command::ListPtr list_;
};

}  // namespace weft::frame
