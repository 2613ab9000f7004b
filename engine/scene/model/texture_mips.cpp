// texture_mips.cpp — the mip chain of a decoded picture, packed into words of the scene's texels.
//
// Level l is max(1, size >> l) texels along each axis; each texel is the area-weighted mean, in
// linear light, of the texels of the level above that it covers (2x2 for even sizes, up to 3x3 for
// odd ones), summed row by row in a fixed order. Levels are computed from the unrounded one above,
// row by row: a coarser row is computed as soon as the last row that it covers is there, so no
// level ever exists as a whole in floats. build_mip_chain: any thread; append_*: the one importer
// thread of the scene.
#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/scene/model/texture.h"
#include "scheduler/base/ensure.h"
#include "shaders/surface/texel_layout.h"

namespace weft::scene {

namespace {

using shaders::kGreyFloat;
using shaders::kGreyLinear8;
using shaders::kGreySrgb8;
using shaders::TexelFormat;

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

// Packs a texel of a float or half format.
void pack_floats(const float* texel, TexelFormat format, u32* words) {
    if (format == TexelFormat::Half) {
        words[0] = shaders::float_to_half(texel[0]) | shaders::float_to_half(texel[1]) << 16;
        words[1] = shaders::float_to_half(texel[2]) | shaders::float_to_half(texel[3]) << 16;
        return;
    }
    const u32 count = format == kGreyFloat ? 1 : 4;
    for (u32 c = 0; c < count; ++c) {
        words[c] = std::bit_cast<u32>(texel[c]);
    }
}

bool is_curved(TexelFormat format) {
    return format == TexelFormat::Srgb8 || format == kGreySrgb8;
}

// 8-bit codes of a texel's values, in the low bytes.
u32 encode_texel(const float* texel, TexelFormat format) {
    const auto encode = [&](float value) {
        return is_curved(format) ? encode_srgb(value) : encode_linear(value);
    };
    if (shaders::is_grey_byte(format)) {
        return encode(texel[0]);
    }
    return encode(texel[0]) | encode(texel[1]) << 8 | encode(texel[2]) << 16 |
           encode_linear(texel[3]) << 24;
}

// Makes all levels below the first from its rows, given in order.
class LevelRows {
public:
    // `are_halves`: all values of the picture are halves, so its levels are stored as halves too.
    LevelRows(MipChain& chain, u32 values_per_texel, bool are_halves)
        : chain_(chain), values_(values_per_texel), are_halves_(are_halves) {
        const TexelFormat format = format_of_chain();
        u64 words = 0;
        for (u32 l = 0; l < chain.record.mip_count; ++l) {
            Level level{std::max(1u, chain.record.width >> l),
                        std::max(1u, chain.record.height >> l),
                        {},
                        {}};
            for (std::vector<float>& row : level.rows) {
                row.resize(std::size_t{values_} * level.width);
            }
            for (u32 x = 0; l > 0 && x < level.width; ++x) {
                level.columns.push_back(cover_of(x, levels_[l - 1].width, level.width));
            }
            chain.record.mip_offset[l] = static_cast<u32>(words);
            words += shaders::words_of_level(level.width, level.height, format);
            levels_.push_back(std::move(level));
        }
        chain.words.resize(words);
    }

    // Where the next row of the first level goes, as linear floats; put_row() takes it.
    float* first_row() { return levels_[0].row_at(levels_[0].rows_done); }

    void put_row(u32 l = 0) {
        const u32 y = levels_[l].rows_done++;
        if (l + 1 == levels_.size()) {
            return;
        }
        // The last row that a coarser one covers may be the first that the next one covers.
        Level& coarse = levels_[l + 1];
        while (coarse.rows_done < coarse.height) {
            const Cover rows = cover_of(coarse.rows_done, levels_[l].height, coarse.height);
            if (rows.first + rows.count != y + 1) {
                return;
            }
            halve(levels_[l], rows, coarse);
            pack_row(l + 1, coarse.rows_done);
            put_row(l + 1);
        }
    }

private:
    static constexpr u32 kKeptRows = 3;  // the most that one coarser row covers

    struct Level {
        u32 width = 0;
        u32 height = 0;
        std::array<std::vector<float>, kKeptRows> rows;  // the last ones, row y at y modulo 3
        std::vector<Cover> columns;                      // of the level above, by texel
        u32 rows_done = 0;

        float* row_at(u32 y) { return rows[y % kKeptRows].data(); }
    };

    [[nodiscard]] TexelFormat format_of_chain() const {
        return static_cast<TexelFormat>(chain_.record.format);
    }

    // The next row of the coarse level.
    void halve(Level& fine, const Cover& rows, Level& coarse) const {
        float* const to = coarse.row_at(coarse.rows_done);
        std::array<const float*, kKeptRows> from{};
        for (u32 j = 0; j < rows.count; ++j) {
            from[j] = fine.row_at(rows.first + j);
        }
        for (u32 x = 0; x < coarse.width; ++x) {
            const Cover& cover = coarse.columns[x];
            for (u32 c = 0; c < values_; ++c) {
                float sum = 0;
                for (u32 j = 0; j < rows.count; ++j) {
                    for (u32 i = 0; i < cover.count; ++i) {
                        sum += rows.weight[j] * cover.weight[i] *
                               from[j][std::size_t{values_} * (cover.first + i) + c];
                    }
                }
                to[std::size_t{values_} * x + c] = sum;
            }
        }
    }

    void pack_row(u32 l, u32 y) {
        Level& level = levels_[l];
        const float* const row = level.row_at(y);
        const TexelFormat format = format_of_chain();
        u32* const words = &chain_.words[chain_.record.mip_offset[l]];
        for (u32 x = 0; x < level.width; ++x) {
            const float* const texel = row + std::size_t{values_} * x;
            const u64 index = shaders::texel_index(x, y, level.width);
            if (format == kGreyFloat && are_halves_) {
                const float half = shaders::half_to_float(shaders::float_to_half(*texel));
                words[index] = std::bit_cast<u32>(half);
            } else if (shaders::is_grey_byte(format)) {
                words[index / 4] |= encode_texel(texel, format) << 8 * (index % 4);
            } else if (shaders::words_of_texel(format) == 1 && format != kGreyFloat) {
                words[index] = encode_texel(texel, format);
            } else {
                pack_floats(texel, format, words + index * shaders::words_of_texel(format));
            }
        }
    }

    MipChain& chain_;
    u32 values_;
    bool are_halves_;
    std::vector<Level> levels_;
};

// Row y of the first level exactly as decoded.
void pack_first_row(const DecodedImage& image, u32 y, MipChain& chain) {
    const auto format = static_cast<TexelFormat>(chain.record.format);
    const std::size_t values = image.values_per_texel();
    for (u32 x = 0; x < image.width; ++x) {
        const std::size_t at = values * (std::size_t{y} * image.width + x);
        const u64 index = shaders::texel_index(x, y, image.width);
        if (image.is_float) {
            pack_floats(
                &image.floats[at], format, &chain.words[index * shaders::words_of_texel(format)]);
        } else if (image.is_grey) {
            chain.words[index / 4] |= u32{image.bytes[at]} << 8 * (index % 4);
        } else {
            const u8* bytes = &image.bytes[at];
            chain.words[index] =
                u32{bytes[0]} | u32{bytes[1]} << 8 | u32{bytes[2]} << 16 | u32{bytes[3]} << 24;
        }
    }
}

// Row y in linear light.
void decode_row(const DecodedImage& image, u32 y, TexelFormat format, float* to) {
    const std::size_t values = image.values_per_texel();
    const std::size_t begin = values * image.width * y;
    const std::size_t count = values * image.width;
    if (image.is_float) {
        std::copy_n(image.floats.begin() + static_cast<std::ptrdiff_t>(begin), count, to);
        return;
    }
    const float* const curve = srgb_to_linear_table();
    for (std::size_t k = 0; k < count; ++k) {
        const u8 code = image.bytes[begin + k];
        const bool is_color = is_curved(format) && (image.is_grey || k % 4 != 3);
        to[k] = is_color ? curve[code] : static_cast<float>(code) / 255.0f;
    }
}

// Whether every float of the picture is a finite half.
bool are_halves(const DecodedImage& image) {
    return image.is_float && std::all_of(image.floats.begin(), image.floats.end(), [](float value) {
               return std::bit_cast<u32>(shaders::half_to_float(shaders::float_to_half(value))) ==
                      std::bit_cast<u32>(value);
           });
}

TexelFormat format_of(const DecodedImage& image, TexelMeaning meaning, bool are_halves) {
    if (!image.is_float) {
        const bool is_color = meaning == TexelMeaning::Color;
        return image.is_grey ? (is_color ? kGreySrgb8 : kGreyLinear8)
                             : (is_color ? TexelFormat::Srgb8 : TexelFormat::Linear8);
    }
    if (image.is_grey) {
        return kGreyFloat;
    }
    return are_halves ? TexelFormat::Half : TexelFormat::Float;
}

u32 mip_count_of(const DecodedImage& image) {
    const auto levels = static_cast<u32>(std::bit_width(std::max(image.width, image.height)));
    return std::min(levels, shaders::kMaxMips);
}

}  // namespace

u64 mip_chain_bytes(const DecodedImage& image) {
    const TexelFormat format = image.is_float
                                   ? (image.is_grey ? kGreyFloat : TexelFormat::Float)
                                   : (image.is_grey ? kGreyLinear8 : TexelFormat::Linear8);
    u64 words = 0;
    for (u32 l = 0; l < mip_count_of(image); ++l) {
        words += shaders::words_of_level(
            std::max(1u, image.width >> l), std::max(1u, image.height >> l), format);
    }
    return words * sizeof(u32);
}

MipChain build_mip_chain(const DecodedImage& image, TexelMeaning meaning) {
    MipChain chain;
    chain.meaning = meaning;
    chain.repaired_texels = image.repaired_texels;
    const bool has_halves = are_halves(image);
    const TexelFormat format = format_of(image, meaning, has_halves);
    chain.record.width = image.width;
    chain.record.height = image.height;
    chain.record.format = static_cast<u32>(format);
    chain.record.mip_count = mip_count_of(image);
    LevelRows levels(chain, static_cast<u32>(image.values_per_texel()), has_halves);
    for (u32 y = 0; y < image.height; ++y) {
        pack_first_row(image, y, chain);
        decode_row(image, y, format, levels.first_row());
        levels.put_row();
    }
    return chain;
}

namespace {

// Of a whole chain, by its record.
u64 words_of_chain(const shaders::TextureRecord& record) {
    const u32 last = record.mip_count - 1;
    return record.mip_offset[last] - record.mip_offset[0] +
           shaders::words_of_level(std::max(1u, record.width >> last),
                                   std::max(1u, record.height >> last),
                                   static_cast<TexelFormat>(record.format));
}

// Moves the chain's offsets, which count words from `from`, to those behind `scene`'s texels.
void move_behind(const Scene& scene, u32 from, shaders::TextureRecord& record) {
    for (u32 l = 0; l < record.mip_count; ++l) {
        record.mip_offset[l] += static_cast<u32>(scene.texels.size()) - from;
    }
}

base::Status check_room(const Scene& scene, u64 words, const std::string& name) {
    return scene.texels.size() + words < kNone
               ? base::Status(base::Done{})
               : base::Error{base::ErrorKind::Scene,
                             name + ": the textures outgrow 2^32 - 1 words of memory here"};
}

}  // namespace

base::Result<u32> append_mip_chain(Scene& scene, const MipChain& chain, const std::string& name) {
    WEFT_TRY(check_room(scene, chain.words.size(), name));
    Texture texture{name, chain.record, chain.meaning};
    move_behind(scene, 0, texture.record);
    WEFT_TRY(scene.texels.append(chain.words));
    scene.textures.push_back(std::move(texture));
    return static_cast<u32>(scene.textures.size() - 1);
}

base::Result<u32> append_texture(Scene& scene,
                                 const DecodedImage& image,
                                 TexelMeaning meaning,
                                 const std::string& name) {
    return append_mip_chain(scene, build_mip_chain(image, meaning), name);
}

std::optional<u32> find_texture(const Scene& scene, const std::string& name, TexelMeaning meaning) {
    for (u32 i = 0; i < scene.textures.size(); ++i) {
        if (scene.textures[i].name == name && scene.textures[i].meaning == meaning) {
            return i;
        }
    }
    return std::nullopt;
}

base::Result<u32> append_texture_of(Scene& scene, const Scene& other, u32 texture) {
    Texture copy = other.textures[texture];
    const u32 first = copy.record.mip_offset[0];
    const u64 words = words_of_chain(copy.record);
    WEFT_TRY(check_room(scene, words, copy.name));
    move_behind(scene, first, copy.record);
    WEFT_TRY(scene.texels.append_from(other.texels, first, words));
    scene.textures.push_back(std::move(copy));
    return static_cast<u32>(scene.textures.size() - 1);
}

base::Result<u32> append_file(Scene& scene,
                              const std::string& path,
                              TexelMeaning meaning,
                              const colour::ColourConfig* maybe_colours) {
    const base::Result<DecodedImage> image = decode_image_file(path, meaning, maybe_colours);
    WEFT_TRY(image);
    const MipChain chain = build_mip_chain(image.value(), meaning);
    const base::Result<u32> texture = append_mip_chain(scene, chain, path);
    if (texture.is_ok() && chain.repaired_texels > 0) {
        scene.notes.push_back(
            {Note::Kind::Repaired, repaired_texels_sentence(path, chain.repaired_texels) + "."});
    }
    return texture;
}

}  // namespace weft::scene
