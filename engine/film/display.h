// display.h — one pixel as 8-bit display values: exposure, view transform (ours, or the view of a
// colour config), straight alpha.
//
// Writers of 8-bit files and live pictures share it, so that both show the same bytes. Pure.
#pragma once

#include <array>
#include <memory>

#include "engine/colour/colour_config.h"
#include "engine/film/film.h"
#include "engine/film/view_transform.h"

namespace weft::film {

struct DisplayConfig {
    ViewTransform view = ViewTransform::Standard;
    float scale = 1;         // exposure_scale() of the stops
    bool has_alpha = false;  // straight alpha in a fourth byte; false: over black
    std::shared_ptr<const colour::Transform> config_view = {};  // not null: in place of `view`

    bool operator==(const DisplayConfig&) const = default;
};

// [0, 1] to [0, 255], rounded; clamps values outside.
u8 to_byte(float display);

// Scene-linear values of the working space as display bytes, without exposure.
std::array<u8, 3> shown_bytes(const DisplayConfig& config, const std::array<float, 3>& rgb);

// `mean` is premultiplied. Writes 3 or 4 bytes.
void display_pixel(const std::array<float, kFilmChannels>& mean,
                   const DisplayConfig& config,
                   u8* bytes);

}  // namespace weft::film
