// flip.h — ꟻLIP: how different two alternating pictures look, per pixel in [0, 1].
//
// Written from the papers: P. Andersson et al., "FLIP: A Difference Evaluator for Alternating
// Images", HPG 2020, and "Visualizing Errors in Rendered High Dynamic Range Images", Eurographics
// 2021. Inputs are three planes of linear light; the screen is described by its pixels per degree
// of the visual field (67: a 0.7 m wide 4K screen at 0.7 m). Pure functions on any thread; rows run
// on several threads, and their number changes no bit.
#pragma once

#include <vector>

#include "engine/film/planes.h"

namespace weft::film {

inline constexpr float kDefaultPixelsPerDegree = 67.0206F;

// LDR-FLIP of the light that a screen emits, in [0, 1]. Both pictures have the same size.
Plane flip_of_light(const ColourPlanes& reference,
                    const ColourPlanes& test,
                    float pixels_per_degree);

// HDR-FLIP of scene-linear radiance: the largest LDR-FLIP over exposures that the reference
// chooses.
Plane flip_of_radiance(const ColourPlanes& reference,
                       const ColourPlanes& test,
                       float pixels_per_degree);

// The exposures (in stops) of HDR-FLIP, lowest first: from where the brightest pixel of
// the reference lies at 85 % of the display's white after tone mapping to where the median pixel
// does.
std::vector<float> flip_exposures(const ColourPlanes& reference);

}  // namespace weft::film
