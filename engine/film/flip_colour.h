// flip_colour.h — FLIP's colour pipeline: filters two pictures as the eye does at a distance, and
// measures how far apart their colours are.
//
// After section 4.1 of the 2020 paper (flip.h): filters of contrast sensitivity in an opponent
// space, then distances in a uniform space. Pure functions, any thread. Used by flip.cpp alone.
#pragma once

#include "engine/film/planes.h"

namespace weft::film {

// Relative luminance of linear Rec. 709.
double luminance_of(const Colour& rgb);

// Linear RGB in the space of the filters (YCxCz); channel 0 is achromatic, −16 for black and 100
// for white.
Colour to_opponent(const Colour& rgb);

// The colours that the eye resolves, as CIELAB with chroma weakened in the dark.
ColourPlanes seen_colours(const ColourPlanes& opponent, double pixels_per_degree);

// Distance of two seen colours, in [0, 1].
double seen_distance(const Colour& a, const Colour& b);

}  // namespace weft::film
