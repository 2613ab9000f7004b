// texture.h — image files and memory blocks decoded into the scene's texel arena, with mip-maps.
//
// Decoded by what the slot means, never by the file's tag: colour slots (base colour, emissive,
// sheen, specular colour, specular-glossiness) through the sRGB curve, the rest linear. Straight
// alpha is kept. 8-bit images stay 8 bit; 16-bit and float images become linear floats, or halves
// where that loses nothing. Levels are laid out as shaders/texel_layout.h says.
#pragma once

#include <span>
#include <string>

#include "engine/scene/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// One decoded picture before it goes into the arena: RGBA, row 0 on top, straight alpha.
struct DecodedImage {
    u32 width = 0;
    u32 height = 0;
    bool is_float = false;
    std::vector<u8>
        bytes;  // 4 per pixel where !is_float, as stored in the file (sRGB curve not applied)
    std::vector<float> floats;  // 4 per pixel where is_float; linear after decode (16-bit colour
                                // went through the curve)
};

base::Result<DecodedImage> decode_image_file(const std::string& path, TexelMeaning meaning);
// `name` is for sentences; the format is found from the bytes (PNG, JPEG, WebP, ...).
base::Result<DecodedImage> decode_image_memory(std::span<const u8> bytes,
                                               const std::string& name,
                                               TexelMeaning meaning);

// Appends texels and the whole mip chain (box filter, in linear light) to the arena; returns the
// texture's index.
u32 append_texture(Scene& scene,
                   const DecodedImage& image,
                   TexelMeaning meaning,
                   const std::string& name);

// The same in two steps, so that many pictures can be filtered at once (any thread) and then
// appended in a fixed order. `record.mip_offset` counts words of `words` until it is appended; the
// arena holds fewer than 2^32 words in all.
struct MipChain {
    shaders::TextureRecord record{};
    TexelMeaning meaning = TexelMeaning::Linear;
    std::vector<u32> words;
};

MipChain build_mip_chain(const DecodedImage& image, TexelMeaning meaning);
u32 append_mip_chain(Scene& scene, const MipChain& chain, const std::string& name);

// Reads a file and appends it under its path; only texels and textures of the scene are looked at.
// Error: it cannot be read, or the arena has no room for it.
base::Result<u32> append_file(Scene& scene, const std::string& path, TexelMeaning meaning);

// sRGB transfer curve (IEC 61966-2-1) of i / 255, 256 entries, without libm.
const float* srgb_to_linear_table();
float srgb_to_linear(float encoded);

}  // namespace weft::scene
