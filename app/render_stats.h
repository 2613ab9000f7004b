// render_stats.h — the figures of a render as JSON (--stats), with the field names of the command
// line's contract.
#pragma once

#include <string>

#include "app/render_options.h"
#include "engine/frame/renderer.h"

namespace weft::app {

struct RenderTimes {
    double import_s = 0;
    double total_s = 0;
};

// Writes FILE whole or not at all.
base::Status write_stats(const RenderOptions& options,
                         const scene::Scene& scene,
                         const frame::Renderer& renderer,
                         const RenderTimes& times,
                         const std::string& command_line);

// Largest resident memory of this process so far.
u64 peak_rss_bytes();

}  // namespace weft::app
