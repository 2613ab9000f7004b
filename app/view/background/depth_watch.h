// depth_watch.h — how far away what the picture shows lies, for the scale of false colours.
//
// Rays through a grid of points say it, the same for a picture however many samples it has: the
// scale stays while the picture gets finer. They run on a thread of their own; the interface does
// not wait. It asks once per job, once no drag is in progress. Owner: interface thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

// From the nearest to the farthest in metres, but for one in a hundred at either end, and rounded
// outwards to two digits; none where nothing is to be seen.
std::optional<std::array<float, 2>> depth_range(std::vector<float> distances_m);

class DepthWatch {
public:
    // Takes an answer, and asks where none was asked for this job. What the scale is to be from now
    // on, when it is known. `live` outlives the question, since the destructor waits for it.
    std::optional<std::array<float, 2>> poll(const live::LiveRender& live,
                                             u32 width,
                                             u32 height,
                                             u64 job);

    [[nodiscard]] bool is_waiting() const { return question_.is_running(); }

private:
    u64 asked_job_ = 0;
    Background<std::optional<std::array<float, 2>>> question_;
};

}  // namespace weft::app
