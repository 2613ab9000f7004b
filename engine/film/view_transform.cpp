// view_transform.cpp — the curves, in double and by scalar_math alone, so that each gives the same
// bits everywhere.
//
// Sources: IEC 61966-2-1 (sRGB); J. Hable, "Uncharted 2: HDR Lighting", GDC 2010 (filmic); S.
// Hill's fit of the ACES reference rendering and output transforms (aces).
#include "engine/film/view_transform.h"

#include <algorithm>
#include <cmath>

#include "engine/film/display.h"
#include "engine/film/srgb_bytes.h"
#include "engine/math/affine.h"
#include "shaders/host/scalar_math.h"

namespace weft::film {

namespace {

struct NamedView {
    ViewTransform view;
    std::string_view name;
};

constexpr std::array<NamedView, 4> kViews{{
    {ViewTransform::Standard, "standard"},
    {ViewTransform::Filmic, "filmic"},
    {ViewTransform::Aces, "aces"},
    {ViewTransform::Raw, "raw"},
}};

using math::DVec3;

// Rec. 709 → (D60 adaptation, AP1, RRT saturation), and back.
// clang-format off
constexpr math::DAffine kAcesInput{
    0.59719, 0.35458, 0.04823, 0,
    0.07600, 0.90834, 0.01566, 0,
    0.02840, 0.13383, 0.83777, 0,
};
constexpr math::DAffine kAcesOutput{
    1.60475, -0.53108, -0.07367, 0,
    -0.10208, 1.10813, -0.00605, 0,
    -0.00327, -0.07276, 1.07602, 0,
};

// clang-format on

// Maps what is not a number to 0.
double clamped(double x) {
    return std::fmin(std::fmax(x, 0.0), 1.0);
}

// Shoulder 0.15, linear strength 0.5, linear angle 0.1, toe strength 0.2, toe numerator 0.02, toe
// denominator 0.3.
double hable(double x) {
    return (x * (0.15 * x + 0.10 * 0.50) + 0.20 * 0.02) / (x * (0.15 * x + 0.50) + 0.20 * 0.30) -
           0.02 / 0.30;
}

double aces_curve(double x) {
    return (x * (x + 0.0245786) - 0.000090537) / (x * (0.983729 * x + 0.4329510) + 0.238081);
}

DVec3 tone_mapped(ViewTransform view, DVec3 v) {
    switch (view) {
        case ViewTransform::Filmic:
            for (double& x : math::components(v)) {
                x = hable(std::fmin(std::fmax(x, 0.0), 1e9)) / hable(11.2);
            }
            break;
        case ViewTransform::Aces:
            for (double& x : math::components(v)) {
                x = std::fmin(std::fmax(x, 0.0), 1e9);
            }
            v = math::transform_vector(kAcesInput, v);
            for (double& x : math::components(v)) {
                x = aces_curve(x);
            }
            v = math::transform_vector(kAcesOutput, v);
            break;
        case ViewTransform::Standard:
        case ViewTransform::Raw:
            break;
    }
    return {clamped(v[0]), clamped(v[1]), clamped(v[2])};
}

}  // namespace

std::optional<ViewTransform> view_transform_named(std::string_view name) {
    const auto found = std::find_if(
        kViews.begin(), kViews.end(), [name](const NamedView& v) { return v.name == name; });
    return found == kViews.end() ? std::nullopt : std::optional(found->view);
}

std::string_view view_transform_name(ViewTransform view) {
    return kViews[static_cast<std::size_t>(view)].name;
}

double srgb_encode(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * shaders::pow_of(linear, 1 / 2.4) - 0.055;
}

double srgb_decode(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : shaders::pow_of((encoded + 0.055) / 1.055, 2.4);
}

std::array<float, 3> apply_view(ViewTransform view, std::array<float, 3> rgb) {
    DVec3 v = tone_mapped(view, {double{rgb[0]}, double{rgb[1]}, double{rgb[2]}});
    if (view != ViewTransform::Raw) {
        for (double& x : math::components(v)) {
            x = srgb_encode(x);
        }
    }
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

std::array<u8, 3> view_bytes(ViewTransform view, std::array<float, 3> rgb) {
    const DVec3 v = tone_mapped(view, {double{rgb[0]}, double{rgb[1]}, double{rgb[2]}});
    const auto byte = [view](double x) {
        return view == ViewTransform::Raw ? to_byte(static_cast<float>(x)) : srgb_byte(x);
    };
    return {byte(v[0]), byte(v[1]), byte(v[2])};
}

std::array<float, 3> displayed_light(ViewTransform view, std::array<float, 3> rgb) {
    DVec3 v = tone_mapped(view, {double{rgb[0]}, double{rgb[1]}, double{rgb[2]}});
    if (view == ViewTransform::Raw) {
        for (double& x : math::components(v)) {
            x = srgb_decode(x);
        }
    }
    return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

float exposure_scale(float stops) {
    return static_cast<float>(shaders::exp2_of(double{stops}));
}

}  // namespace weft::film
