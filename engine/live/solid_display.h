// solid_display.h — shows the newest prepared job without light: its first pass at once, and
// smoother ones while nothing else is asked of the render thread.
//
// While it shows, no frame is begun or refined; those that exist keep their samples. The render
// thread's.
#pragma once

#include <memory>

#include "engine/live/job_queue.h"
#include "engine/live/live_status.h"
#include "engine/live/presenter.h"
#include "engine/live/scene_preparer.h"
#include "engine/live/solid_picture.h"

namespace weft::live {

class SolidDisplay {
public:
    SolidDisplay(const JobQueue& queue,
                 const ScenePreparer& preparer,
                 Presenter& presenter,
                 StatusBoard& board)
        : queue_(queue), preparer_(preparer), presenter_(presenter), board_(board) {}

    // Draws the prepared job and shows it. Fails the board where memory is too small.
    void show(const LiveJob& job, u64 number, LiveDisplay display);
    // Draws the other passes, until an answer is due.
    void smooth();

    // Films are shown again.
    void hide() { picture_ = nullptr; }

    [[nodiscard]] bool is_shown() const { return picture_ != nullptr; }

    [[nodiscard]] bool shows(u64 job, LiveDisplay display) const {
        return picture_ && job_ == job && picture_->display() == display;
    }

private:
    const JobQueue& queue_;
    const ScenePreparer& preparer_;
    Presenter& presenter_;
    StatusBoard& board_;
    std::shared_ptr<SolidPicture> picture_;  // null: films are shown
    u64 job_ = 0;
};

}  // namespace weft::live
