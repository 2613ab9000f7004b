// render_stats.h — the figures of a render as JSON (--stats). Other programs read it: do not rename
// its fields. app/figures.md documents them.
#pragma once

#include <chrono>
#include <string>

#include "app/command/render_options.h"
#include "engine/frame/renderer.h"

namespace weft::app {

// The version of the figures: it rises when a field changes or goes, not when one is added.
inline constexpr int kStatsSchema = 1;

struct RenderTimes {
    std::chrono::steady_clock::time_point begin;
    double import_s = 0;
    double total_s = 0;
};

std::string stats_text(const RenderOptions& options,
                       const scene::Scene& scene,
                       const frame::Renderer& renderer,
                       const RenderTimes& times,
                       const std::string& command_line);

// Writes that text: the whole file or none of it.
base::Status write_stats(const RenderOptions& options,
                         const scene::Scene& scene,
                         const frame::Renderer& renderer,
                         const RenderTimes& times,
                         const std::string& command_line);

// "samples", "time_limit", "signal" or "memory", for programs; "--spp", ... for people.
const char* stop_rule_name(frame::StopRule rule);
const char* stop_rule_text(frame::StopRule rule);

// Stops the running trace and writes its events as JSON for Perfetto. Errors: as write_stats().
base::Status write_trace(const std::string& path);

// Writes the whole text or none of it.
base::Status write_text(const std::string& path, const std::string& text);

// Returns the largest resident memory of this process so far.
u64 peak_rss_bytes();

}  // namespace weft::app
