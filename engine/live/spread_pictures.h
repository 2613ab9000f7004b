// spread_pictures.h — coarse pictures of a frame at its full resolution: edges and textures from
// what each pixel hits, light from the few samples that there are, or from the picture before.
//
//     first picture ──► surfaces of all pixels ──► first picture, spread over them
//                                            └───► the last good picture, where it shows the same
//                                                  surfaces, if only the camera has moved
//
// A frame whose first picture is fine enough goes without. The render thread's.
#pragma once

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

    // Reads the surfaces of a frame that is not begun yet and has a first picture, for its coarse
    // pictures, and shows the first picture by them. Nothing where another job waits.
    void begin(const LiveFrame& frame, const LiveView& view);

private:
    [[nodiscard]] bool is_worth(const LiveFrame& frame, const LiveView& view) const;
    void show_first(const LiveFrame& frame,
                    const LiveView& view,
                    const std::shared_ptr<const SurfacePixels>& surfaces);

    const JobQueue& queue_;
    const ScenePreparer& preparer_;
    const LiveFrames& frames_;
    const FirstPicture& first_picture_;
    Presenter& presenter_;
};

}  // namespace weft::live
