// assimp_properties.cpp — see assimp_properties.h.
#include "engine/scene/assimp/assimp_properties.h"

#include <algorithm>
#include <array>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <assimp/texture.h>

namespace weft::scene {
namespace {

constexpr std::size_t kMostText = sizeof(aiString::data);  // with its zero

std::string_view view_of(const aiString& text) {
    return {text.data, std::min<std::size_t>(text.length, kMostText - 1)};
}

std::span<const char> bytes_of(const aiTexture& texture) {
    const u64 size = texture.mHeight == 0 ? u64{texture.mWidth}
                                          : u64{texture.mWidth} * texture.mHeight * sizeof(aiTexel);
    return {reinterpret_cast<const char*>(texture.pcData), texture.pcData == nullptr ? 0 : size};
}

// The fields of a property beside its bytes.
struct PropertyKind {
    u32 semantic = 0;
    u32 index = 0;
    u32 type = 0;
};

// A text as assimp stores it: its length, its characters and a zero.
bool is_text(std::span<const char> bytes) {
    u32 length = 0;
    if (bytes.size() < sizeof length + 1) {
        return false;
    }
    std::memcpy(&length, bytes.data(), sizeof length);
    return length < kMostText && bytes.size() == sizeof length + length + 1 && bytes.back() == 0;
}

// A caller asks assimp for one number of a texture's property, but assimp writes all of them.
bool is_one_number(std::string_view key, const PropertyKind& kind, std::span<const char> bytes) {
    const bool is_asked =
        key.starts_with("$tex.") && key != _AI_MATKEY_TEXTURE_BASE && key != "$tex.uvtrafo";
    return !is_asked || (kind.type != aiPTI_String && bytes.size() <= sizeof(u32));
}

// Asked for numbers, assimp parses a text property and throws if that fails.
bool is_of_asked_type(std::string_view key, const PropertyKind& kind) {
    constexpr std::string_view kName = "?mat.name";
    return kind.type != aiPTI_String || key == kName || key == _AI_MATKEY_TEXTURE_BASE;
}

bool is_sound(std::string_view key, const PropertyKind& kind, std::span<const char> bytes) {
    const bool is_known = kind.type >= aiPTI_Float && kind.type <= aiPTI_Buffer;
    return is_known && key.size() < kMostText && key.find('\0') == key.npos && !bytes.empty() &&
           bytes.size() < kNone && is_one_number(key, kind, bytes) && is_of_asked_type(key, kind) &&
           (kind.type != aiPTI_String || is_text(bytes));
}

aiMaterial* unpack_material(PackReader& pack) {
    auto material = std::make_unique<aiMaterial>();
    for (u64 left = pack.count(); left > 0 && pack.is_sound(); --left) {
        const std::string key = pack.text();
        const auto kind = pack.value<PropertyKind>();
        const std::span<const char> bytes = pack.array<char>();
        if (is_sound(key, kind, bytes)) {
            material->AddBinaryProperty(bytes.data(),
                                        static_cast<unsigned>(bytes.size()),
                                        key.c_str(),
                                        kind.semantic,
                                        kind.index,
                                        static_cast<aiPropertyTypeInfo>(kind.type));
        }
    }
    return material.release();
}

aiTexture* unpack_texture(PackReader& pack) {
    auto texture = std::make_unique<aiTexture>();
    texture->mFilename.Set(pack.text());
    const std::string hint = pack.text().substr(0, sizeof texture->achFormatHint - 1);
    std::memset(texture->achFormatHint, 0, sizeof texture->achFormatHint);
    std::memcpy(texture->achFormatHint, hint.data(), hint.size());
    const auto size = pack.value<std::array<u32, 2>>();
    const std::span<const char> bytes = pack.array<char>();
    texture->mWidth = size[0];
    texture->mHeight = size[1];
    texture->pcData = new aiTexel[bytes.size() / sizeof(aiTexel) + 1];
    if (bytes_of(*texture).size() != bytes.size()) {
        pack.fail();
        return texture.release();
    }
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(texture->pcData));
    return texture.release();
}

}  // namespace

void pack_materials(const aiScene& scene, PackWriter& pack) {
    pack.value(u64{scene.mNumMaterials});
    for (u32 m = 0; m < scene.mNumMaterials; ++m) {
        const aiMaterial& material = *scene.mMaterials[m];
        pack.value(u64{material.mNumProperties});
        for (u32 k = 0; k < material.mNumProperties; ++k) {
            const aiMaterialProperty& from = *material.mProperties[k];
            pack.text(view_of(from.mKey));
            pack.value(PropertyKind{from.mSemantic, from.mIndex, static_cast<u32>(from.mType)});
            pack.array(std::span<const char>(from.mData, from.mDataLength));
        }
    }
    pack.value(u64{scene.mNumTextures});
    for (u32 t = 0; t < scene.mNumTextures; ++t) {
        const aiTexture& texture = *scene.mTextures[t];
        const std::span<const char> bytes = bytes_of(texture);
        pack.text(view_of(texture.mFilename));
        pack.text(std::string_view(texture.achFormatHint,
                                   strnlen(texture.achFormatHint, HINTMAXTEXTURELEN - 1)));
        pack.value(bytes.empty() ? std::array<u32, 2>{}
                                 : std::array<u32, 2>{texture.mWidth, texture.mHeight});
        pack.array(bytes);
    }
}

std::unique_ptr<aiScene> unpack_materials(PackReader& pack) {
    auto scene = std::make_unique<aiScene>();
    const u64 materials = pack.count();
    scene->mMaterials = new aiMaterial* [materials] {};
    while (scene->mNumMaterials < materials && pack.is_sound()) {
        scene->mMaterials[scene->mNumMaterials++] = unpack_material(pack);
    }
    const u64 textures = pack.count();
    scene->mTextures = new aiTexture* [textures] {};
    while (scene->mNumTextures < textures && pack.is_sound()) {
        scene->mTextures[scene->mNumTextures++] = unpack_texture(pack);
    }
    return pack.is_sound() ? std::move(scene) : nullptr;
}

}  // namespace weft::scene
