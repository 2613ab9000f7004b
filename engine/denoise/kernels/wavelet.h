// wavelet.h — the passes of the fast filter (fast_filter.h), row by row in lanes.
//
//     prepare ─▶ all rows ─▶ examine ─▶ all rows ─▶ smooth, level 0 … 4 ─▶ all rows ─▶ finish
//
// A pass reads rows of other pixels that the pass before wrote, so it begins when that has ended.
// Sums have a fixed order and no lane adds to another, so AVX2 and AVX-512 give the same bits.
// Touches no global and allocates nothing; any thread, another row each.
#pragma once

#include <span>

#include "scheduler/base/ids.h"
#include "shaders/host/shade_kernels.h"

namespace weft::denoise {

inline constexpr u32 kWaveletLevels = 5;  // of 5 × 5 pixels, 1 << level pixels apart
inline constexpr u32 kExamineReach = 3;   // noise and outliers are looked for in 7 × 7 pixels

// What neighbours differ in, to e (wavelet.cpp): factors of the squared differences of normals, of
// depths relative to the pixel's, of albedo, and of brightness in standard deviations of its noise.
inline constexpr float kNormalScale = 32.0F;
inline constexpr float kDepthScale = 1e4F;
inline constexpr float kAlbedoScale = 30.0F;
inline constexpr float kNoiseScale = 0.125F;
// The same for the guide and for the robust brightness of single pixels, in the first level.
inline constexpr float kGuideScale = 2.0F;
inline constexpr float kOwnScale = 0.04F;
// A relative change of brightness that never counts.
inline constexpr float kLeastChange = 0.002F;
// The root of an outlier's brightness lies so many standard deviations beyond the mean of those of
// its neighbours, of which there are more than kFewNeighbours (by weight).
inline constexpr float kOutlier = 4.0F;
inline constexpr float kOutlierAlone = 2.0F;  // without halves, where outliers widen the deviation
inline constexpr float kFewNeighbours = 4.0F;
inline constexpr float kLargestInverse = 1e6F;
// Without halves and with few neighbours: the standard deviation of a pixel, relative.
inline constexpr float kUnknownNoise = 0.5F;
// A pixel without samples takes e by so much, and has this weight for all neighbours at least.
inline constexpr float kUnknownShare = 0.125F;
inline constexpr float kUnknownWeight = 1e-4F;
// Without halves the filtered share falls from the first number of samples on, to 0 at the second.
inline constexpr float kFewSamples = 512.0F;
inline constexpr float kManySamples = 8192.0F;

// The floats before and after each row: those of the farthest neighbour.
inline constexpr u32 kWaveletPad = 2U << (kWaveletLevels - 1);

// Planes of a row. Light and noise are there twice: a level reads one set and writes the other.
enum WaveletPlane : u32 {
    kWaveLight = 0,     // 3: RGB; 0 where nothing is known
    kWaveVariance = 3,  // of the light's brightness
    kWaveKnown = 4,     // 1, or 0 where no sample is; 0 outside of the picture
    kWaveSet = 5,       // the second set begins here
    kWaveNormal = 10,   // 3
    kWaveInverse = 13,  // 1 / depth; 0 where nothing is hit
    kWaveSlopeX = 14,   // of the inverse depth, per pixel to the right
    kWaveSlopeY = 15,   // and per pixel down
    kWaveAlbedo = 16,   // the mean of R, G and B
    kWaveNoise = 17,    // the variance of the light before the first level
    kWaveRoot = 18,     // the root of what both halves have of the brightness
    kWaveGuide = 19,    // brightness for the weights of the first level: a mean of 3 × 3 pixels
    kWaveletPlanes = 20
};

// Where the planes are: of each row, kWaveletPlanes planes one after the other, kWaveletPad floats
// before and after each; what lies outside of the picture is 0 at the start.
struct WaveletPlanes {
    u32 width = 0;
    u32 height = 0;
    std::size_t stride = 0;  // floats of a plane's row with its pads
    float* values = nullptr;

    [[nodiscard]] float* row(u32 plane, u32 y) const {
        return values + (std::size_t{y} * kWaveletPlanes + plane) * stride + kWaveletPad;
    }
};

// A row of the input, each span of `width` pixels or empty (FastInput).
struct WaveletRow {
    std::span<const float> colour;
    std::span<const float> first_half;
    std::span<const float> second_half;
    std::span<const float> albedo;
    std::span<const float> normal;
    std::span<const float> depth;
    std::span<const u32> samples;
    u32 sample_count = 1;
};

// What prepare() learns of a row.
struct RowSums {
    double roots = 0;  // the sum of the roots of the known pixels' brightness
    u32 known = 0;
    bool is_finite = true;
};

// How noise is judged in a picture.
struct WaveletScale {
    float dark = 1;           // of the light: brightness far below that of a typical pixel
    bool has_halves = false;  // prepare() found the variance in the difference of two halves
};

struct WaveletKernels {
    // Fills light, variance, known and the surface's planes of row y.
    RowSums (*prepare)(const WaveletRow& input, const WaveletPlanes& planes, u32 y);
    // The first set to the second: noise from the neighbours, outliers bounded; writes the slopes.
    void (*examine)(const WaveletScale& scale, const WaveletPlanes& planes, u32 y);
    // A level from the set that the level before wrote (level 0: the second) to the other.
    void (*smooth)(const WaveletScale& scale, const WaveletPlanes& planes, u32 level, u32 y);
    // Times albedo, blended with the input, as RGB.
    void (*finish)(const WaveletScale& scale,
                   const WaveletPlanes& planes,
                   const WaveletRow& input,
                   u32 y,
                   std::span<float> out);
};

// The passes for the instruction set; the machine must have it.
WaveletKernels wavelet_kernels(shaders::Isa isa);

}  // namespace weft::denoise
