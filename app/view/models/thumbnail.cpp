#include "app/view/models/thumbnail.h"

#include <algorithm>
#include <cmath>

#include "engine/film/view_transform.h"
#include "engine/scene/model/texture.h"
#include "shaders/surface/texel_layout.h"

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
    picture.rgba.reserve(std::size_t{picture.width} * picture.height * 4);
    const auto format = static_cast<shaders::TexelFormat>(record.format);
    const bool has_floats = shaders::words_of_texel(format) > 1 || format == shaders::kGreyFloat;
    const u32* const texels = scene.texels.data() + record.mip_offset[level];
    for (u32 y = 0; y < picture.height; ++y) {
        for (u32 x = 0; x < picture.width; ++x) {
            const u64 index = shaders::texel_index(x, y, picture.width);
            const auto rgba =
                shaders::texel_of(texels, index, format, scene::srgb_to_linear_table());
            const u32 word = texels[shaders::word_of_texel(index, format)];
            for (u32 channel = 0; channel < 3; ++channel) {
                // Copy bytes as stored; map floats through the display curve.
                const u64 byte = shaders::is_grey_byte(format) ? index % 4 : channel;
                picture.rgba.push_back(has_floats ? shown_byte(rgba[channel])
                                                  : static_cast<u8>(word >> (8 * byte)));
            }
            picture.rgba.push_back(255);
        }
    }
    return picture;
}

}  // namespace weft::app
