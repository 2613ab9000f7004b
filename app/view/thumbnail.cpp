#include "app/view/thumbnail.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/film/view_transform.h"

namespace weft::app {

namespace {

u8 shown_byte(float linear) {
    const double light =
        std::isfinite(linear) ? std::clamp(static_cast<double>(linear), 0.0, 1.0) : 0;
    return static_cast<u8>(film::srgb_encode(light) * 255 + 0.5);
}

}  // namespace

Thumbnail make_thumbnail(const scene::Scene& scene, u32 texture, u32 side) {
    const shaders::TextureRecord& record = scene.textures[texture].record;
    u32 level = 0;
    while (level + 1 < record.mip_count && std::max(record.width, record.height) >> level > side) {
        ++level;
    }
    Thumbnail picture;
    picture.width = std::max(1U, record.width >> level);
    picture.height = std::max(1U, record.height >> level);
    const std::size_t pixels = std::size_t{picture.width} * picture.height;
    picture.rgba.resize(pixels * 4);
    const bool is_float = record.format == static_cast<u32>(shaders::TexelFormat::Float);
    const u32* const texels = scene.texels.data() + record.mip_offset[level];
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
        for (u32 channel = 0; channel < 4; ++channel) {
            // Bytes are shown as they lie in the file, floats through the screen's curve.
            picture.rgba[pixel * 4 + channel] =
                channel == 3 ? u8{255}
                : is_float   ? shown_byte(std::bit_cast<float>(texels[pixel * 4 + channel]))
                             : static_cast<u8>(texels[pixel] >> (8 * channel));
        }
    }
    return picture;
}

}  // namespace weft::app
