// depth_watch.h — the range of depths in the picture, for the scale of false colours.
//
// Rays through a grid of points measure it, independent of the sample count, so that the scale
// stays while the picture refines. The rays run on their own thread, once per job, while no drag is
// in progress. Owner: interface thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "app/view/background/background.h"
#include "engine/live/live_render.h"

namespace weft::app {

// The nearest and the farthest depth in metres, without the extreme 1 % at either end, rounded
// outwards to two digits; none if no ray hits a surface.
std::optional<std::array<float, 2>> depth_range(std::vector<float> distances_m);

class DepthWatch {
public:
    // Takes a finished measurement and starts one for a new job. Returns the new scale once it is
    // known. `live` must outlive the measurement, since the destructor waits for it.
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
