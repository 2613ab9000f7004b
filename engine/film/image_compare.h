// image_compare.h — the distance of a picture from a reference: one number per metric, and a
// picture of the errors.
//
// With d = test − reference over the R, G and B of all pixels (grey counts as three equal channels;
// alpha is left out):
//   rmse    √ mean d²
//   relmse  mean d² / (reference² + 0.01)         0.01 keeps dark pixels from deciding alone
//   psnr    10 · log10(1 / mean d²) on display values in [0, 1], in dB; infinite for equal pictures
//   flip    mean of LDR-FLIP of display values after exposure and view transform; or of HDR-FLIP
// Sums run in a fixed order, in double. Pure; any thread.
#pragma once

#include <string_view>

#include "engine/film/flip.h"
#include "engine/film/image_file.h"
#include "engine/film/view_transform.h"
#include "scheduler/base/result.h"

namespace weft::film {

enum class Metric { Rmse, RelMse, Psnr, Flip };

std::string_view metric_name(Metric metric);

struct CompareConfig {
    Metric metric = Metric::Flip;
    bool is_hdr = false;  // flip: HDR-FLIP, which chooses its own exposures
    ViewTransform view = ViewTransform::Standard;       // psnr, LDR-FLIP
    float exposure_stops = 0;                           // psnr, LDR-FLIP
    float pixels_per_degree = kDefaultPixelsPerDegree;  // flip; above 0
};

struct Comparison {
    double value = 0;
    Picture errors;  // one channel: per pixel √mean d², √relmse, √mean d² of display values, FLIP
};

// An error of kind Scene where the pictures do not cover the same pixels.
base::Result<Comparison> compare_pictures(const Picture& reference,
                                          const Picture& test,
                                          const CompareConfig& config);

// Errors in [0, 1] as colours from black over violet and orange to pale yellow; display values.
Picture coloured_errors(const Picture& errors);

}  // namespace weft::film
