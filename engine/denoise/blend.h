// blend.h — from an estimate of the light to the picture: times albedo, and mixed with the noisy
// picture where the estimate is farther from it than its noise explains.
//
// The results do not depend on the number of threads.
#pragma once

#include "engine/denoise/denoise_layers.h"
#include "engine/denoise/estimator.h"

namespace weft::denoise {

// Relative standard errors of a pixel: below the first nothing is filtered, from the second on all.
inline constexpr float kCleanNoise = 0.03F;
inline constexpr float kNoisyNoise = 0.08F;

// Adds the mean of the estimate's halves, as colours, to a picture of three channels.
void add_colours(const Estimate& estimate,
                 const DenoiseLayers& layers,
                 film::Picture& picture,
                 const Passes& passes);

// Replaces `filtered` by its mixture with the noisy picture. The share of the filtered one is twice
// the noise that the halves show over the square of its distance from the noisy picture, at most 1,
// both over 9 × 9 pixels and relative to the light: less than 1 where the filter changed more than
// noise explains. Below kNoisyNoise the share falls, to 0 at kCleanNoise, so that the result
// becomes the film's as samples grow. `dark`: dark_light() of the colours.
void blend_with_noisy(const DenoiseLayers& layers,
                      float dark,
                      film::Picture& filtered,
                      const Passes& passes);

}  // namespace weft::denoise
