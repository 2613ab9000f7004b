// image_prediction.h — predicts the speed-up of a whole image from that of its rays, and compares
// the renderer's rays per second with those of traversal alone.
//
// Predicted time of the keyed image = time of the image with Embree's calls − time of its rays at
// the rates of Embree's variants + time of its rays at the rate of K2. A difference between that
// and the measured time arises between the rays: caches that shading shares with the tree, batches
// that are not full. Pure; one thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/bench/image_bench.h"

namespace weft::bench {

struct ImagePrediction {
    // The share of rays, at the rates of Embree's variants, in the processor time of the image with
    // Embree's calls and gathered shading.
    double embree_share = 0;
    // Processor time of that image / of the keyed one: by the variants' rates, and as measured.
    double predicted = 0;
    double measured = 0;
    // Rays per second of processor time of the keyed image, all of its work included, over those of
    // Embree's fastest calls for the same mix of classes.
    double renderer_over_embree = 0;
};

// Classes with a smaller share of a picture's rays need no rates of their own.
inline constexpr double kSmallShare = 0.02;

// `share`: the share of each class in a picture's rays. Nothing where an image (keyed depth first;
// Embree gathered) or the rates of a class above kSmallShare are missing.
std::optional<ImagePrediction> predict_image(const std::vector<ImageRow>& images,
                                             const std::vector<ClassRows>& rays,
                                             const std::array<double, kRayClasses>& share);

}  // namespace weft::bench
