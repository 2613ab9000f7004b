// texture.h — image files and memory blocks decoded into the scene's texels, with mip-maps.
//
// The meaning of the slot decides how to decode, never a tag of the file: colour slots (base
// colour, emissive, sheen, specular colour, specular-glossiness) through the sRGB curve, the rest
// linear. Straight alpha is kept. 8-bit images stay 8 bit; 16-bit and float images become linear
// floats, or halves where no bits are lost; grey images stay grey. Where a colour config has a rule
// for the file of a colour slot, the rule decides instead: all depths go through its colour space
// to the working space, 8-bit images as halves in four channels. Memory is claimed before it is
// allocated (picture_input.h). Levels are laid out as shaders/surface/texel_layout.h says.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/colour/colour_config.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// One decoded picture before its texels are appended: RGBA or opaque grey, row 0 on top, straight
// alpha.
struct DecodedImage {
    u32 width = 0;
    u32 height = 0;
    bool is_float = false;
    bool is_grey = false;       // one value per pixel, else four
    std::vector<u8> bytes;      // where !is_float, as stored in the file (sRGB curve not applied)
    std::vector<float> floats;  // where is_float; linear after decode (16-bit colour went through
                                // the curve)
    std::string name{};         // for sentences
    u64 file_bytes = 0;         // of the file that it was read from
    // Memory of the image and its mip chain; the builder of the chain ends the claim.
    std::shared_ptr<base::MemoryClaim> claim{};
    u64 repaired_texels = 0;  // texels with a value that was not finite

    [[nodiscard]] std::size_t values_per_texel() const { return is_grey ? 1 : 4; }

    // The texel as RGBA; 8-bit values as value / 255.
    [[nodiscard]] std::array<float, 4> texel(std::size_t index) const;
};

// The same picture with four values per texel. Error: its file is too small for that much memory,
// or the memory limit leaves too little.
base::Result<DecodedImage> with_all_channels(DecodedImage image);
// 8-bit white of the same size; the same errors.
base::Result<DecodedImage> white_like(const DecodedImage& other);
// White of another size with the values of `other`, four per texel; the same errors.
base::Result<DecodedImage> white_of_size(const DecodedImage& other, u32 width, u32 height);

// `maybe_colours`: the config whose file rules count; null: none. Error, too: what its rule needs
// is missing.
base::Result<DecodedImage> decode_image_file(const std::string& path,
                                             TexelMeaning meaning,
                                             const colour::ColourConfig* maybe_colours = nullptr);
// `name` is for sentences; the format is found from the bytes (PNG, JPEG, WebP, ...).
base::Result<DecodedImage> decode_image_memory(std::span<const u8> bytes,
                                               const std::string& name,
                                               TexelMeaning meaning);

// The memory that a picture takes here, by its header.
struct PictureSize {
    u64 file_bytes = 0;
    u64 chain_bytes = 0;
};

base::Result<PictureSize> picture_size(const std::string& path,
                                       TexelMeaning meaning,
                                       const colour::ColourConfig* maybe_colours);
base::Result<PictureSize> picture_size(std::span<const u8> bytes, const std::string& name);

// Appends texels and the whole mip chain (box filter, in linear light) to the scene's texels;
// returns the texture's index. Error: the texels outgrow 2^32 - 1 words, or the file that holds
// them cannot grow (texel_file.h). The same holds for all that append.
base::Result<u32> append_texture(Scene& scene,
                                 const DecodedImage& image,
                                 TexelMeaning meaning,
                                 const std::string& name);

// The same in two steps, so that many pictures can be filtered at once (any thread) and then
// appended in a fixed order. `record.mip_offset` counts words of `words` until it is appended.
struct MipChain {
    shaders::TextureRecord record{};
    TexelMeaning meaning = TexelMeaning::Linear;
    std::vector<u32> words;
    u64 repaired_texels = 0;
};

// Bytes of the chain, from width, height and kind of values (halves take half of it).
u64 mip_chain_bytes(const DecodedImage& image);
MipChain build_mip_chain(const DecodedImage& image, TexelMeaning meaning);
base::Result<u32> append_mip_chain(Scene& scene, const MipChain& chain, const std::string& name);

// The index of the scene's texture of this name and meaning.
std::optional<u32> find_texture(const Scene& scene, const std::string& name, TexelMeaning meaning);
// Appends a texture of another scene.
base::Result<u32> append_texture_of(Scene& scene, const Scene& other, u32 texture);

// Reads a file and appends it under its path; touches only texels and textures of the scene.
// Error, too: it cannot be read.
base::Result<u32> append_file(Scene& scene,
                              const std::string& path,
                              TexelMeaning meaning,
                              const colour::ColourConfig* maybe_colours = nullptr);

// Infinite values, which mostly come from an overflow, become the largest half; NaNs become 0.
float finite_texel(float value);
// The note on such values.
std::string repaired_texels_sentence(const std::string& name, u64 texels);

// sRGB transfer curve (IEC 61966-2-1) of i / 255, 256 entries, without libm.
const float* srgb_to_linear_table();
float srgb_to_linear(float encoded);

}  // namespace weft::scene
