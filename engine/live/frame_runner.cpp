#include "engine/live/frame_runner.h"

#include <algorithm>

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

void FrameRunner::set_unit_attached(u32 unit, bool is_attached) {
    const std::lock_guard lock(mutex_);
    is_detached_.resize(std::max<std::size_t>(is_detached_.size(), unit + 1));
    is_detached_[unit] = !is_attached;
}

bool FrameRunner::is_unit_attached(u32 unit) const {
    const std::lock_guard lock(mutex_);
    return unit >= is_detached_.size() || !is_detached_[unit];
}

// Attaches the others: a frame that was put aside may have left them out.
std::vector<u32> FrameRunner::detach_units(frame::Renderer& renderer) const {
    std::vector<u32> detached;
    const std::lock_guard lock(mutex_);
    for (u32 unit = 0; unit < is_detached_.size(); ++unit) {
        if (is_detached_[unit]) {
            detached.push_back(unit);
        } else {
            renderer.attach_unit(unit);
        }
    }
    return detached;
}

// Each whole picture of the frame is presented.
frame::RunHooks FrameRunner::hooks_of(LiveFrame& frame, const RunRules& rules) {
    frame::RunHooks hooks;
    if (rules.on_progress) {
        hooks.on_progress = [on_progress = rules.on_progress](const frame::FrameProgress&) {
            on_progress();
        };
    }
    hooks.should_hold = rules.should_hold;
    hooks.detached = detach_units(*frame.renderer);
    frame.shown->on_shown([this, &frame] {
        if (!frame.is_hidden) {
            presenter_.present(frame);
        }
    });
    hooks.maybe_watcher = frame.shown.get();
    return hooks;
}

}  // namespace weft::live
