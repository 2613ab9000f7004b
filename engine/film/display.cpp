#include "engine/film/display.h"

#include <cmath>

namespace weft::film {

u8 to_byte(float display) {
    return static_cast<u8>(std::fmin(std::fmax(display, 0.0F), 1.0F) * 255.0F + 0.5F);
}

std::array<float, 3> shown_colour(const DisplayConfig& config, const std::array<float, 3>& rgb) {
    return config.config_view ? (*config.config_view)(rgb) : apply_view(config.view, rgb);
}

void display_pixel(const std::array<float, kFilmChannels>& mean,
                   const DisplayConfig& config,
                   u8* bytes) {
    const float alpha = mean[3];
    const float scale = config.has_alpha && alpha > 0 ? config.scale / alpha : config.scale;
    const std::array<float, 3> shown =
        shown_colour(config, {mean[0] * scale, mean[1] * scale, mean[2] * scale});
    for (std::size_t c = 0; c < 3; ++c) {
        bytes[c] = to_byte(shown[c]);
    }
    if (config.has_alpha) {
        bytes[3] = to_byte(alpha);
    }
}

}  // namespace weft::film
