// phong_material.h — maps colours, pictures and exponents of Phong materials to the
// metallic-roughness model; MTL and assimp's other formats share it.
//
// Private to the assimp importer; assimp.md has the table.
#pragma once

#include <array>
#include <optional>

#include "engine/scene/assimp/assimp_maps.h"

namespace weft::scene {

using Rgb = std::array<float, 3>;

struct SurfaceColor {
    std::optional<Rgb> color;
    std::optional<MapUse> map;
    std::optional<MapUse> opacity_map;
    float opacity = 1;
    bool is_vertex_colored = false;  // a mesh of the material has vertex colours
};

bool is_black(const Rgb& color);
float clamped(float value);  // to [0, 1]

void map_base_color(AssimpImport& import,
                    const SurfaceColor& from,
                    MaterialMaps& maps,
                    Material& material);
void map_emission(const Rgb& color,
                  const std::optional<MapUse>& map,
                  MaterialMaps& maps,
                  Material& material);

// Scales the specular lobe by Ks: 0.5 is the reflectance of the index of refraction, 0 is matte,
// and more than 0.5 raises the reflectance at normal incidence alone.
void scale_specular(const Rgb& ks, Material& material);

}  // namespace weft::scene
