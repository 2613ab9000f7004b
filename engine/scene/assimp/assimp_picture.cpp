// assimp_picture.cpp — finds and decodes the pictures that assimp's materials name.
//
// Material files come from other machines: a name may have backslashes or an absolute path. The
// search follows asset_root.h, then tries the last part of the name beside the model, then both
// beside the library. One thread.
#include <algorithm>
#include <assimp/scene.h>
#include <assimp/texture.h>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/files/asset_root.h"

namespace weft::scene {
namespace {

namespace fs = std::filesystem;

// Empty: the name leads out of all allowed folders.
std::optional<std::string> find_picture(const AssetRoots& roots, std::string name) {
    std::error_code problem;
    std::optional<std::string> file = roots.find(name);
    if (!file || !fs::is_regular_file(*file, problem)) {
        std::replace(name.begin(), name.end(), '\\', '/');
        const auto beside = roots.find(fs::path(name).filename().string());
        file = beside && fs::is_regular_file(*beside, problem) ? beside : file;
    }
    return file;
}

DecodedImage raw_picture(const aiTexture& texture) {
    DecodedImage image;
    image.width = texture.mWidth;
    image.height = texture.mHeight;
    const std::size_t texels = std::size_t{texture.mWidth} * texture.mHeight;
    image.name = texture.mFilename.C_Str();
    image.file_bytes = 4 * texels;
    image.bytes.reserve(4 * texels);
    for (std::size_t i = 0; i < texels; ++i) {
        const aiTexel& texel = texture.pcData[i];
        image.bytes.insert(image.bytes.end(), {texel.r, texel.g, texel.b, texel.a});
    }
    return image;
}

std::optional<std::string> file_of(const AssimpImport& import, const std::string& name) {
    return find_picture(AssetRoots(import.path, import.config.asset_roots), name);
}

bool is_picture_there(const AssimpImport& import, const std::string& name) {
    const std::optional<std::string> file = file_of(import, name);
    std::error_code problem;
    return file && fs::is_regular_file(*file, problem);
}

// An encoded file within the model: mWidth counts its bytes.
std::span<const u8> encoded_bytes(const aiTexture& texture) {
    return {reinterpret_cast<const u8*>(texture.pcData), texture.mWidth};
}

// Adds the picture's memory to that of the import's other pictures, before it is decoded. Skips a
// picture that cannot be read: decoding reports it.
base::Status count_picture(AssimpImport& import,
                           const aiScene& source,
                           const std::string& name,
                           TexelMeaning meaning) {
    const aiTexture* texture = source.GetEmbeddedTexture(name.c_str());
    base::Result<PictureSize> size = PictureSize{};
    if (texture == nullptr) {
        const std::optional<std::string> file = file_of(import, name);
        if (!file) {
            return base::Done{};
        }
        size = picture_size(*file, meaning, import.config.colours.get());
    } else if (texture->mHeight == 0) {
        size = picture_size(encoded_bytes(*texture), name);
    }
    if (!size.is_ok()) {
        return base::Done{};
    }
    if (import.counted.insert(name).second) {
        import.pictures.add_read(size.value().file_bytes);
    }
    return import.pictures.add_made(size.value().chain_bytes, name);
}

base::Result<DecodedImage> read_or_fail(const AssimpImport& import,
                                        const aiScene& source,
                                        const std::string& name,
                                        TexelMeaning meaning) {
    if (is_given_up(import.config)) {
        return cancelled_error(import.path);
    }
    const aiTexture* texture = source.GetEmbeddedTexture(name.c_str());
    if (texture == nullptr) {
        const std::optional<std::string> file = file_of(import, name);
        return file ? decode_image_file(*file, meaning, import.config.colours.get())
                    : base::Result<DecodedImage>(outside_error(import.path + ": a picture", name));
    }
    if (texture->mHeight > 0) {
        return raw_picture(*texture);
    }
    return decode_image_memory(encoded_bytes(*texture), import.path + " picture " + name, meaning);
}

DecodedImage stand_in(MissingFile policy) {
    const u32 side = policy == MissingFile::Checker ? 8 : 1;
    DecodedImage image;
    image.width = image.height = side;
    for (u32 y = 0; y < side; ++y) {
        for (u32 x = 0; x < side; ++x) {
            const bool is_magenta = policy == MissingFile::Checker && (x + y) % 2 == 0;
            const u8 bright = is_magenta ? 255 : 0;
            image.bytes.insert(image.bytes.end(), {bright, 0, bright, 255});
        }
    }
    return image;
}

}  // namespace

std::string library_picture(const AssimpImport& import,
                            const std::string& folder,
                            const std::string& name) {
    if (folder.empty() || is_picture_there(import, name)) {
        return name;
    }
    const std::string last_part = name.substr(name.find_last_of("/\\") + 1);
    for (const std::string& beside : {folder + name, folder + last_part}) {
        if (is_picture_there(import, beside)) {
            return beside;
        }
    }
    return name;
}

base::Result<DecodedImage> read_assimp_picture(AssimpImport& import,
                                               const aiScene& source,
                                               const std::string& name,
                                               TexelMeaning meaning) {
    WEFT_TRY(count_picture(import, source, name, meaning));
    base::Result<DecodedImage> image = read_or_fail(import, source, name, meaning);
    if (image.is_ok()) {
        return image;
    }
    if (import.config.missing_file == MissingFile::Error) {
        return missing_pictures_error(image.error(), 1);
    }
    if (import.config.on_missing) {
        import.config.on_missing(name, image.error().sentence);
    }
    import.note(Note::Kind::Replaced,
                "the picture " + name + " cannot be read; " +
                    (import.config.missing_file == MissingFile::Checker ? "a checker" : "black") +
                    " stands in.");
    return stand_in(import.config.missing_file);
}

bool looks_like_normal_map(const DecodedImage& image) {
    const std::size_t texels = std::size_t{image.width} * image.height;
    const std::size_t step = std::max<std::size_t>(1, texels / 4096);
    std::size_t seen = 0;
    std::size_t unit = 0;
    for (std::size_t texel = 0; texel < texels; texel += step, ++seen) {
        std::array<float, 3> n{};
        for (std::size_t channel = 0; channel < 3; ++channel) {
            n[channel] = 2 * image.texel(texel)[channel] - 1;
        }
        const float length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        // A grey texel (g, g, g) has unit length only near one shade.
        const bool is_grey = std::fabs(n[0] - n[2]) < 0.02f && std::fabs(n[1] - n[2]) < 0.02f;
        unit += n[2] > 0 && std::fabs(length - 1) < 0.2f && !is_grey ? 1u : 0u;
    }
    return 10 * unit >= 9 * seen && seen > 0;
}

}  // namespace weft::scene
