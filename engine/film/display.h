// display.h — one pixel as 8-bit display values: exposure, view transform, straight alpha.
//
// Shared by the writers of flat pictures and by whoever shows a film while it is rendered, so that
// both show the same bytes. Pure.
#pragma once

#include <array>

#include "engine/film/film.h"
#include "engine/film/view_transform.h"

namespace weft::film {

struct DisplayConfig {
    ViewTransform view = ViewTransform::Standard;
    float scale = 1;         // exposure_scale() of the stops
    bool has_alpha = false;  // straight, in a fourth byte; else over black

    bool operator==(const DisplayConfig&) const = default;
};

// [0, 1] to [0, 255], rounded; what lies beyond is clamped.
u8 to_byte(float display);

// `mean` is premultiplied. Writes 3 or 4 bytes.
void display_pixel(const std::array<float, kFilmChannels>& mean,
                   const DisplayConfig& config,
                   u8* bytes);

}  // namespace weft::film
