// texture.cpp — decodes pictures by the meaning of their slot: straight alpha, no gamma chunk, no
// orientation, no profile.
//
// Rows are decoded a strip at a time (picture_input.h) into an image of the channels and the depth
// that the file has. Any thread; nothing is shared.
#include "engine/scene/model/texture.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/files/picture_input.h"
#include "shaders/host/scalar_math.h"
#include "shaders/surface/texel_layout.h"

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;

// Larger pictures are refused before any allocation: 2^28 pixels are 1 GiB of 8-bit texels.
constexpr u64 kMaxPixels = u64{1} << 28;

// Grey, grey + alpha, RGB, RGBA or more channels of one row become RGBA.
template <typename T>
void widen_row(const T* in, std::size_t channels, std::size_t pixels, T opaque, T* out) {
    for (std::size_t i = 0; i < pixels; ++i) {
        const T* from = in + i * channels;
        T* to = out + i * 4;
        to[0] = from[0];
        to[1] = channels <= 2 ? from[0] : from[1];
        to[2] = channels <= 2 ? from[0] : from[2];
        to[3] = channels == 2 ? from[1] : (channels >= 4 ? from[3] : opaque);
    }
}

// The same, but grey stays.
template <typename T>
void spread_row(const T* in, std::size_t channels, std::size_t pixels, T opaque, T* out) {
    if (channels == 1) {
        std::copy_n(in, pixels, out);
        return;
    }
    widen_row(in, channels, pixels, opaque, out);
}

// The WebP reader premultiplies alpha whatever its options say; this divides it out. Colours under
// alpha 0 are lost.
void divide_out_alpha(u8* rgba, std::size_t pixels) {
    for (std::size_t i = 0; i < 4 * pixels; i += 4) {
        const u32 alpha = rgba[i + 3];
        for (std::size_t c = 0; c < 3 && alpha != 0; ++c) {
            rgba[i + c] =
                static_cast<u8>(std::min<u32>(255, (rgba[i + c] * 255u + alpha / 2) / alpha));
        }
    }
}

void divide_out_alpha(float* rgba, std::size_t pixels) {
    for (std::size_t i = 0; i < 4 * pixels; i += 4) {
        for (std::size_t c = 0; c < 3 && rgba[i + 3] > 0; ++c) {
            rgba[i + c] = std::fmin(1.0f, rgba[i + c] / rgba[i + 3]);
        }
    }
}

// 16-bit values to floats: through the sRGB curve where the slot means colour; alpha never.
void curve_row(const u16* codes, std::size_t count, bool is_grey, bool is_color, float* floats) {
    static const std::vector<float> curve = [] {
        std::vector<float> table(65536);
        for (u32 i = 0; i < 65536; ++i) {
            table[i] = srgb_to_linear(static_cast<float>(i) / 65535.0f);
        }
        return table;
    }();
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_curved = is_color && (is_grey || i % 4 != 3);
        floats[i] = is_curved ? curve[codes[i]] : static_cast<float>(codes[i]) / 65535.0f;
    }
}

// Makes every value finite, which filters and kernels expect; returns how many texels changed.
u64 repair_row(float* values, std::size_t count, std::size_t values_per_texel) {
    u64 repaired = 0;
    for (std::size_t i = 0; i < count; i += values_per_texel) {
        bool is_bad = false;
        for (std::size_t c = i; c < i + values_per_texel; ++c) {
            is_bad = is_bad || !std::isfinite(values[c]);
            values[c] = finite_texel(values[c]);
        }
        repaired += is_bad ? 1 : 0;
    }
    return repaired;
}

enum class Depth { Bytes, Words, Floats };

Depth depth_of(const image::Part& part) {
    switch (part.type) {
        case image::ValueType::U8:
        case image::ValueType::I8:
            return Depth::Bytes;
        case image::ValueType::U16:
        case image::ValueType::I16:
            return Depth::Words;
        default:
            return Depth::Floats;
    }
}

// Whether it does to 8- and 16-bit values what the decoding without it does: then a picture keeps
// its bytes.
bool is_srgb_curve(const colour::Transform& input) {
    constexpr float kRounding = 1e-5f;
    for (u32 code = 0; code < 256; code += 3) {
        const float value = static_cast<float>(code) / 255.0f;
        const colour::Rgb coded = {value, 1 - value, 0.5f};
        const colour::Rgb linear = input(coded);
        for (std::size_t c = 0; c < 3; ++c) {
            if (!(std::fabs(linear[c] - srgb_to_linear(coded[c])) < kRounding)) {
                return false;
            }
        }
    }
    return true;
}

using Input = std::shared_ptr<const colour::Transform>;

// From the values of the file to the working space; null: as the meaning says.
base::Result<Input> input_of(const PictureInput& input,
                             const std::string& path,
                             TexelMeaning meaning,
                             const colour::ColourConfig* maybe_colours) {
    if (maybe_colours == nullptr || meaning != TexelMeaning::Color) {
        return Input();
    }
    base::Result<Input> ruled = maybe_colours->input(path);
    WEFT_TRY(ruled);
    const bool is_usual =
        ruled.value() && depth_of(input.part()) != Depth::Floats && is_srgb_curve(*ruled.value());
    return is_usual ? Input() : ruled;
}

// Decodes the rows through a colour space. Those of bytes become halves, which are finer.
base::Status read_rows_in(const colour::Transform& space,
                          PictureInput& input,
                          DecodedImage& image) {
    const i32 channels = input.part().channel_count;
    const bool has_bytes = depth_of(input.part()) == Depth::Bytes;
    const bool is_webp = input.format == "webp";
    const std::size_t row = std::size_t{4} * image.width;
    return read_picture_rows(
        input, {0, channels}, image::ValueType::Float, [&](u32 y, const u8* from) {
            float* const to = &image.floats[y * row];
            widen_row<float>(reinterpret_cast<const float*>(from),
                             static_cast<std::size_t>(channels),
                             image.width,
                             1.0f,
                             to);
            if (is_webp) {
                divide_out_alpha(to, image.width);
            }
            space.apply_row(to, image.width);
            for (std::size_t k = 0; has_bytes && k < row; ++k) {
                to[k] = shaders::half_to_float(shaders::float_to_half(to[k]));
            }
            image.repaired_texels += repair_row(to, row, 4);
        });
}

// Decodes the rows into arrays that have their size.
base::Status read_rows(PictureInput& input, TexelMeaning meaning, DecodedImage& image) {
    const i32 channels = input.part().channel_count;
    const auto from_channels = static_cast<std::size_t>(channels);
    const std::size_t width = image.width;
    const std::size_t row = width * image.values_per_texel();
    const auto read = [&](image::ValueType type, const auto& take) {
        return read_picture_rows(input, {0, channels}, type, take);
    };
    switch (depth_of(input.part())) {
        case Depth::Bytes: {
            const bool is_webp = input.format == "webp";
            return read(image::ValueType::U8, [&](u32 y, const u8* from) {
                u8* const to = &image.bytes[y * row];
                spread_row<u8>(from, from_channels, width, 255, to);
                if (is_webp && !image.is_grey) {
                    divide_out_alpha(to, width);
                }
            });
        }
        case Depth::Words: {
            std::vector<u16> codes(row);
            return read(image::ValueType::U16, [&](u32 y, const u8* from) {
                spread_row<u16>(
                    reinterpret_cast<const u16*>(from), from_channels, width, 65535, codes.data());
                curve_row(codes.data(),
                          row,
                          image.is_grey,
                          meaning == TexelMeaning::Color,
                          &image.floats[y * row]);
            });
        }
        case Depth::Floats:
            break;
    }
    return read(image::ValueType::Float, [&](u32 y, const u8* from) {
        float* const to = &image.floats[y * row];
        spread_row<float>(reinterpret_cast<const float*>(from), from_channels, width, 1.0f, to);
        image.repaired_texels += repair_row(to, row, image.values_per_texel());
    });
}

// The image without its texels.
DecodedImage empty_image(const PictureInput& input, const Input& maybe_space) {
    DecodedImage image;
    image.width = static_cast<u32>(input.part().width);
    image.height = static_cast<u32>(input.part().height);
    image.is_grey = !maybe_space && input.part().channel_count == 1;
    image.is_float = maybe_space || depth_of(input.part()) != Depth::Bytes;
    image.name = input.name;
    image.file_bytes = input.file_bytes;
    return image;
}

PictureSize size_of(const PictureInput& input, const Input& maybe_space) {
    return {input.file_bytes, mip_chain_bytes(empty_image(input, maybe_space))};
}

base::Result<DecodedImage> decode(PictureInput& input,
                                  TexelMeaning meaning,
                                  const Input& maybe_space) {
    if (input.pixel_count() > kMaxPixels) {
        return Error{ErrorKind::Scene,
                     input.name + ": " + std::to_string(input.part().width) + "x" +
                         std::to_string(input.part().height) +
                         " pixels found, at most 2^28 in all expected"};
    }
    DecodedImage image = empty_image(input, maybe_space);
    const u64 values = input.pixel_count() * image.values_per_texel();
    const u64 image_bytes = values * (image.is_float ? sizeof(float) : 1);
    base::Result<base::MemoryClaim> claim =
        claim_texels(input.claimant(), image_bytes + mip_chain_bytes(image));
    WEFT_TRY(claim);
    if (image.is_float) {
        image.floats.resize(values);
    } else {
        image.bytes.resize(values);
    }
    image.claim = std::make_shared<base::MemoryClaim>(std::move(claim.value()));
    WEFT_TRY(maybe_space ? read_rows_in(*maybe_space, input, image)
                         : read_rows(input, meaning, image));
    return image;
}

// Claims memory for four values per texel and their mip chain.
base::Result<base::MemoryClaim> claim_all_channels(const DecodedImage& image) {
    DecodedImage wide;
    wide.width = image.width;
    wide.height = image.height;
    wide.is_float = image.is_float;
    const u64 texel_bytes = 4 * (image.is_float ? sizeof(float) : 1);
    return claim_texels({image.name, image.width, image.height, image.file_bytes},
                        texel_bytes * image.width * image.height + mip_chain_bytes(wide));
}

}  // namespace

std::array<float, 4> DecodedImage::texel(std::size_t index) const {
    std::array<float, 4> rgba{};
    for (std::size_t c = 0; c < 4; ++c) {
        const std::size_t at = is_grey ? index : 4 * index + c;
        rgba[c] = is_float ? floats[at] : static_cast<float>(bytes[at]) / 255.0f;
    }
    rgba[3] = is_grey ? 1.0f : rgba[3];
    return rgba;
}

base::Result<DecodedImage> with_all_channels(DecodedImage image) {
    if (!image.is_grey) {
        return image;
    }
    const base::Result<base::MemoryClaim> claim = claim_all_channels(image);
    WEFT_TRY(claim);
    const auto spread = [](auto& values, auto opaque) {
        std::remove_reference_t<decltype(values)> rgba;
        rgba.reserve(4 * values.size());
        for (const auto value : values) {
            rgba.insert(rgba.end(), {value, value, value, opaque});
        }
        values = std::move(rgba);
    };
    spread(image.bytes, u8{255});
    spread(image.floats, 1.0f);
    image.is_grey = false;
    return image;
}

base::Result<DecodedImage> white_like(const DecodedImage& other) {
    DecodedImage bytes;
    bytes.name = other.name;
    bytes.file_bytes = other.file_bytes;
    return white_of_size(bytes, other.width, other.height);
}

base::Result<DecodedImage> white_of_size(const DecodedImage& other, u32 width, u32 height) {
    DecodedImage image;
    image.width = width;
    image.height = height;
    image.is_float = other.is_float;
    image.name = other.name;
    image.file_bytes = other.file_bytes;
    const base::Result<base::MemoryClaim> claim = claim_all_channels(image);
    WEFT_TRY(claim);
    const std::size_t values = std::size_t{4} * width * height;
    image.bytes.assign(image.is_float ? 0 : values, 255);
    image.floats.assign(image.is_float ? values : 0, 1.0f);
    return image;
}

base::Result<DecodedImage> decode_image_memory(std::span<const u8> bytes,
                                               const std::string& name,
                                               TexelMeaning meaning) {
    base::Result<PictureInput> opened = open_picture_memory(bytes, name);
    WEFT_TRY(opened);
    return decode(opened.value(), meaning, nullptr);
}

base::Result<DecodedImage> decode_image_file(const std::string& path,
                                             TexelMeaning meaning,
                                             const colour::ColourConfig* maybe_colours) {
    base::Result<PictureInput> opened = open_picture_file(path);
    WEFT_TRY(opened);
    const base::Result<Input> space = input_of(opened.value(), path, meaning, maybe_colours);
    WEFT_TRY(space);
    return decode(opened.value(), meaning, space.value());
}

base::Result<PictureSize> picture_size(const std::string& path,
                                       TexelMeaning meaning,
                                       const colour::ColourConfig* maybe_colours) {
    const base::Result<PictureInput> opened = open_picture_file(path);
    WEFT_TRY(opened);
    const base::Result<Input> space = input_of(opened.value(), path, meaning, maybe_colours);
    WEFT_TRY(space);
    return size_of(opened.value(), space.value());
}

base::Result<PictureSize> picture_size(std::span<const u8> bytes, const std::string& name) {
    const base::Result<PictureInput> opened = open_picture_memory(bytes, name);
    WEFT_TRY(opened);
    return size_of(opened.value(), nullptr);
}

float finite_texel(float value) {
    constexpr float kLargestHalf = 65504.0f;
    return std::isnan(value)   ? 0.0f
           : std::isinf(value) ? std::copysign(kLargestHalf, value)
                               : value;
}

std::string repaired_texels_sentence(const std::string& name, u64 texels) {
    return name + ": " + std::to_string(texels) +
           " texels had a value that is not finite; infinite ones became 65504, others 0";
}

float srgb_to_linear(float encoded) {
    const double c = encoded;
    return static_cast<float>(c <= 0.04045 ? c / 12.92 : shaders::pow_of((c + 0.055) / 1.055, 2.4));
}

const float* srgb_to_linear_table() {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> values{};
        for (u32 i = 0; i < 256; ++i) {
            values[i] = srgb_to_linear(static_cast<float>(i) / 255.0f);
        }
        return values;
    }();
    return table.data();
}

}  // namespace weft::scene
