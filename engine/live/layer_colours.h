// layer_colours.h — what the layers of a film look like on a screen: the beauty by its view
// transform, AOVs and false colours by scales of their own.
//
// Pure; any thread. `values` are the means of one pixel: four of the beauty, as many as the layer
// has of an AOV, none of "instance".
#pragma once

#include <array>
#include <optional>

#include "engine/film/display.h"
#include "engine/live/shown_picture.h"

namespace weft::live {

// The AOVs of a film by name.
inline constexpr std::array<const char*, 5> kLayers = {
    "albedo", "normal", "position", "depth", "instance"};

// Four bytes of the beauty. `scale` is that of the view's exposure.
void beauty_bytes(const float* mean, const LiveView& view, float scale, u8* rgba);

// Four bytes of an AOV: albedo through the view transform, a normal's axes as colours, positions as
// the fractions of metres, near things bright in the depth, each instance in a colour of its own.
void layer_bytes(const LiveView& view, const float* values, u32 instance, u8* rgba);

// The scale of false colours: 0 black blue, through green and yellow, to 1 white.
std::array<float, 3> false_colour(float at);

// The values at its two ends, where this view shows it: cd/m² or, of "depth", metres. Equal ways
// along the scale are equal factors.
std::optional<std::array<float, 2>> false_colour_range(const LiveView& view);

}  // namespace weft::live
