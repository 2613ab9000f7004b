// spread_pictures.h — the pictures of a job that has few samples: edges and textures from what each
// pixel hits, light from the samples that there are and from the pictures before.
//
//     first picture ──► surfaces of all pixels ──► first picture, spread over them beside their
//          the last picture and its surfaces ──►   history; and so each picture of the frame
//
// With a history the first picture is drawn as coarse as possible and shown only in this way: what
// was shown before stays until then. Where reading the surfaces takes too long for that, those of
// every second or fourth pixel are read first. Without a history another job that waits ends the
// reading, and the first picture stays as it is.
//
// The render thread's.
#pragma once

#include <memory>

#include "engine/live/first_picture.h"
#include "engine/live/job_queue.h"
#include "engine/live/live_frames.h"
#include "engine/live/presenter.h"
#include "engine/live/scene_preparer.h"

namespace weft::live {

class SpreadPictures {
public:
    SpreadPictures(const JobQueue& queue,
                   const ScenePreparer& preparer,
                   const LiveFrames& frames,
                   const FirstPicture& first_picture,
                   Presenter& presenter)
        : queue_(queue),
          preparer_(preparer),
          frames_(frames),
          first_picture_(first_picture),
          presenter_(presenter) {}

    // Whether pictures of the prepared job have a history: then show() shows its first one. After
    // the frame before was put aside.
    bool expects_history(const LiveJob& job, const LiveView& view);

    // Reads the surfaces of the prepared job, finds their history, and shows the first picture by
    // both.
    void show(const LiveJob& job, const LiveView& view);

    // Has the pictures of the job's frame use what show() has read.
    void hand_over(const LiveFrame& frame);

private:
    void read(const LiveJob& job, u32 step, const std::function<bool()>& should_stop);
    [[nodiscard]] bool present_first(u32 step);
    [[nodiscard]] u32 pick_step(const LiveJob& job) const;

    const JobQueue& queue_;
    const ScenePreparer& preparer_;
    const LiveFrames& frames_;
    const FirstPicture& first_picture_;
    Presenter& presenter_;
    FormerPicture former_;  // the last one that had surfaces
    LiveJob former_job_;
    float most_samples_ = 0;                         // that the history is worth; 0: there is none
    std::shared_ptr<const SurfacePixels> surfaces_;  // null: not read
    std::shared_ptr<const PictureHistory> history_;  // null: none
    double pixel_s_ = 2.5e-7;  // seconds for a pixel of the last first picture
};

}  // namespace weft::live
