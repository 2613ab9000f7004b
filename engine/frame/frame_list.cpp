#include "engine/frame/frame_list.h"

#include "engine/frame/frame_vocabulary.h"
#include "scheduler/command/recorder.h"

namespace weft::frame {

namespace {

// Sets ray generation from the inherited view.
base::Status resolve_view(const View& view,
                          const command::Call& call,
                          command::CommandWriter& out) {
    const command::RenderState& state = call.state();
    const u64 camera = call.resource(slots::kViewCamera);
    const u64 begin = state.value(slots::kViewSamples);
    const u64 end = state.value(slots::kViewEnd);
    if (begin >= end) {
        return base::Error{
            base::ErrorKind::Render,
            "a frame of no samples: from " + std::to_string(begin) + " to " + std::to_string(end)};
    }
    const bool is_orthographic = view.cameras[camera].is_orthographic != 0;
    out.set(slots::kRayRoutine,
            static_cast<u64>(is_orthographic ? RayRoutine::Orthographic : RayRoutine::Perspective));
    out.bind(slots::kRayConstants, static_cast<u32>(state.value(slots::kViewCamera)));
    out.set(slots::kRaySamples, begin);
    out.set(slots::kRayCount, end - begin);
    return base::Done{};
}

FrameCall frame_call(const View& view, const command::Call& call) {
    const command::RenderState& state = call.state();
    FrameCall frame;
    frame.camera = view.cameras[call.resource(slots::kRayConstants)];
    frame.camera.is_orthographic =
        state.value(slots::kRayRoutine) == static_cast<u64>(RayRoutine::Orthographic) ? 1 : 0;
    frame.first_sample = static_cast<u32>(state.value(slots::kRaySamples));
    frame.sample_count = static_cast<u32>(state.value(slots::kRayCount));
    frame.has_auxiliary = state.value(slots::kAuxiliary) != 0;
    return frame;
}

}  // namespace

const command::ListPtr& frame_list() {
    static const command::ListPtr list = [] {
        command::Recorder recorder(frame_vocabulary(),
                                   {.max_commands = 1, .max_patches = 1, .max_operands = 0});
        recorder.request_patch(kPatchView, {});
        recorder.draw(kDrawFrame, {});
        return recorder.finish("frame").value();
    }();
    return list;
}

base::Result<command::SubmitFigures> submit_frame(
    const View& view, const std::function<base::Status(const FrameCall&)>& run) {
    const auto refuse = [](const command::Call&) -> base::Status {
        return base::Error{base::ErrorKind::Render, "a frame's list draws a part of the scene"};
    };
    const auto refuse_patch = [](const command::Call&, command::CommandWriter&) -> base::Status {
        return base::Error{base::ErrorKind::Render, "a frame's list asks for the scene's planes"};
    };
    command::Submitter submitter(
        frame_vocabulary(),
        {{refuse, refuse, [&](const command::Call& call) { return run(frame_call(view, call)); }},
         {[&](const command::Call& call, command::CommandWriter& out) {
              return resolve_view(view, call, out);
          },
          refuse_patch}});
    std::vector<u64> cameras;
    for (u64 camera = 0; camera < view.cameras.size(); ++camera) {
        cameras.push_back(camera);
    }
    command::RenderState state(frame_vocabulary().shape);
    state.set(slots::kViewCamera, view.camera);
    state.set(slots::kViewSamples, view.sample_begin);
    state.set(slots::kViewEnd, view.sample_end);
    state.set(slots::kAuxiliary, view.has_auxiliary ? 1 : 0);
    return submitter.submit({&frame_list(), 1}, {cameras, {}}, state);
}

}  // namespace weft::frame
