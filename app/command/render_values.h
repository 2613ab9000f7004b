// render_values.h — the values of render's options that have parts: vectors, planes, pixels,
// policies and edits.
//
// As option_values.h, which has the values of one part.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/command/option_values.h"
#include "app/command/render_options.h"

namespace weft::app {

// r,g,b from 0
OptionValue colour(std::optional<std::array<float, 3>>& value);

// ex,ey,ez,tx,ty,tz[,ux,uy,uz]
OptionValue look_at(std::optional<LookAt>& value);

// A file, or the name of an installed map, of which the file is stored.
OptionValue environment_map(std::string& value);

// x0,x1,y0,y1
OptionValue pixel_bounds(std::optional<film::Region>& value);

// nx,ny,nz,d; at most kMaxClipPlanes
OptionValue clip_planes(std::vector<std::array<float, 4>>& values);

// NAME=PATTERN,PATTERN,...;NAME=...
OptionValue light_groups(film::LightGroups& value);

// x,y[,sample]
OptionValue debug_pixel(std::optional<DebugPixel>& value);

// k/N
OptionValue slice(std::optional<SliceChoice>& value);

// PROGRAM … {color} … {output} (denoise_command.h)
OptionValue denoise_command(std::optional<DenoiseCommand>& value);

// 1,3,5..10,20-100x5 (frame_range.h)
OptionValue frame_list(std::vector<u32>& frames);

// POLICY or ROUTINE=POLICY, with commas between them
OptionValue policies(std::vector<PolicyChoice>& values);

// path=value (edit_options.h)
OptionValue edits(std::vector<scene::Edit>& values);

}  // namespace weft::app
