// wavelet_lanes-inl.h — what the passes of wavelet.cpp share, in lanes: pixels of interleaved rows,
// light, and how unlike two pixels' surfaces are.
#if defined(WEFT_DENOISE_WAVELET_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_DENOISE_WAVELET_LANES_INL_H_
#        undef WEFT_DENOISE_WAVELET_LANES_INL_H_
#    else
#        define WEFT_DENOISE_WAVELET_LANES_INL_H_
#    endif

#    include <algorithm>
#    include <array>

#    include <hwy/highway.h>

#    include "engine/denoise/kernels/wavelet.h"
#    include "engine/denoise/surface_light.h"

HWY_BEFORE_NAMESPACE();

namespace weft::denoise::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using FloatLanes = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatLanes>;

constexpr u32 kMostLanes = 16;

HWY_INLINE FloatVector constant(float value) {
    return hn::Set(FloatLanes(), value);
}

HWY_INLINE FloatVector brightness_of(FloatVector red, FloatVector green, FloatVector blue) {
    return hn::MulAdd(
        red, constant(0.25F), hn::MulAdd(green, constant(0.5F), hn::Mul(blue, constant(0.25F))));
}

HWY_INLINE FloatVector falloff(FloatVector exponent) {
    const FloatVector base =
        hn::Max(hn::NegMulAdd(exponent, constant(0.25F), constant(1.0F)), constant(0.0F));
    const FloatVector square = hn::Mul(base, base);
    return hn::Mul(square, square);
}

struct Rgb {
    FloatVector red, green, blue;
};

// RGB of the pixels from x on; 0 beyond the row's end and where the layer is absent.
HWY_INLINE Rgb load_rgb(std::span<const float> row, u32 x) {
    const FloatLanes lanes;
    const std::size_t count = hn::Lanes(lanes);
    Rgb rgb{hn::Zero(lanes), hn::Zero(lanes), hn::Zero(lanes)};
    const std::size_t begin = 3 * std::size_t{x};
    if (begin + 3 * count <= row.size()) {
        hn::LoadInterleaved3(lanes, row.data() + begin, rgb.red, rgb.green, rgb.blue);
    } else if (begin < row.size()) {
        std::array<float, std::size_t{3} * kMostLanes> values{};
        std::copy(row.begin() + static_cast<std::ptrdiff_t>(begin), row.end(), values.begin());
        hn::LoadInterleaved3(lanes, values.data(), rgb.red, rgb.green, rgb.blue);
    }
    return rgb;
}

HWY_INLINE void store_rgb(const Rgb& rgb, std::span<float> row, u32 x) {
    const FloatLanes lanes;
    const std::size_t count = hn::Lanes(lanes);
    const std::size_t begin = 3 * std::size_t{x};
    if (begin + 3 * count <= row.size()) {
        hn::StoreInterleaved3(rgb.red, rgb.green, rgb.blue, lanes, row.data() + begin);
    } else {
        std::array<float, std::size_t{3} * kMostLanes> values{};
        hn::StoreInterleaved3(rgb.red, rgb.green, rgb.blue, lanes, values.data());
        std::copy_n(values.begin(), row.size() - begin, row.data() + begin);
    }
}

// One value of each pixel from x on; 0 beyond the row's end.
HWY_INLINE FloatVector load_values(std::span<const float> row, u32 x) {
    const FloatLanes lanes;
    if (x + hn::Lanes(lanes) <= row.size()) {
        return hn::LoadU(lanes, row.data() + x);
    }
    std::array<float, kMostLanes> values{};
    if (x < row.size()) {
        std::copy(row.begin() + x, row.end(), values.begin());
    }
    return hn::LoadU(lanes, values.data());
}

HWY_INLINE FloatVector load_samples(const WaveletRow& input, u32 x) {
    const FloatLanes lanes;
    const auto width = static_cast<u32>(input.colour.size() / 3);
    std::array<float, kMostLanes> values{};
    for (u32 k = 0; k < hn::Lanes(lanes) && x + k < width; ++k) {
        values[k] =
            static_cast<float>(input.samples.empty() ? input.sample_count : input.samples[x + k]);
    }
    return hn::LoadU(lanes, values.data());
}

HWY_INLINE FloatVector reflected(FloatVector albedo) {
    return hn::Add(hn::Max(albedo, constant(0.0F)), constant(kAlbedoFloor));
}

HWY_INLINE Rgb light_of(const Rgb& colour, const Rgb& albedo) {
    return {hn::Div(colour.red, reflected(albedo.red)),
            hn::Div(colour.green, reflected(albedo.green)),
            hn::Div(colour.blue, reflected(albedo.blue))};
}

// What a pixel compares with its neighbours.
struct Surface {
    FloatVector normal[3];
    FloatVector inverse;
    FloatVector slope_x;
    FloatVector slope_y;
    FloatVector albedo;
    FloatVector depth_scale;
};

// `row`: the first plane of the pixel's row, at the pixel.
HWY_INLINE Surface surface_at(const float* row,
                              std::size_t stride,
                              FloatVector slope_x,
                              FloatVector slope_y) {
    const FloatLanes lanes;
    Surface surface;
    for (u32 c = 0; c < 3; ++c) {
        surface.normal[c] = hn::LoadU(lanes, row + (kWaveNormal + c) * stride);
    }
    surface.inverse = hn::LoadU(lanes, row + kWaveInverse * stride);
    surface.slope_x = slope_x;
    surface.slope_y = slope_y;
    surface.albedo = hn::LoadU(lanes, row + kWaveAlbedo * stride);
    const FloatVector tolerance = hn::Max(surface.inverse, constant(1e-9F));
    surface.depth_scale = hn::Div(constant(kDepthScale), hn::Mul(tolerance, tolerance));
    return surface;
}

// e of the neighbour that lies (dx, dy) pixels away, without brightness.
HWY_INLINE FloatVector
unlikeness(const Surface& here, const float* there, std::size_t stride, float dx, float dy) {
    const FloatLanes lanes;
    FloatVector turned = hn::Zero(lanes);
    for (u32 c = 0; c < 3; ++c) {
        const FloatVector difference =
            hn::Sub(here.normal[c], hn::LoadU(lanes, there + (kWaveNormal + c) * stride));
        turned = hn::MulAdd(difference, difference, turned);
    }
    const FloatVector expected = hn::MulAdd(
        here.slope_x, constant(dx), hn::MulAdd(here.slope_y, constant(dy), here.inverse));
    const FloatVector off = hn::Sub(hn::LoadU(lanes, there + kWaveInverse * stride), expected);
    const FloatVector painted =
        hn::Sub(here.albedo, hn::LoadU(lanes, there + kWaveAlbedo * stride));
    FloatVector exponent = hn::Mul(turned, constant(kNormalScale));
    exponent = hn::MulAdd(hn::Mul(off, off), here.depth_scale, exponent);
    return hn::MulAdd(hn::Mul(painted, painted), constant(kAlbedoScale), exponent);
}

// The smaller of two differences, by size.
HWY_INLINE FloatVector smaller(FloatVector a, FloatVector b) {
    return hn::IfThenElse(hn::Lt(hn::Abs(a), hn::Abs(b)), a, b);
}

HWY_INLINE FloatVector variance_floor(FloatVector brightness, float dark) {
    const FloatVector least =
        hn::Mul(hn::Add(hn::Abs(brightness), constant(dark)), constant(kLeastChange));
    return hn::Mul(least, least);
}

}  // namespace weft::denoise::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
