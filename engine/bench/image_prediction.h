// image_prediction.h — what a whole image should gain by what its rays gain, and how fast the
// renderer's rays are beside rays that do nothing but travel.
//
// The time of the image with Embree's calls, less what Embree takes for a picture's rays by the
// rates of its variants, plus what K2 takes for them, is what the keyed image should take. What is
// measured beyond that is lost, or won, between the rays: caches that shading shares with the tree,
// batches that are not full. Pure; one thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/bench/image_bench.h"

namespace weft::bench {

struct ImagePrediction {
    // Of the processor time of the image with Embree's calls and gathered shading: what Embree's
    // variants would take for its rays.
    double embree_share = 0;
    // Processor time of that image / of the keyed one: by the variants' rates, and as measured.
    double predicted = 0;
    double measured = 0;
    // Rays per second of processor time: of the keyed image, all of its work included, over those
    // of Embree's fastest calls for the same mix of classes.
    double renderer_over_embree = 0;
};

// Classes that have fewer of a picture's rays need no rates of their own.
inline constexpr double kSmallShare = 0.02;

// `share`: of a picture's rays, by class. None where an image (keyed depth first; Embree gathered)
// or the rates of a class that matters are missing.
std::optional<ImagePrediction> predict_image(const std::vector<ImageRow>& images,
                                             const std::vector<ClassRows>& rays,
                                             const std::array<double, kRayClasses>& share);

}  // namespace weft::bench
