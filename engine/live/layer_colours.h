// layer_colours.h — display colours of a film's layers: the beauty by its view transform, AOVs and
// false colours by scales of their own.
//
// Pure; any thread. `values` are the means of one pixel: four for the beauty, as many as an AOV has
// channels, none for an instance.
#pragma once

#include <array>
#include <optional>

#include "engine/film/display.h"
#include "engine/live/shown_picture.h"

namespace weft::live {

// What makes bytes of the beauty of a view: once for all of its pixels.
film::DisplayConfig display_of(const LiveView& view);

// Four bytes of the beauty. `display` is that of the view.
void beauty_bytes(const float* mean,
                  const LiveView& view,
                  const film::DisplayConfig& display,
                  u8* rgba);

// Four bytes of an AOV: albedo through the view transform; a normal's axes as colours; fractions of
// a position's metres as colours; depth as grey, bright when near; each instance in its own colour;
// noise always as false colours, black where it is not known yet; a part of the light as the
// beauty.
void layer_bytes(const LiveView& view,
                 const film::DisplayConfig& display,
                 const float* values,
                 u32 instance,
                 u8* rgba);

// The scale of false colours: 0 black blue, through green and yellow, to 1 white.
std::array<float, 3> false_colour(float at);

// The values at both ends of that scale, if the view shows it: cd/m², or metres for a depth. The
// scale is logarithmic.
std::optional<std::array<float, 2>> false_colour_range(const LiveView& view);

}  // namespace weft::live
