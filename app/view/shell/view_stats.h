// view_stats.h — the statistics of a viewer session as JSON (--stats).
//
// Frame times of the interface, times to the first pictures, counters of the last render. Called
// once, at the end, on the interface thread.
#pragma once

#include <string>

#include "app/view/models/frame_times.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct RenderLink;

// Writes the whole file or none.
base::Status write_view_stats(const std::string& path,
                              const RenderLink& link,
                              const FrameTimes& frame_times,
                              const std::string& command_line);

}  // namespace weft::app
