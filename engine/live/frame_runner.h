// frame_runner.h — runs a frame until its samples are done or it is held, and shows its pictures.
//
// One frame runs at a time, on the render thread and the workers that it starts; first pictures and
// refinements differ only in when they hold. Any thread may call what sets and tells.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "engine/live/live_frame.h"
#include "engine/live/live_status.h"
#include "engine/live/presenter.h"

namespace weft::live {

// Workers call both between two steps of a run, several at once. They must outlive the frame: its
// first run keeps should_hold for the later ones.
struct RunRules {
    std::function<bool()> should_hold;
    std::function<void()> on_progress;  // empty: nothing to do
};

class FrameRunner {
public:
    FrameRunner(Presenter& presenter, StatusBoard& board) : presenter_(presenter), board_(board) {}

    base::Status run(LiveFrame& frame, const RunRules& rules);

    // As LiveRender::set_drawing, from the next run on. Returns whether it changed.
    bool set_drawing(bool is_drawing) {
        return is_drawing_.exchange(is_drawing, std::memory_order_relaxed) != is_drawing;
    }

    // Units that frames leave out from the next run on (W9). Any thread.
    void set_unit_attached(u32 unit, bool is_attached);
    [[nodiscard]] bool is_unit_attached(u32 unit) const;

    [[nodiscard]] bool is_drawing() const { return is_drawing_.load(std::memory_order_relaxed); }

private:
    [[nodiscard]] std::vector<u32> detach_units(frame::Renderer& renderer) const;
    [[nodiscard]] frame::RunHooks hooks_of(LiveFrame& frame, const RunRules& rules);

    Presenter& presenter_;
    StatusBoard& board_;
    std::atomic<bool> is_drawing_{false};  // relaxed: a run more or less on the GPU does no harm
    mutable std::mutex mutex_;             // guards the one that follows
    std::vector<bool> is_detached_;        // by unit; units beyond its end are attached
};

}  // namespace weft::live
