// fast_filter.h — the filter for every refresh of a live picture: wavelets that stop at edges.
//
//     colour ÷ albedo ─▶ outliers, noise ─▶ five levels of 5 × 5 pixels ─▶ × albedo ─▶ blend
//                                           1, 2, 4, 8 and 16 pixels apart
//
// Edge-avoiding à-trous wavelets (Dammertz et al. 2010) over the light that falls on surfaces, with
// weights from normal, depth and albedo, and from brightness in standard deviations of its noise
// (Schied et al. 2017). A pixel far brighter than its neighbours, which its halves do not agree on,
// counts as bright as they are. With more samples the result becomes the input.
//
// The same input gives the same bits for any number of threads and within an arithmetic class. One
// thread at a time calls a filter; its work runs where the caller's function runs jobs.
#pragma once

#include <span>
#include <vector>

#include "engine/denoise/kernels/wavelet.h"
#include "engine/denoise/passes.h"
#include "scheduler/base/result.h"

namespace weft::denoise {

// A picture, row by row, of linear values. A span must be of its picture's size, or empty where it
// may be absent. Values are means over the samples of a pixel.
struct FastInput {
    u32 width = 0;                  // [1, 16384]
    u32 height = 0;                 // [1, 16384]
    std::span<const float> colour;  // RGB
    // RGB of two halves of the samples, with independent noise. Absent while pixels have less than
    // two samples: then neighbours tell the noise.
    std::span<const float> first_half;
    std::span<const float> second_half;
    // The first surface: RGB, XYZ and metres; zero where nothing is hit. May be absent.
    std::span<const float> albedo;
    std::span<const float> normal;
    std::span<const float> depth;
    // Samples of each pixel; absent: `sample_count` everywhere. A pixel of 0 samples has no colour
    // yet: it gets that of its neighbours, of surfaces like its own.
    std::span<const u32> samples;
    u32 sample_count = 1;
};

class FastFilter {
public:
    explicit FastFilter(shaders::Isa isa = shaders::best_isa());

    // Allocates for pictures of this size, 80 bytes per pixel; filter() calls it where the size
    // changes, and allocates nothing where it does not. Errors: a side of 0 or beyond 16384
    // (Scene), too little memory (Memory, TooLarge).
    base::Status resize(u32 width, u32 height);

    // Writes RGB of every pixel, 3 floats each; `out` may be the colour's own memory. Errors: a
    // layer of another size, or a value that is not finite, with layer and pixel (kind Scene);
    // those of resize().
    base::Status filter(const FastInput& input, std::span<float> out, const RunJobs& run);

private:
    [[nodiscard]] base::Status check(const FastInput& input, std::span<float> out) const;

    WaveletKernels kernels_;
    WaveletPlanes planes_;
    std::vector<float> values_;
    std::vector<RowSums> sums_;  // one per row
};

}  // namespace weft::denoise
