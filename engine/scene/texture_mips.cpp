// texture_mips.cpp — the mip chain of a decoded picture, packed into the words of the texel arena.
//
// Level l is max(1, size >> l) texels along each axis; each texel is the area-weighted mean, in
// linear light, of the texels of the level above that it covers (2x2 for even sizes, up to 3x3 for
// odd ones), summed row by row in a fixed order. Levels are computed from the unrounded one above.
// build_mip_chain: any thread; append_*: the one importer thread of the scene.
#include <algorithm>
#include <array>
#include <bit>

#include "engine/scene/texture.h"
#include "scheduler/base/ensure.h"
#include "shaders/texel_layout.h"

namespace weft::scene {

namespace {

// One level in linear floats, RGBA.
struct Level {
    u32 width = 0;
    u32 height = 0;
    std::vector<float> texels;
};

// The texels of the finer level that texel i of the coarser one covers along one axis: weights sum
// to 1.
struct Cover {
    u32 first = 0;
    u32 count = 0;
    std::array<float, 3> weight{};
};

Cover cover_of(u32 i, u32 fine, u32 coarse) {
    // In units of 1 / coarse of a fine texel, the coarse texel spans [i · fine, (i + 1) · fine).
    const u64 low = u64{i} * fine;
    const u64 high = low + fine;
    Cover cover;
    cover.first = static_cast<u32>(low / coarse);
    for (u64 texel = cover.first; texel * coarse < high && cover.count < 3; ++texel) {
        const u64 from = std::max(low, texel * coarse);
        const u64 to = std::min(high, (texel + 1) * coarse);
        cover.weight[cover.count++] = static_cast<float>(to - from) / static_cast<float>(fine);
    }
    return cover;
}

// `fetch(x, y, channel)` reads the finer level in linear light.
template <typename Fetch>
Level halve(u32 width, u32 height, const Fetch& fetch) {
    Level level{std::max(1u, width / 2), std::max(1u, height / 2), {}};
    level.texels.resize(std::size_t{4} * level.width * level.height);
    std::vector<Cover> columns(level.width);
    for (u32 x = 0; x < level.width; ++x) {
        columns[x] = cover_of(x, width, level.width);
    }
    for (u32 y = 0; y < level.height; ++y) {
        const Cover rows = cover_of(y, height, level.height);
        for (u32 x = 0; x < level.width; ++x) {
            const Cover& cover = columns[x];
            for (u32 c = 0; c < 4; ++c) {
                float sum = 0;
                for (u32 j = 0; j < rows.count; ++j) {
                    for (u32 i = 0; i < cover.count; ++i) {
                        sum += rows.weight[j] * cover.weight[i] *
                               fetch(cover.first + i, rows.first + j, c);
                    }
                }
                level.texels[4 * (std::size_t{y} * level.width + x) + c] = sum;
            }
        }
    }
    return level;
}

// The 8-bit code whose decoded value lies nearest on the encoded side.
u32 encode_srgb(float linear) {
    static const std::array<float, 255> thresholds = [] {
        std::array<float, 255> values{};
        for (u32 i = 0; i < 255; ++i) {
            values[i] = srgb_to_linear((static_cast<float>(i) + 0.5f) / 255.0f);
        }
        return values;
    }();
    return static_cast<u32>(std::upper_bound(thresholds.begin(), thresholds.end(), linear) -
                            thresholds.begin());
}

u32 encode_linear(float value) {
    return static_cast<u32>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f);
}

// Appends a level in the order of texel_layout.h; put(x, y, words) writes one texel.
template <typename Put>
void pack_tiles(
    u32 width, u32 height, shaders::TexelFormat format, std::vector<u32>& words, const Put& put) {
    const std::size_t first = words.size();
    const u32 words_each = shaders::words_of_texel(format);
    words.resize(first + shaders::texels_of_level(width, height) * words_each);
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            put(x, y, &words[first + shaders::texel_index(x, y, width) * words_each]);
        }
    }
}

void pack_floats(const float* texel, shaders::TexelFormat format, u32* words) {
    if (format == shaders::TexelFormat::Half) {
        words[0] = shaders::float_to_half(texel[0]) | shaders::float_to_half(texel[1]) << 16;
        words[1] = shaders::float_to_half(texel[2]) | shaders::float_to_half(texel[3]) << 16;
        return;
    }
    for (u32 c = 0; c < 4; ++c) {
        words[c] = std::bit_cast<u32>(texel[c]);
    }
}

void pack_level(const Level& level, shaders::TexelFormat format, std::vector<u32>& words) {
    const bool is_srgb = format == shaders::TexelFormat::Srgb8;
    pack_tiles(level.width, level.height, format, words, [&](u32 x, u32 y, u32* to) {
        const float* texel = &level.texels[4 * (std::size_t{y} * level.width + x)];
        if (shaders::words_of_texel(format) > 1) {
            pack_floats(texel, format, to);
            return;
        }
        *to = encode_linear(texel[3]) << 24;
        for (u32 c = 0; c < 3; ++c) {
            *to |= (is_srgb ? encode_srgb(texel[c]) : encode_linear(texel[c])) << (8 * c);
        }
    });
}

// Level 0 exactly as decoded.
void pack_first_level(const DecodedImage& image,
                      shaders::TexelFormat format,
                      std::vector<u32>& words) {
    pack_tiles(image.width, image.height, format, words, [&](u32 x, u32 y, u32* to) {
        const std::size_t at = 4 * (std::size_t{y} * image.width + x);
        if (image.is_float) {
            pack_floats(&image.floats[at], format, to);
            return;
        }
        const u8* bytes = &image.bytes[at];
        *to = u32{bytes[0]} | u32{bytes[1]} << 8 | u32{bytes[2]} << 16 | u32{bytes[3]} << 24;
    });
}

// Halves are kept as halves: a picture of floats that all are finite ones.
shaders::TexelFormat format_of(const DecodedImage& image, TexelMeaning meaning) {
    if (!image.is_float) {
        return meaning == TexelMeaning::Color ? shaders::TexelFormat::Srgb8
                                              : shaders::TexelFormat::Linear8;
    }
    const bool are_halves = std::all_of(image.floats.begin(), image.floats.end(), [](float value) {
        return std::bit_cast<u32>(shaders::half_to_float(shaders::float_to_half(value))) ==
               std::bit_cast<u32>(value);
    });
    return are_halves ? shaders::TexelFormat::Half : shaders::TexelFormat::Float;
}

// Level 1, read straight from the decoded picture.
Level halve_image(const DecodedImage& image, shaders::TexelFormat format) {
    const std::size_t width = image.width;
    if (image.is_float) {
        return halve(image.width, image.height, [&](u32 x, u32 y, u32 c) {
            return image.floats[4 * (y * width + x) + c];
        });
    }
    const float* curve = srgb_to_linear_table();
    const bool is_srgb = format == shaders::TexelFormat::Srgb8;
    return halve(image.width, image.height, [&](u32 x, u32 y, u32 c) {
        const u8 code = image.bytes[4 * (y * width + x) + c];
        return is_srgb && c != 3 ? curve[code] : static_cast<float>(code) / 255.0f;
    });
}

}  // namespace

MipChain build_mip_chain(const DecodedImage& image, TexelMeaning meaning) {
    MipChain chain;
    chain.meaning = meaning;
    const shaders::TexelFormat format = format_of(image, meaning);
    chain.record.width = image.width;
    chain.record.height = image.height;
    chain.record.format = static_cast<u32>(format);
    const u32 mip_count = static_cast<u32>(std::bit_width(std::max(image.width, image.height)));
    chain.record.mip_count = std::min(mip_count, shaders::kMaxMips);
    pack_first_level(image, format, chain.words);
    Level level;
    for (u32 l = 1; l < chain.record.mip_count; ++l) {
        if (l == 1) {
            level = halve_image(image, format);
        } else {
            const Level fine = std::move(level);
            level = halve(fine.width, fine.height, [&](u32 x, u32 y, u32 c) {
                return fine.texels[4 * (std::size_t{y} * fine.width + x) + c];
            });
        }
        chain.record.mip_offset[l] = static_cast<u32>(chain.words.size());
        pack_level(level, format, chain.words);
    }
    return chain;
}

u32 append_mip_chain(Scene& scene, const MipChain& chain, const std::string& name) {
    const std::size_t first = scene.texels.size();
    ENSURE(first + chain.words.size(), <, std::size_t{kNone});
    Texture texture{name, chain.record, chain.meaning};
    for (u32 l = 0; l < chain.record.mip_count; ++l) {
        texture.record.mip_offset[l] += static_cast<u32>(first);
    }
    scene.texels.insert(std::as_const(scene.texels).end(), chain.words.begin(), chain.words.end());
    scene.textures.push_back(std::move(texture));
    return static_cast<u32>(scene.textures.size() - 1);
}

u32 append_texture(Scene& scene,
                   const DecodedImage& image,
                   TexelMeaning meaning,
                   const std::string& name) {
    return append_mip_chain(scene, build_mip_chain(image, meaning), name);
}

base::Result<u32> append_file(Scene& scene, const std::string& path, TexelMeaning meaning) {
    const base::Result<DecodedImage> image = decode_image_file(path, meaning);
    if (!image.is_ok()) {
        return image.error();
    }
    const MipChain chain = build_mip_chain(image.value(), meaning);
    if (scene.texels.size() + chain.words.size() >= kNone) {
        return base::Error{base::ErrorKind::Scene,
                           path + " does not fit, the textures outgrow 2^32 - 1 words of memory"};
    }
    return append_mip_chain(scene, chain, path);
}

}  // namespace weft::scene
