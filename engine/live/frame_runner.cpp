#include "engine/live/frame_runner.h"

namespace weft::live {

namespace {

// A shorter run does not tell how many samples there are per second.
constexpr double kLeastMeasured_s = 0.005;

}  // namespace

base::Status FrameRunner::run(LiveFrame& frame, const RunRules& rules) {
    frame::Renderer& renderer = *frame.renderer;
    const u64 samples_before = renderer.figures().samples;
    const u64 stand_ins_before = renderer.figures().stand_ins;
    renderer.set_display_drawn(is_drawing());
    frame.clock.start();
    base::Status ran = renderer.run(hooks_of(frame, rules));
    const double run_s = frame.clock.stop();
    const u64 samples = renderer.figures().samples - samples_before;
    board_.update([&](LiveStatus& status) {
        status.counters.stand_ins += renderer.figures().stand_ins - stand_ins_before;
        if (run_s > kLeastMeasured_s && samples > 0) {
            status.samples_per_s = static_cast<double>(samples) / run_s;
        }
    });
    return ran;
}

// Tiles become visible one by one. A frame that shows nothing yet is presented with its last tile.
frame::RunHooks FrameRunner::hooks_of(LiveFrame& frame, const RunRules& rules) {
    frame::RunHooks hooks;
    if (rules.on_progress) {
        hooks.on_progress = [on_progress = rules.on_progress](const frame::FrameProgress&) {
            on_progress();
        };
    }
    hooks.should_hold = rules.should_hold;
    hooks.resolve = [&frame](const film::Region& tile, u32 samples) {
        frame.shown->resolve(tile, samples);
    };
    hooks.tone = [this, &frame](const film::Region& tile) {
        const bool was_complete = frame.shown->is_complete();
        frame.shown->tone(tile);
        if (!was_complete && frame.shown->is_complete() && !frame.is_hidden) {
            presenter_.present(frame);
        }
    };
    return hooks;
}

}  // namespace weft::live
