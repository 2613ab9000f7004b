// drawn_frame.h — what the window shows: ImGui's last drawn frame, to which the next is compared.
//
// Most frames after an input draw the same triangles again, and without a GPU these cost most of
// the viewer's processor time. Interface thread only.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/base/ids.h"

struct ImDrawData;

namespace weft::app {

class DrawnFrame {
public:
    // Keeps the frame and returns whether it differs from the one kept before. `uploads` counts
    // the contents that textures have had, which triangles do not tell.
    bool take(const ImDrawData& frame, u64 uploads);

private:
    std::vector<std::byte> bytes_;
    std::vector<std::byte> before_;  // only within take(); its memory is kept
};

}  // namespace weft::app
