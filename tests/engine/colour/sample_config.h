// sample_config.h — a small colour config whose transforms have closed forms.
#pragma once

#include <string>
#include <string_view>

namespace weft::colour {

// Colour spaces: working (scene_linear), gamma2 (its square root), swapped (red and blue change
// places), tabled (1 − r, g, r·b by a table in luts/), halved (twice the light), coded (the sRGB
// curve), lost (a table that is missing), around (defined by itself).
// Displays: screen with the views plain (gamma2), dimmed (the same after the look dim), tabled,
// lost and around; projector with the view mirrored (swapped). Look: dim (half the light).
// File rules: *halved*.png, *coded*.png, *lost*.png; every other file is in gamma2.
std::string_view sample_config();

// The matrices, row by row, from Rec. 709 and from ACEScg to ACES2065-1 (aces_interchange).
inline constexpr std::string_view kFromRec709 =
    "0.4396, 0.3830, 0.1774, 0, 0.0898, 0.8134, 0.0968, 0, 0.0175, 0.1115, 0.8710, 0, 0, 0, 0, 1";
inline constexpr std::string_view kFromAcesCg =
    "0.695452, 0.140679, 0.163869, 0, 0.0447946, 0.859671, 0.0955343, 0, -0.00552588, 0.00402521, "
    "1.00150, 0, 0, 0, 0, 1";

// The text with the first `from` replaced.
std::string with_change(std::string_view text, std::string_view from, std::string_view to);

// Writes config.ocio and its table into the folder; returns the path of the config.
std::string write_config(const std::string& folder, std::string_view text = sample_config());

}  // namespace weft::colour
