// assimp_maps.h — turns the pictures of one assimp material into texture slots of the scene.
//
// Two pictures of the file that share one slot (roughness and metalness, colour and opacity) are
// joined into one (map_layout.h). A picture comes into the arena once per use. Private to the
// assimp importer; one thread.
#pragma once

#include <assimp/material.h>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/assimp/map_layout.h"

namespace weft::scene {

// A picture as a material uses it: the file and its mapping.
struct MapUse {
    std::string name;
    shaders::TextureSlot slot{};
    u32 channel = kNone;            // of RGBA, for a number; kNone: red times alpha
    std::optional<float> exponent;  // texels scale this Phong exponent and mean roughness
};

// Roughness from a Phong exponent: the GGX width with the same highlight is α = √(2 / (Ns + 2)),
// and roughness is √α.
float roughness_of_exponent(float exponent);

// The first of `types` for which the material names a picture.
std::optional<MapUse> find_map(const aiMaterial& material,
                               std::initializer_list<aiTextureType> types);

// Reads and appends pictures for one material. Keeps the first error; after it every call returns
// kNone.
class MaterialMaps {
public:
    MaterialMaps(AssimpImport& import, const aiScene& source, const std::string& material_name)
        : import_(import), source_(source), material_name_(material_name) {}

    // The second of two pictures that become one texture. None, with a note, where no texture shows
    // both as the file places them.
    std::optional<MapUse> joinable(const std::optional<MapUse>& first,
                                   const std::optional<MapUse>& second);
    // The picture of `use`; the grey of `opacity` times its alpha becomes the alpha.
    u32 color_slot(const std::optional<MapUse>& use, const std::optional<MapUse>& opacity);
    // Roughness (G) and metalness (B) from two grey pictures, from one of them, or from one picture
    // that holds both.
    u32 metallic_roughness_slot(std::optional<MapUse> roughness, std::optional<MapUse> metalness);
    // A height map is ignored with a note.
    u32 normal_slot(const std::optional<MapUse>& use);
    u32 plain_slot(const MapUse& use, TexelMeaning meaning);
    // A picture of a number, which stands in red, green and blue where the use names its channel;
    // else the picture as it is, with this meaning.
    u32 number_slot(const MapUse& use, TexelMeaning meaning);
    // A picture of Ks: alpha, which scales the lobe, becomes the largest linear channel, and the
    // colours are divided by it.
    u32 specular_slot(const MapUse& use);

    [[nodiscard]] const std::optional<base::Error>& error() const { return error_; }

private:
    using Read = std::function<base::Result<DecodedImage>()>;

    base::Result<DecodedImage> read(const MapUse& use, TexelMeaning meaning);
    base::Result<DecodedImage> read_color_and_opacity(const std::optional<MapUse>& use,
                                                      const MapUse& opacity,
                                                      const SharedLayout& layout);
    base::Result<DecodedImage> read_roughness_and_metalness(const std::optional<MapUse>& roughness,
                                                            const std::optional<MapUse>& metalness,
                                                            const SharedLayout& layout);
    base::Result<DecodedImage> read_specular(const MapUse& use);
    base::Result<DecodedImage> read_number(const MapUse& use);
    // Calls `read` only for a picture that is not in the arena yet; keeps its error.
    u32 cached_slot(const std::string& key,
                    const shaders::TextureSlot& layout,
                    TexelMeaning meaning,
                    const Read& read);

    AssimpImport& import_;
    const aiScene& source_;
    const std::string& material_name_;
    std::optional<base::Error> error_;
};

}  // namespace weft::scene
