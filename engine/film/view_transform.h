// view_transform.h — from scene-linear radiance to the display values of an 8-bit file or a screen.
//
// standard: the sRGB curve alone; filmic: Hable's curve ("Uncharted 2") f(x) / f(11.2), so 11.2 is
// white, then sRGB; aces: Hill's fit of RRT+ODT, then sRGB; raw: clamped linear. None changes the
// exposure: --exposure does, before the curve. Pure functions, without libm, so that files have the
// same bits everywhere.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::film {

enum class ViewTransform { Standard, Filmic, Aces, Raw };

std::optional<ViewTransform> view_transform_named(std::string_view name);
std::string_view view_transform_name(ViewTransform view);

// Linear Rec. 709 RGB (any range) to display values in [0, 1].
std::array<float, 3> apply_view(ViewTransform view, std::array<float, 3> rgb);

// The same as bytes: to_byte() of each value of apply_view(), mostly without computing a power.
std::array<u8, 3> view_bytes(ViewTransform view, std::array<float, 3> rgb);

// The linear light that a screen emits for those display values (sRGB decoded), for image_compare.
std::array<float, 3> displayed_light(ViewTransform view, std::array<float, 3> rgb);

// The sRGB curve and its inverse on [0, 1] (IEC 61966-2-1).
double srgb_encode(double linear);
double srgb_decode(double encoded);

// 2^stops without libm.
float exposure_scale(float stops);

}  // namespace weft::film
