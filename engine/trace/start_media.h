// start_media.h — the media in which paths start: those around the camera.
//
// engine/frame/camera_media.h finds them before a frame. Units copy them to their new paths, whose
// camera kernel leaves them in empty space.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "shaders/host/path_view.h"

namespace weft::trace {

// Materials of solids, innermost first; kNone: no further one.
using StartMedia = std::array<u32, shaders::kMediumDepth>;

inline constexpr StartMedia kEmptySpace = {kNone, kNone, kNone, kNone};

// Puts new paths into these media, after the camera kernel.
inline void start_in(const StartMedia& media,
                     const shaders::PathView& paths,
                     std::span<const u32> slots) {
    if (media == kEmptySpace) {
        return;
    }
    for (const u32 slot : slots) {
        std::copy(media.begin(), media.end(), paths.record[slot].medium);
    }
}

}  // namespace weft::trace
