// outliers.h — bright samples that one half of a picture has alone: what filters would smear.
//
// The result does not depend on the number of threads.
#pragma once

#include "engine/denoise/passes.h"
#include "engine/denoise/planes.h"

namespace weft::denoise {

// An outlier's root lies so many standard deviations beyond the mean of the roots around it.
inline constexpr float kOutlierDeviations = 5.0F;
// What the other half has so many times less of is no outlier.
inline constexpr float kOutlierRatio = 4.0F;

// Darkens the pixels of both halves (light, 3 channels) whose brightness is beyond what the 7 × 7
// pixels around let expect, to that bound, with their hue. The bound comes from the roots of what
// both halves agree on, the smaller brightness of the two, so that no single sample moves it; it is
// at least kOutlierRatio times the pixel's own. `dark`: dark_light() of the picture.
void bound_outliers(Planes& first, Planes& second, float dark, const Passes& passes);

}  // namespace weft::denoise
