#include "engine/scene/assimp/phong_material.h"

#include <algorithm>
#include <cmath>

namespace weft::scene {

bool is_black(const Rgb& color) {
    return color[0] <= 0 && color[1] <= 0 && color[2] <= 0;
}

float clamped(float value) {
    return std::fmin(std::fmax(value, 0.0f), 1.0f);
}

void map_base_color(AssimpImport& import,
                    const SurfaceColor& from,
                    MaterialMaps& maps,
                    Material& material) {
    shaders::MaterialRecord& record = material.record;
    std::optional<Rgb> color = from.color;
    if (color && from.map && is_black(*color)) {
        import.note(
            Note::Kind::Repaired,
            "material " + material.name + ": its colour is black under a texture; taken as white.");
        color = {1, 1, 1};
    }
    // Vertex colours replace the base colour; without any colour the surface is light grey.
    if (from.is_vertex_colored && !from.map) {
        color = {1, 1, 1};
    }
    const float plain = from.map ? 1.0f : 0.6f;
    const Rgb base = color.value_or(Rgb{plain, plain, plain});
    std::copy(base.begin(), base.end(), record.base_color);
    const std::optional<MapUse> opacity_map = maps.joinable(from.map, from.opacity_map);
    record.base_color_slot = maps.color_slot(from.map, opacity_map);
    float opacity = clamped(from.opacity);
    if (opacity <= 0) {
        import.note(
            Note::Kind::Repaired,
            "material " + material.name + ": its opacity is 0, which would hide it; taken as 1.");
        opacity = 1;
    }
    record.base_color[3] = opacity;
    if (opacity < 1 || opacity_map) {
        record.alpha_mode = static_cast<u32>(shaders::AlphaMode::Blend);
    }
}

void map_emission(const Rgb& color,
                  const std::optional<MapUse>& map,
                  MaterialMaps& maps,
                  Material& material) {
    const Rgb emitted = map && is_black(color) ? Rgb{1, 1, 1} : color;
    std::copy(emitted.begin(), emitted.end(), material.record.emissive);
    material.record.emissive_slot = map ? maps.plain_slot(*map, TexelMeaning::Color) : kNone;
}

void scale_specular(const Rgb& ks, Material& material) {
    shaders::MaterialRecord& record = material.record;
    const float highest = 2 * std::max({ks[0], ks[1], ks[2]});
    record.specular = clamped(highest);
    for (std::size_t channel = 0; channel < 3; ++channel) {
        record.specular_color[channel] = highest > 0 ? 2 * ks[channel] / record.specular : 1.0f;
    }
}

}  // namespace weft::scene
