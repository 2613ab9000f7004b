// assimp_maps.cpp — see assimp_maps.h.
#include "engine/scene/assimp/assimp_maps.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/parts/picture_shelf.h"

namespace weft::scene {
namespace {

u32 wrap_of(aiTextureMapMode mode) {
    switch (mode) {
        case aiTextureMapMode_Clamp:
        case aiTextureMapMode_Decal:
            return static_cast<u32>(shaders::Wrap::Clamp);
        case aiTextureMapMode_Mirror:
            return static_cast<u32>(shaders::Wrap::Mirror);
        default:
            return static_cast<u32>(shaders::Wrap::Repeat);
    }
}

// The number that a texel of `use` holds.
float number_of(const MapUse& use, const std::array<float, 4>& texel) {
    const float value = use.channel == kNone ? texel[0] * texel[3] : texel[use.channel];
    return std::fmin(
        std::fmax(use.exponent ? roughness_of_exponent(*use.exponent * value) : value, 0.0f), 1.0f);
}

// Writes the numbers of `use`, whose picture is `grey`, into one channel of `target`, nearest texel
// where the sizes differ.
void put_channel(DecodedImage& target,
                 std::size_t channel,
                 const MapUse& use,
                 const DecodedImage& grey,
                 const Placement& placement = {}) {
    const std::vector<u32> columns = texels_along(placement, 0, grey.width, target.width);
    const std::vector<u32> rows = texels_along(placement, 1, grey.height, target.height);
    for (u32 y = 0; y < target.height; ++y) {
        for (u32 x = 0; x < target.width; ++x) {
            const std::size_t from = std::size_t{rows[y]} * grey.width + columns[x];
            const float value = number_of(use, grey.texel(from));
            const std::size_t at = 4 * (std::size_t{y} * target.width + x) + channel;
            if (target.is_float) {
                target.floats[at] = value;
            } else {
                target.bytes[at] = static_cast<u8>(value * 255.0f + 0.5f);
            }
        }
    }
}

// The layout of the texture that `first` and `second` share; that of one without the other.
SharedLayout layout_of(const std::optional<MapUse>& first, const std::optional<MapUse>& second) {
    if (first && second) {
        return shared_layout(first->slot, second->slot).value_or(SharedLayout{first->slot, {}, {}});
    }
    return {first ? first->slot : second->slot, {}, {}};
}

// Width and height of the texture that two pictures share.
std::array<u32, 2> shared_size(const DecodedImage& first,
                               const DecodedImage& second,
                               const SharedLayout& layout) {
    const auto side = [&layout](u32 one, u32 other, std::size_t axis) {
        return shared_side(one, layout.first.copies[axis], other, layout.second.copies[axis]);
    };
    return {side(first.width, second.width, 0), side(first.height, second.height, 1)};
}

// `image`, which has all channels, as the first picture of a texture of this size, nearest texel.
base::Result<DecodedImage> laid_out(DecodedImage image,
                                    const std::array<u32, 2>& size,
                                    const Placement& placement) {
    if (size == std::array<u32, 2>{image.width, image.height} && placement == Placement{}) {
        return image;
    }
    base::Result<DecodedImage> made = white_of_size(image, size[0], size[1]);
    WEFT_TRY(made);
    DecodedImage& target = made.value();
    const std::vector<u32> columns = texels_along(placement, 0, image.width, size[0]);
    const std::vector<u32> rows = texels_along(placement, 1, image.height, size[1]);
    const auto copy = [&](const auto& from, auto& to) {
        for (u32 y = 0; y < size[1]; ++y) {
            for (u32 x = 0; x < size[0]; ++x) {
                const std::size_t texel = std::size_t{rows[y]} * image.width + columns[x];
                std::copy_n(&from[4 * texel], 4, &to[4 * (std::size_t{y} * size[0] + x)]);
            }
        }
    };
    if (image.is_float) {
        copy(image.floats, target.floats);
    } else {
        copy(image.bytes, target.bytes);
    }
    target.repaired_texels = image.repaired_texels;
    return made;
}

// The name of a picture with the values that are read from it.
std::string key_of(const MapUse& use) {
    return use.name + (use.channel == kNone ? "" : " channel " + std::to_string(use.channel)) +
           (use.exponent ? " exponent " + std::to_string(*use.exponent) : "");
}

bool is_whole(const MapUse& use) {
    return use.channel == kNone && !use.exponent;
}

void divide_by_largest(DecodedImage& image) {
    const float* const curve = srgb_to_linear_table();
    for (std::size_t at = 0; at + 3 < image.bytes.size(); at += 4) {
        u8* const texel = &image.bytes[at];
        const float largest = curve[std::max({texel[0], texel[1], texel[2]})];
        for (std::size_t channel = 0; channel < 3; ++channel) {
            texel[channel] = largest > 0 ? srgb_code(curve[texel[channel]] / largest) : u8{255};
        }
        texel[3] = static_cast<u8>(255 * largest + 0.5f);
    }
    for (std::size_t at = 0; at + 3 < image.floats.size(); at += 4) {
        float* const texel = &image.floats[at];
        const float largest = std::max({texel[0], texel[1], texel[2]});
        for (std::size_t channel = 0; channel < 3; ++channel) {
            texel[channel] = largest > 0 ? texel[channel] / largest : 1.0f;
        }
        texel[3] = std::fmin(std::fmax(largest, 0.0f), 1.0f);
    }
}

}  // namespace

float roughness_of_exponent(float exponent) {
    return std::sqrt(std::sqrt(2.0f / (std::fmax(exponent, 0.0f) + 2.0f)));
}

std::optional<MapUse> find_map(const aiMaterial& material,
                               std::initializer_list<aiTextureType> types) {
    for (const aiTextureType type : types) {
        aiString name;
        unsigned uv_set = 0;
        aiTextureMapMode modes[3] = {
            aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
        if (material.GetTextureCount(type) > 0 &&
            material.GetTexture(type, 0, &name, nullptr, &uv_set, nullptr, nullptr, modes) ==
                aiReturn_SUCCESS &&
            name.length > 0) {
            MapUse use;
            use.name = name.C_Str();
            use.slot.uv_set = uv_set == 1 ? 1 : 0;
            use.slot.uv_transform[0] = use.slot.uv_transform[4] = 1;
            use.slot.wrap_u = wrap_of(modes[0]);
            use.slot.wrap_v = wrap_of(modes[1]);
            return use;
        }
    }
    return std::nullopt;
}

std::optional<MapUse> MaterialMaps::joinable(const std::optional<MapUse>& first,
                                             const std::optional<MapUse>& second) {
    if (!first || !second || shared_layout(first->slot, second->slot)) {
        return second;
    }
    import_.note(Note::Kind::Ignored,
                 "material " + material_name_ + ": the picture " + second->name +
                     " is not used; it would share a texture with " + first->name +
                     ", on which the material places it in another way.");
    return std::nullopt;
}

u32 MaterialMaps::color_slot(const std::optional<MapUse>& use,
                             const std::optional<MapUse>& opacity) {
    if (!opacity) {
        return use ? plain_slot(*use, TexelMeaning::Color) : kNone;
    }
    const SharedLayout layout = layout_of(use, opacity);
    const std::string key = (use ? use->name : std::string("white")) + words_of(layout.first) +
                            " with the opacity of " + key_of(*opacity) + words_of(layout.second);
    return cached_slot(key, layout.slot, TexelMeaning::Color, [&] {
        return read_color_and_opacity(use, *opacity, layout);
    });
}

u32 MaterialMaps::metallic_roughness_slot(std::optional<MapUse> roughness,
                                          std::optional<MapUse> metalness) {
    if (!roughness && !metalness) {
        return kNone;
    }
    const SharedLayout layout = layout_of(roughness, metalness);
    if (roughness && metalness && roughness->name == metalness->name && is_whole(*roughness) &&
        is_whole(*metalness)) {
        if (layout.first == Placement{} && layout.second == Placement{}) {
            return plain_slot(*roughness, TexelMeaning::Linear);
        }
        roughness->channel = 1;
        metalness->channel = 2;
    }
    const std::string key = "roughness " + (roughness ? key_of(*roughness) : "1") +
                            words_of(layout.first) + " and metalness " +
                            (metalness ? key_of(*metalness) : "1") + words_of(layout.second);
    return cached_slot(key, layout.slot, TexelMeaning::Linear, [&] {
        return read_roughness_and_metalness(roughness, metalness, layout);
    });
}

u32 MaterialMaps::normal_slot(const std::optional<MapUse>& use) {
    if (!use) {
        return kNone;
    }
    bool is_height = false;
    const u32 slot = cached_slot(
        use->name, use->slot, TexelMeaning::Linear, [&]() -> base::Result<DecodedImage> {
            auto image = read(*use, TexelMeaning::Linear);
            is_height = image.is_ok() && !looks_like_normal_map(image.value());
            return is_height ? base::Result<DecodedImage>(DecodedImage{}) : std::move(image);
        });
    if (is_height) {
        import_.note(Note::Kind::Ignored,
                     "material " + material_name_ + ": the bump map " + use->name +
                         " is no normal map and is not used.");
    }
    return slot;
}

u32 MaterialMaps::plain_slot(const MapUse& use, TexelMeaning meaning) {
    return cached_slot(use.name, use.slot, meaning, [&] { return read(use, meaning); });
}

u32 MaterialMaps::number_slot(const MapUse& use, TexelMeaning meaning) {
    return use.channel == kNone ? plain_slot(use, meaning)
                                : cached_slot(key_of(use), use.slot, TexelMeaning::Linear, [&] {
                                      return read_number(use);
                                  });
}

u32 MaterialMaps::specular_slot(const MapUse& use) {
    return cached_slot(use.name + " as reflectance", use.slot, TexelMeaning::Color, [&] {
        return read_specular(use);
    });
}

base::Result<DecodedImage> MaterialMaps::read_specular(const MapUse& use) {
    base::Result<DecodedImage> image = read(use, TexelMeaning::Color);
    WEFT_TRY(image);
    image = with_all_channels(std::move(image.value()));
    WEFT_TRY(image);
    divide_by_largest(image.value());
    return image;
}

base::Result<DecodedImage> MaterialMaps::read_number(const MapUse& use) {
    const base::Result<DecodedImage> image = read(use, TexelMeaning::Linear);
    WEFT_TRY(image);
    base::Result<DecodedImage> number = white_like(image.value());
    WEFT_TRY(number);
    for (std::size_t channel = 0; channel < 3; ++channel) {
        put_channel(number.value(), channel, use, image.value());
    }
    return number;
}

base::Result<DecodedImage> MaterialMaps::read(const MapUse& use, TexelMeaning meaning) {
    return read_assimp_picture(import_, source_, use.name, meaning);
}

base::Result<DecodedImage> MaterialMaps::read_color_and_opacity(const std::optional<MapUse>& use,
                                                                const MapUse& opacity,
                                                                const SharedLayout& layout) {
    const auto alpha = read(opacity, TexelMeaning::Linear);
    WEFT_TRY(alpha);
    auto color = use ? read(*use, TexelMeaning::Color) : white_like(alpha.value());
    WEFT_TRY(color);
    color = with_all_channels(std::move(color.value()));
    WEFT_TRY(color);
    color.value().file_bytes += alpha.value().file_bytes;
    const std::array<u32, 2> size = shared_size(color.value(), alpha.value(), layout);
    color = laid_out(std::move(color.value()), size, layout.first);
    WEFT_TRY(color);
    put_channel(color.value(), 3, opacity, alpha.value(), layout.second);
    return color;
}

base::Result<DecodedImage> MaterialMaps::read_roughness_and_metalness(
    const std::optional<MapUse>& roughness,
    const std::optional<MapUse>& metalness,
    const SharedLayout& layout) {
    const auto rough = read(roughness ? *roughness : *metalness, TexelMeaning::Linear);
    WEFT_TRY(rough);
    if (!roughness || !metalness) {
        base::Result<DecodedImage> one = white_like(rough.value());
        WEFT_TRY(one);
        put_channel(
            one.value(), roughness ? 1 : 2, roughness ? *roughness : *metalness, rough.value());
        return one;
    }
    const auto metal = read(*metalness, TexelMeaning::Linear);
    WEFT_TRY(metal);
    DecodedImage sources;
    sources.name = rough.value().name;
    sources.file_bytes = rough.value().file_bytes + metal.value().file_bytes;
    const std::array<u32, 2> size = shared_size(rough.value(), metal.value(), layout);
    base::Result<DecodedImage> both = white_of_size(sources, size[0], size[1]);
    WEFT_TRY(both);
    put_channel(both.value(), 1, *roughness, rough.value(), layout.first);
    put_channel(both.value(), 2, *metalness, metal.value(), layout.second);
    return both;
}

u32 MaterialMaps::cached_slot(const std::string& key,
                              const shaders::TextureSlot& layout,
                              TexelMeaning meaning,
                              const Read& read_picture) {
    const auto known = import_.textures.find({key, meaning});
    u32 texture = known == import_.textures.end() ? kNone : known->second;
    if (texture == kNone) {
        const base::Result<DecodedImage> image = read_picture();
        if (!image.is_ok()) {
            error_ = error_ ? error_ : image.error();
            return kNone;
        }
        if (image.value().width == 0) {
            return kNone;  // read, but unused
        }
        if (image.value().repaired_texels > 0) {
            import_.note(Note::Kind::Repaired,
                         repaired_texels_sentence(key, image.value().repaired_texels) + ".");
        }
        const base::Result<u32> appended =
            append_texture(import_.scene, image.value(), meaning, key);
        if (!appended.is_ok()) {
            error_ = error_ ? error_ : appended.error();
            return kNone;
        }
        texture = appended.value();
        import_.textures[{key, meaning}] = texture;
    }
    shaders::TextureSlot slot = layout;
    slot.texture = texture;
    import_.scene.slots.push_back(slot);
    return static_cast<u32>(import_.scene.slots.size() - 1);
}

}  // namespace weft::scene
