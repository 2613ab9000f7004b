// texel_layout.h — the layout of texels in the arena, and the conversion of halves.
//
// A mip level is stored as tiles of 4×4 texels, tiles in row-major order, and texels of a tile in
// row-major order. A tile of 8-bit texels is one cache line, so the four texels of a bilinear
// lookup mostly share a line, whatever the order of rays. Padding texels of the last tiles are
// zero. Included by all code that writes or reads the arena; pure.
#pragma once

#include <array>
#include <bit>

#include "scheduler/base/ids.h"
#include "shaders/host/scene_view.h"

namespace weft::shaders {

// Formats of grey pictures, in addition to those of scene_view.h: one value for all three colours,
// alpha is 1.
inline constexpr TexelFormat kGreyLinear8{4};  // texel k of a level is its byte k, value / 255
inline constexpr TexelFormat kGreySrgb8{5};    // the same through the sRGB curve
inline constexpr TexelFormat kGreyFloat{6};    // one float; one word

inline constexpr u32 kTileShift = 2;
inline constexpr u32 kTileSide = 1u << kTileShift;

// Tiles in a row of tiles.
constexpr u32 tiles_across(u32 width) {
    return (width + kTileSide - 1) >> kTileShift;
}

// Texels of a level, padding of its last tiles included.
constexpr u64 texels_of_level(u32 width, u32 height) {
    return u64{tiles_across(width)} * tiles_across(height) * kTileSide * kTileSide;
}

// Index of texel (x, y) in its level; x < width.
constexpr u64 texel_index(u32 x, u32 y, u32 width) {
    const u64 tile = u64{y >> kTileShift} * tiles_across(width) + (x >> kTileShift);
    return (tile << 2 * kTileShift) + ((y & (kTileSide - 1)) << kTileShift) + (x & (kTileSide - 1));
}

// True if four texels share a word.
constexpr bool is_grey_byte(TexelFormat format) {
    return format == kGreyLinear8 || format == kGreySrgb8;
}

// Words of one texel, for formats that fill whole words.
constexpr u32 words_of_texel(TexelFormat format) {
    return format == TexelFormat::Float ? 4 : format == TexelFormat::Half ? 2 : 1;
}

// The word of its level in which texel `index` begins.
constexpr u64 word_of_texel(u64 index, TexelFormat format) {
    return is_grey_byte(format) ? index / 4 : index * words_of_texel(format);
}

// Words of a level; tiles always fill whole words.
constexpr u64 words_of_level(u32 width, u32 height, TexelFormat format) {
    return word_of_texel(texels_of_level(width, height), format);
}

// Decodes IEEE 754 binary16 in the low bits of a word. Exact; the arena holds no codes of exponent
// 31 (infinity, NaN).
constexpr float half_to_float(u32 code) {
    const u32 shifted = (code & 0x7fffu) << 13;
    // Normal numbers: rebias the exponent. Subnormal numbers: decode 2⁻¹⁴ plus the value, and
    // subtract.
    const float value = shifted >= 1u << 23
                            ? std::bit_cast<float>(shifted + (112u << 23))
                            : std::bit_cast<float>(shifted + (113u << 23)) - 0x1p-14f;
    return (code & 0x8000u) != 0 ? -value : value;
}

// Rounds to the nearest half, ties to even; values beyond the largest half become the largest.
constexpr u32 float_to_half(float value) {
    const u32 sign = std::bit_cast<u32>(value) >> 16 & 0x8000u;
    const float size = value < 0 ? -value : value;
    if (!(size < 65520.0f)) {
        return sign | 0x7bffu;
    }
    if (size < 0x1p-14f) {
        return sign | (std::bit_cast<u32>(size + 0.5f) - std::bit_cast<u32>(0.5f));
    }
    const u32 bits = std::bit_cast<u32>(size);
    return sign | (bits - (112u << 23) + 0xfffu + (bits >> 13 & 1u)) >> 13;
}

// RGBA of texel `index` of its level, from the words that it begins with: linear, straight alpha.
// `srgb_to_linear`: 256 entries.
inline std::array<float, 4> texel_in(const u32* words,
                                     u64 index,
                                     TexelFormat format,
                                     const float* srgb_to_linear) {
    if (format == kGreyFloat || is_grey_byte(format)) {
        const u32 code = words[0] >> (8 * (index % 4)) & 0xffu;  // where texels are bytes
        const float value = format == kGreyFloat   ? std::bit_cast<float>(words[0])
                            : format == kGreySrgb8 ? srgb_to_linear[code]
                                                   : static_cast<float>(code) / 255.0f;
        return {value, value, value, 1};
    }
    switch (format) {
        case TexelFormat::Float:
            return {std::bit_cast<float>(words[0]),
                    std::bit_cast<float>(words[1]),
                    std::bit_cast<float>(words[2]),
                    std::bit_cast<float>(words[3])};
        case TexelFormat::Half:
            return {half_to_float(words[0]),
                    half_to_float(words[0] >> 16),
                    half_to_float(words[1]),
                    half_to_float(words[1] >> 16)};
        default:
            break;
    }
    std::array<float, 4> texel{};
    for (u32 c = 0; c < 4; ++c) {
        const u32 code = words[0] >> (8 * c) & 0xffu;
        texel[c] = format == TexelFormat::Srgb8 && c < 3 ? srgb_to_linear[code]
                                                         : static_cast<float>(code) / 255.0f;
    }
    return texel;
}

// The same from the words of the level.
inline std::array<float, 4> texel_of(const u32* level_words,
                                     u64 index,
                                     TexelFormat format,
                                     const float* srgb_to_linear) {
    return texel_in(level_words + word_of_texel(index, format), index, format, srgb_to_linear);
}

}  // namespace weft::shaders
