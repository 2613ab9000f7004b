// frame_range.h — which frames of an animation a render makes, and how its files are named.
//
// Frame N shows the scene at N / fps seconds. A run of # in a file's name stands for the frame's
// number, with as many digits at least. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "app/command/render_options.h"

namespace weft::app {

inline constexpr u32 kMostFrame = 9'999'999;

// Frames of --frames, or of --frame-start, --frame-end and --frame-jump; empty: the scene at rest.
std::vector<u32> wanted_frames(const RenderOptions& options);

// Errors of the options above: both ways to name frames, or files without # for several frames.
base::Status check_frames(const RenderOptions& options);

// `name` with the frame's number for each run of #.
std::string name_of_frame(const std::string& name, u32 frame);

// The options of one frame: numbered files, `frame` set.
RenderOptions options_of_frame(const RenderOptions& options, u32 frame);

// "1,3,5..10,20-100x5" as numbers, in order, each once per mention; none: it is no such list.
std::optional<std::vector<u32>> parse_frames(const std::string& text);

}  // namespace weft::app
