#include "engine/film/display.h"

#include <algorithm>
#include <cmath>

namespace weft::film {

u8 to_byte(float display) {
    return static_cast<u8>(std::fmin(std::fmax(display, 0.0F), 1.0F) * 255.0F + 0.5F);
}

std::array<u8, 3> shown_bytes(const DisplayConfig& config, const std::array<float, 3>& rgb) {
    if (!config.config_view) {
        return view_bytes(config.view, rgb);
    }
    const std::array<float, 3> shown = (*config.config_view)(rgb);
    return {to_byte(shown[0]), to_byte(shown[1]), to_byte(shown[2])};
}

void display_pixel(const std::array<float, kFilmChannels>& mean,
                   const DisplayConfig& config,
                   u8* bytes) {
    const float alpha = mean[3];
    const float scale = config.has_alpha && alpha > 0 ? config.scale / alpha : config.scale;
    const std::array<u8, 3> shown =
        shown_bytes(config, {mean[0] * scale, mean[1] * scale, mean[2] * scale});
    std::copy(shown.begin(), shown.end(), bytes);
    if (config.has_alpha) {
        bytes[3] = to_byte(alpha);
    }
}

}  // namespace weft::film
