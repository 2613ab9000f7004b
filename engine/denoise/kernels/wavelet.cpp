// wavelet.cpp — the passes of wavelet.h, compiled once per instruction set.
//
// The weight of a neighbour is (1 − e / 4)⁴, 0 from e = 4 on: close to exp(−e), but three products.
// e adds up what is unlike: normals, the depth that the pixel's plane would have at the neighbour,
// albedo, and, in smooth(), brightness.
#include "engine/denoise/kernels/wavelet.h"

#include <algorithm>
#include <array>

#include "engine/denoise/blend.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/denoise/kernels/wavelet.cpp"
#include <hwy/foreach_target.h>
#include "engine/denoise/kernels/wavelet_lanes-inl.h"
// clang-format on

#ifndef WEFT_DENOISE_WAVELET_ONCE
#    define WEFT_DENOISE_WAVELET_ONCE

namespace weft::denoise {

namespace {

constexpr std::array<float, 5> kSpline = {1.0F / 16, 4.0F / 16, 6.0F / 16, 4.0F / 16, 1.0F / 16};

}  // namespace

}  // namespace weft::denoise

#endif

HWY_BEFORE_NAMESPACE();

namespace weft::denoise::HWY_NAMESPACE {

namespace {

bool is_finite(std::span<const float> row) {
    const FloatLanes lanes;
    const auto count = static_cast<u32>(hn::Lanes(lanes));
    FloatVector sum = hn::Zero(lanes);
    for (u32 x = 0; x < row.size(); x += count) {
        sum = hn::MulAdd(load_values(row, x), hn::Zero(lanes), sum);
    }
    return hn::AllTrue(lanes, hn::Eq(sum, hn::Zero(lanes)));
}

RowSums prepare(const WaveletRow& input, const WaveletPlanes& planes, u32 y) {
    const FloatLanes lanes;
    const auto count = static_cast<u32>(hn::Lanes(lanes));
    RowSums sums;
    for (const std::span<const float> layer : {input.colour,
                                               input.first_half,
                                               input.second_half,
                                               input.albedo,
                                               input.normal,
                                               input.depth}) {
        sums.is_finite = sums.is_finite && is_finite(layer);
    }
    float* const row = planes.row(0, y);
    const std::size_t stride = planes.stride;
    std::array<float, kMostLanes> roots{};
    for (u32 x = 0; x < planes.width; x += count) {
        const auto store = [&](u32 plane, FloatVector value) {
            hn::StoreU(value, lanes, row + plane * stride + x);
        };
        const Rgb albedo = load_rgb(input.albedo, x);
        const FloatVector known = hn::IfThenElse(
            hn::Gt(load_samples(input, x), hn::Zero(lanes)), constant(1.0F), hn::Zero(lanes));
        const Rgb light = light_of(load_rgb(input.colour, x), albedo);
        store(kWaveLight, hn::Mul(known, light.red));
        store(kWaveLight + 1, hn::Mul(known, light.green));
        store(kWaveLight + 2, hn::Mul(known, light.blue));
        const Rgb first = light_of(load_rgb(input.first_half, x), albedo);
        const Rgb second = light_of(load_rgb(input.second_half, x), albedo);
        const FloatVector error =
            hn::Mul(constant(0.5F),
                    hn::Sub(brightness_of(first.red, first.green, first.blue),
                            brightness_of(second.red, second.green, second.blue)));
        store(kWaveVariance, hn::Mul(known, hn::Mul(error, error)));
        store(kWaveKnown, known);
        const Rgb normal = load_rgb(input.normal, x);
        store(kWaveNormal, normal.red);
        store(kWaveNormal + 1, normal.green);
        store(kWaveNormal + 2, normal.blue);
        const FloatVector depth = load_values(input.depth, x);
        store(kWaveInverse,
              hn::IfThenElse(hn::Gt(depth, hn::Zero(lanes)),
                             hn::Min(hn::Div(constant(1.0F), depth), constant(kLargestInverse)),
                             hn::Zero(lanes)));
        store(kWaveAlbedo,
              hn::Mul(hn::Add(hn::Add(albedo.red, albedo.green), albedo.blue),
                      constant(1.0F / 3.0F)));
        const FloatVector bright = brightness_of(light.red, light.green, light.blue);
        const FloatVector agreed =
            input.first_half.empty() ? bright : hn::Sub(bright, hn::Abs(error));
        store(kWaveRoot, hn::Mul(known, hn::Sqrt(hn::Max(agreed, hn::Zero(lanes)))));
        hn::StoreU(hn::Mul(known, hn::Sqrt(hn::Max(bright, hn::Zero(lanes)))), lanes, roots.data());
        for (u32 k = 0; k < count && x + k < planes.width; ++k) {
            sums.roots += static_cast<double>(roots[k]);
            sums.known += row[kWaveKnown * stride + x + k] > 0 ? 1U : 0U;
        }
    }
    return sums;
}

// Sums over a pixel's neighbours, without the pixel itself.
struct NeighbourSums {
    FloatVector weight, roots, squares, variance;
    FloatVector near_weight, near_light;  // of the 3 × 3 pixels
};

HWY_INLINE void add_neighbour(const float* there,
                              std::size_t stride,
                              FloatVector exponent,
                              bool is_near,
                              NeighbourSums& sums) {
    const FloatLanes lanes;
    const FloatVector weight =
        hn::Mul(falloff(exponent), hn::LoadU(lanes, there + kWaveKnown * stride));
    const FloatVector root = hn::LoadU(lanes, there + kWaveRoot * stride);
    const FloatVector weighted = hn::Mul(weight, root);
    sums.weight = hn::Add(sums.weight, weight);
    sums.roots = hn::Add(sums.roots, weighted);
    sums.squares = hn::MulAdd(weighted, root, sums.squares);
    sums.variance =
        hn::MulAdd(weight, hn::LoadU(lanes, there + kWaveVariance * stride), sums.variance);
    if (is_near) {
        sums.near_weight = hn::Add(sums.near_weight, weight);
        sums.near_light = hn::MulAdd(weighted, root, sums.near_light);
    }
}

// Writes the second set of a register of pixels.
HWY_INLINE void judge(const WaveletScale& scale,
                      const NeighbourSums& sums,
                      std::size_t stride,
                      float* here) {
    const FloatLanes lanes;
    const FloatVector known = hn::LoadU(lanes, here + kWaveKnown * stride);
    const FloatVector own = hn::LoadU(lanes, here + kWaveVariance * stride);
    const Rgb light{hn::LoadU(lanes, here),
                    hn::LoadU(lanes, here + stride),
                    hn::LoadU(lanes, here + 2 * stride)};
    const FloatVector bright = brightness_of(light.red, light.green, light.blue);
    const FloatVector weight = hn::Max(sums.weight, constant(1e-6F));
    const FloatVector mean = hn::Div(sums.roots, weight);
    const FloatVector spread =
        hn::Max(hn::NegMulAdd(mean, mean, hn::Div(sums.squares, weight)), hn::Zero(lanes));
    const auto has_few = hn::Le(sums.weight, constant(kFewNeighbours));
    const FloatVector guess = hn::Mul(bright, constant(kUnknownNoise));
    const FloatVector variance =
        scale.has_halves
            ? hn::Div(hn::MulAdd(known, own, sums.variance), hn::Add(known, weight))
            : hn::IfThenElse(has_few,
                             hn::Mul(guess, guess),
                             hn::Mul(constant(4.0F), hn::Mul(hn::Mul(mean, mean), spread)));
    // What both halves agree on is no outlier.
    const FloatVector root =
        hn::MulAdd(constant(scale.has_halves ? kOutlier : kOutlierAlone), hn::Sqrt(spread), mean);
    FloatVector bound = hn::Add(hn::Mul(root, root), constant(0.01F * scale.dark));
    if (scale.has_halves) {
        bound = hn::Max(bound, hn::Sub(bright, hn::Sqrt(own)));
    }
    const auto is_outlier = hn::AndNot(has_few, hn::Gt(bright, bound));
    const FloatVector share = hn::IfThenElse(is_outlier, hn::Div(bound, bright), constant(1.0F));
    float* const to = here + kWaveSet * stride;
    hn::StoreU(hn::Mul(light.red, share), lanes, to);
    hn::StoreU(hn::Mul(light.green, share), lanes, to + stride);
    hn::StoreU(hn::Mul(light.blue, share), lanes, to + 2 * stride);
    hn::StoreU(variance, lanes, to + kWaveVariance * stride);
    hn::StoreU(known, lanes, to + kWaveKnown * stride);
    hn::StoreU(variance, lanes, here + kWaveNoise * stride);
    // The guide: the pixel and its nearest neighbours.
    const FloatVector own_root = hn::LoadU(lanes, here + kWaveRoot * stride);
    hn::StoreU(hn::Div(hn::MulAdd(own_root, own_root, sums.near_light),
                       hn::Max(hn::Add(known, sums.near_weight), constant(1e-6F))),
               lanes,
               here + kWaveGuide * stride);
}

void examine(const WaveletScale& scale, const WaveletPlanes& planes, u32 y) {
    const FloatLanes lanes;
    constexpr i32 kReach = kExamineReach;
    const std::size_t stride = planes.stride;
    const std::size_t step = stride * kWaveletPlanes;  // to the next row
    const bool has_above = y > 0;
    const bool has_below = y + 1 < planes.height;
    const i32 first = -static_cast<i32>(std::min(y, kExamineReach));
    const i32 last = static_cast<i32>(std::min(planes.height - 1 - y, kExamineReach));
    for (u32 x = 0; x < planes.width; x += static_cast<u32>(hn::Lanes(lanes))) {
        float* const here = planes.row(0, y) + x;
        const float* const depths = here + kWaveInverse * stride;
        const FloatVector depth = hn::LoadU(lanes, depths);
        const FloatVector slope_x = smaller(hn::Sub(depth, hn::LoadU(lanes, depths - 1)),
                                            hn::Sub(hn::LoadU(lanes, depths + 1), depth));
        const FloatVector above =
            has_above ? hn::Sub(depth, hn::LoadU(lanes, depths - step)) : hn::Zero(lanes);
        const FloatVector below =
            has_below ? hn::Sub(hn::LoadU(lanes, depths + step), depth) : hn::Zero(lanes);
        const FloatVector slope_y =
            has_above && has_below ? smaller(above, below) : hn::Add(above, below);
        const Surface surface = surface_at(here, stride, slope_x, slope_y);
        const FloatVector zero = hn::Zero(lanes);
        NeighbourSums sums{zero, zero, zero, zero, zero, zero};
        for (i32 dy = first; dy <= last; ++dy) {
            const float* const row = here + dy * static_cast<std::ptrdiff_t>(step);
            for (i32 dx = -kReach; dx <= kReach; ++dx) {
                if (dx != 0 || dy != 0) {
                    const FloatVector exponent = unlikeness(
                        surface, row + dx, stride, static_cast<float>(dx), static_cast<float>(dy));
                    add_neighbour(
                        row + dx, stride, exponent, std::abs(dx) <= 1 && std::abs(dy) <= 1, sums);
                }
            }
        }
        judge(scale, sums, stride, here);
        hn::StoreU(slope_x, lanes, here + kWaveSlopeX * stride);
        hn::StoreU(slope_y, lanes, here + kWaveSlopeY * stride);
    }
}

// Weighted sums over the taps of a level.
struct LevelSums {
    FloatVector weight, light[3], variance;
};

// A pixel as the taps of a level compare with it. In the first level pixels are too noisy to be
// compared: their guides are, and what both halves agree on.
struct Centre {
    Surface surface;
    FloatVector bright;  // level 0: the guide
    FloatVector own;     // level 0 only: what both halves agree on
    FloatVector scale, own_scale;
    FloatVector surface_share, least_weight;  // of what is unknown
};

HWY_INLINE FloatVector agreed_brightness(const float* pixel, std::size_t stride) {
    const FloatVector root = hn::LoadU(FloatLanes(), pixel + kWaveRoot * stride);
    return hn::Mul(root, root);
}

HWY_INLINE Centre centre_at(const WaveletScale& scale,
                            const float* here,
                            std::size_t from,
                            std::size_t stride,
                            bool is_first) {
    const FloatLanes lanes;
    const auto load = [&](std::size_t offset) { return hn::LoadU(lanes, here + offset); };
    Centre centre;
    centre.surface =
        surface_at(here, stride, load(kWaveSlopeX * stride), load(kWaveSlopeY * stride));
    centre.bright = is_first
                        ? load(kWaveGuide * stride)
                        : brightness_of(load(from), load(from + stride), load(from + 2 * stride));
    centre.own = agreed_brightness(here, stride);
    // What is unknown is like all brightness, and like something.
    const FloatVector known = load(from + kWaveKnown * stride);
    centre.surface_share =
        hn::MulAdd(known, constant(1.0F - kUnknownShare), constant(kUnknownShare));
    centre.least_weight = hn::NegMulAdd(known, constant(kUnknownWeight), constant(kUnknownWeight));
    const FloatVector inverse = hn::Div(
        known,
        hn::Add(load(from + kWaveVariance * stride), variance_floor(centre.bright, scale.dark)));
    centre.scale = hn::Mul(inverse, constant(is_first ? kGuideScale : kNoiseScale));
    centre.own_scale = hn::Mul(inverse, constant(kOwnScale));
    return centre;
}

// The tap (i, j), whose pixel `there` is the first plane of, `apart` pixels from the next tap.
HWY_INLINE void add_tap(const Centre& centre,
                        const float* there,
                        std::size_t from,
                        std::size_t stride,
                        std::array<i32, 3> tap,
                        LevelSums& sums) {
    const FloatLanes lanes;
    const auto [i, j, apart] = tap;
    const float* const lit = there + from;
    const FloatVector red = hn::LoadU(lanes, lit);
    const FloatVector green = hn::LoadU(lanes, lit + stride);
    const FloatVector blue = hn::LoadU(lanes, lit + 2 * stride);
    FloatVector exponent = unlikeness(centre.surface,
                                      there,
                                      stride,
                                      static_cast<float>(i * apart),
                                      static_cast<float>(j * apart));
    const FloatVector bright = apart == 1 ? hn::LoadU(lanes, there + kWaveGuide * stride)
                                          : brightness_of(red, green, blue);
    const FloatVector change = hn::Sub(bright, centre.bright);
    exponent = hn::Mul(exponent, centre.surface_share);
    exponent = hn::MulAdd(hn::Mul(change, change), centre.scale, exponent);
    if (apart == 1) {
        const FloatVector own = hn::Sub(agreed_brightness(there, stride), centre.own);
        exponent = hn::MulAdd(hn::Mul(own, own), centre.own_scale, exponent);
    }
    const float part = kSpline[static_cast<u32>(i + 2)] * kSpline[static_cast<u32>(j + 2)];
    const FloatVector weight =
        hn::Mul(hn::Mul(hn::Max(falloff(exponent), centre.least_weight), constant(part)),
                hn::LoadU(lanes, lit + kWaveKnown * stride));
    sums.weight = hn::Add(sums.weight, weight);
    sums.light[0] = hn::MulAdd(weight, red, sums.light[0]);
    sums.light[1] = hn::MulAdd(weight, green, sums.light[1]);
    sums.light[2] = hn::MulAdd(weight, blue, sums.light[2]);
    sums.variance = hn::MulAdd(
        hn::Mul(weight, weight), hn::LoadU(lanes, lit + kWaveVariance * stride), sums.variance);
}

void smooth(const WaveletScale& scale, const WaveletPlanes& planes, u32 level, u32 y) {
    const FloatLanes lanes;
    const std::size_t stride = planes.stride;
    const std::size_t from = level % 2 == 0 ? kWaveSet * stride : 0;
    const std::size_t to = kWaveSet * stride - from;
    const i32 apart = 1 << level;
    const auto above = static_cast<i32>(y) / apart;
    const auto below = static_cast<i32>(planes.height - 1 - y) / apart;
    const FloatVector zero = hn::Zero(lanes);
    for (u32 x = 0; x < planes.width; x += static_cast<u32>(hn::Lanes(lanes))) {
        float* const here = planes.row(0, y) + x;
        const Centre centre = centre_at(scale, here, from, stride, level == 0);
        LevelSums sums{zero, {zero, zero, zero}, zero};
        for (i32 j = -std::min(above, 2); j <= std::min(below, 2); ++j) {
            const float* const row =
                here + j * apart * static_cast<std::ptrdiff_t>(stride * kWaveletPlanes);
            for (i32 i = -2; i <= 2; ++i) {
                add_tap(centre, row + i * apart, from, stride, {i, j, apart}, sums);
            }
        }
        const auto is_known =
            hn::And(hn::Gt(sums.weight, zero), hn::FirstN(lanes, planes.width - x));
        const FloatVector inverse = hn::IfThenElseZero(
            is_known, hn::Div(constant(1.0F), hn::Max(sums.weight, constant(1e-30F))));
        for (u32 c = 0; c < 3; ++c) {
            hn::StoreU(hn::Mul(sums.light[c], inverse), lanes, here + to + c * stride);
        }
        hn::StoreU(hn::Mul(sums.variance, hn::Mul(inverse, inverse)),
                   lanes,
                   here + to + kWaveVariance * stride);
        hn::StoreU(
            hn::IfThenElseZero(is_known, constant(1.0F)), lanes, here + to + kWaveKnown * stride);
    }
}

void finish(const WaveletScale& scale,
            const WaveletPlanes& planes,
            const WaveletRow& input,
            u32 y,
            std::span<float> out) {
    const FloatLanes lanes;
    const std::size_t stride = planes.stride;
    const float* const row = planes.row(0, y) + (kWaveletLevels % 2 == 0 ? kWaveSet * stride : 0);
    const float* const noise_row = planes.row(kWaveNoise, y);
    for (u32 x = 0; x < planes.width; x += static_cast<u32>(hn::Lanes(lanes))) {
        const Rgb colour = load_rgb(input.colour, x);
        const Rgb albedo = load_rgb(input.albedo, x);
        const Rgb light{hn::LoadU(lanes, row + x),
                        hn::LoadU(lanes, row + stride + x),
                        hn::LoadU(lanes, row + 2 * stride + x)};
        const FloatVector samples = load_samples(input, x);
        const FloatVector bright = brightness_of(light.red, light.green, light.blue);
        const FloatVector noise = hn::Div(hn::Sqrt(hn::LoadU(lanes, noise_row + x)),
                                          hn::Add(hn::Abs(bright), constant(scale.dark)));
        const auto unit = [&](FloatVector value) {
            return hn::Min(hn::Max(value, hn::Zero(lanes)), constant(1.0F));
        };
        FloatVector share = unit(hn::Mul(hn::Sub(noise, constant(kCleanNoise)),
                                         constant(1.0F / (kNoisyNoise - kCleanNoise))));
        if (!scale.has_halves) {
            share = hn::Mul(share,
                            unit(hn::Mul(hn::Sub(constant(kManySamples), samples),
                                         constant(1.0F / (kManySamples - kFewSamples)))));
        }
        share = hn::IfThenElse(hn::Gt(samples, hn::Zero(lanes)), share, constant(1.0F));
        const auto blended = [&](FloatVector noisy, FloatVector filtered, FloatVector paint) {
            return hn::MulAdd(share, hn::Sub(hn::Mul(filtered, reflected(paint)), noisy), noisy);
        };
        store_rgb({blended(colour.red, light.red, albedo.red),
                   blended(colour.green, light.green, albedo.green),
                   blended(colour.blue, light.blue, albedo.blue)},
                  out,
                  x);
    }
}

}  // namespace

WaveletKernels passes() {
    return {prepare, examine, smooth, finish};
}

}  // namespace weft::denoise::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace weft::denoise {

WaveletKernels wavelet_kernels(shaders::Isa isa) {
#    if HWY_TARGETS & HWY_AVX3
    if (isa == shaders::Isa::Avx512) {
        return N_AVX3::passes();
    }
#    endif
#    if HWY_TARGETS & HWY_AVX2
    if (isa != shaders::Isa::Sse4) {
        return N_AVX2::passes();
    }
#    endif
    return N_SSE4::passes();
}

}  // namespace weft::denoise

#endif
