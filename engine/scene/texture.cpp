// texture.cpp — pictures read through OpenImageIO as the slot means them: straight alpha, no gamma
// chunk, no orientation, no profile.
//
// The format is found from the first bytes, because a glTF image may lie about its name. Any
// thread; nothing is shared.
#include "engine/scene/texture.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include "shaders/scalar_math.h"

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;

// Larger pictures are refused before memory is asked for: 2^28 pixels are 1 GiB of 8-bit texels.
constexpr u64 kMaxPixels = u64{1} << 28;

struct Signature {
    std::string_view first_bytes;
    const char* format;  // OpenImageIO's name of the reader
};

constexpr std::array<Signature, 10> kSignatures = {{
    {std::string_view("\x89PNG\r\n\x1a\n", 8), "png"},
    {std::string_view("\xff\xd8\xff", 3), "jpeg"},
    {std::string_view("\x76\x2f\x31\x01", 4), "openexr"},
    {std::string_view("#?", 2), "hdr"},
    {std::string_view("II*\0", 4), "tiff"},
    {std::string_view("MM\0*", 4), "tiff"},
    {std::string_view("DDS ", 4), "dds"},
    {std::string_view("GIF8", 4), "gif"},
    {std::string_view("BM", 2), "bmp"},
    {std::string_view("PF", 2), "pnm"},
}};

// Empty where the first bytes say nothing.
std::string format_of(std::span<const u8> bytes) {
    const auto starts_with = [&](std::string_view text, std::size_t at) {
        return bytes.size() >= at + text.size() &&
               std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
    };
    if (starts_with("RIFF", 0) && starts_with("WEBP", 8)) {
        return "webp";
    }
    for (const Signature& signature : kSignatures) {
        if (starts_with(signature.first_bytes, 0)) {
            return signature.format;
        }
    }
    return {};
}

Error unreadable(const std::string& name, const std::string& why) {
    std::string first_line = why.substr(0, why.find('\n'));
    return {ErrorKind::Scene,
            name + ": not a picture that can be read (" +
                (first_line.empty() ? std::string("no reason given") : first_line) + ")"};
}

// Grey, grey + alpha, RGB or RGBA in `in` become RGBA.
template <typename T>
std::vector<T> to_rgba(const std::vector<T>& in, std::size_t channels, T opaque) {
    const std::size_t pixels = in.size() / channels;
    std::vector<T> out(pixels * 4);
    const bool is_grey = channels < 3;
    for (std::size_t i = 0; i < pixels; ++i) {
        const T* from = &in[i * channels];
        T* to = &out[i * 4];
        to[0] = from[0];
        to[1] = is_grey ? from[0] : from[1];
        to[2] = is_grey ? from[0] : from[2];
        to[3] = channels == 2 ? from[1] : (channels >= 4 ? from[3] : opaque);
    }
    return out;
}

// The WebP reader multiplies alpha in whatever it is asked; this divides it out again. Colours
// under alpha 0 are lost.
void divide_out_alpha(std::vector<u8>& rgba) {
    for (std::size_t i = 0; i < rgba.size(); i += 4) {
        const u32 alpha = rgba[i + 3];
        for (std::size_t c = 0; c < 3 && alpha != 0; ++c) {
            rgba[i + c] =
                static_cast<u8>(std::min<u32>(255, (rgba[i + c] * 255u + alpha / 2) / alpha));
        }
    }
}

template <typename T>
bool read_pixels(OIIO::ImageInput& input, OIIO::TypeDesc type, std::vector<T>& pixels) {
    const OIIO::ImageSpec& spec = input.spec();
    pixels.resize(static_cast<std::size_t>(spec.width) * static_cast<std::size_t>(spec.height) *
                  static_cast<std::size_t>(spec.nchannels));
    return input.read_image(0, 0, 0, spec.nchannels, type, pixels.data());
}

// 16-bit values to floats: through the sRGB curve where the slot means colour; alpha never.
std::vector<float> from_16_bit(const std::vector<u16>& rgba, TexelMeaning meaning) {
    static const std::vector<float> curve = [] {
        std::vector<float> table(65536);
        for (u32 i = 0; i < 65536; ++i) {
            table[i] = srgb_to_linear(static_cast<float>(i) / 65535.0f);
        }
        return table;
    }();
    std::vector<float> floats(rgba.size());
    for (std::size_t i = 0; i < rgba.size(); ++i) {
        const bool is_curved = meaning == TexelMeaning::Color && i % 4 != 3;
        floats[i] = is_curved ? curve[rgba[i]] : static_cast<float>(rgba[i]) / 65535.0f;
    }
    return floats;
}

base::Result<DecodedImage> read_opened(OIIO::ImageInput& input,
                                       const std::string& name,
                                       TexelMeaning meaning) {
    const OIIO::ImageSpec spec = input.spec();
    const u64 pixel_count =
        static_cast<u64>(std::max(spec.width, 0)) * static_cast<u64>(std::max(spec.height, 0));
    if (pixel_count == 0 || spec.nchannels < 1 || spec.nchannels > 64) {
        return unreadable(name, "it has no pixels");
    }
    if (pixel_count > kMaxPixels) {
        return Error{ErrorKind::Scene,
                     name + ": " + std::to_string(spec.width) + "x" + std::to_string(spec.height) +
                         " pixels found, at most 2^28 in all expected"};
    }
    DecodedImage image;
    image.width = static_cast<u32>(spec.width);
    image.height = static_cast<u32>(spec.height);
    const auto channels = static_cast<std::size_t>(spec.nchannels);
    const auto type = static_cast<OIIO::TypeDesc::BASETYPE>(spec.format.basetype);
    bool is_read = false;
    if (type == OIIO::TypeDesc::UINT8 || type == OIIO::TypeDesc::INT8) {
        std::vector<u8> pixels;
        is_read = read_pixels(input, OIIO::TypeDesc::UINT8, pixels);
        image.bytes = to_rgba<u8>(pixels, channels, 255);
        if (std::string_view(input.format_name()) == "webp") {
            divide_out_alpha(image.bytes);
        }
    } else if (type == OIIO::TypeDesc::UINT16 || type == OIIO::TypeDesc::INT16) {
        std::vector<u16> pixels;
        is_read = read_pixels(input, OIIO::TypeDesc::UINT16, pixels);
        image.is_float = true;
        image.floats = from_16_bit(to_rgba<u16>(pixels, channels, 65535), meaning);
    } else {
        std::vector<float> pixels;
        is_read = read_pixels(input, OIIO::TypeDesc::FLOAT, pixels);
        image.is_float = true;
        image.floats = to_rgba<float>(pixels, channels, 1.0f);
    }
    if (!is_read) {
        return unreadable(name, input.geterror());
    }
    return image;
}

// Opens `name` through the reader called `format`; `proxy` may be null (then the file itself is
// read).
base::Result<DecodedImage> decode(const std::string& format,
                                  const std::string& name,
                                  OIIO::Filesystem::IOProxy* maybe_proxy,
                                  TexelMeaning meaning) {
    try {
        OIIO::ImageSpec config;
        config["oiio:UnassociatedAlpha"] = 1;
        auto input = OIIO::ImageInput::create(format.empty() ? name : format);
        if (!input) {
            return unreadable(name, OIIO::geterror());
        }
        if (maybe_proxy != nullptr && !input->set_ioproxy(maybe_proxy)) {
            return unreadable(name, "the " + format + " reader cannot read from memory");
        }
        OIIO::ImageSpec spec;
        if (!input->open(name, spec, config)) {
            return unreadable(name, input->geterror());
        }
        return read_opened(*input, name, meaning);
    } catch (const std::exception& error) {
        return unreadable(name, error.what());
    }
}

}  // namespace

base::Result<DecodedImage> decode_image_memory(std::span<const u8> bytes,
                                               const std::string& name,
                                               TexelMeaning meaning) {
    const std::string format = format_of(bytes);
    if (format.empty()) {
        return unreadable(name, "its first bytes are of no known picture format");
    }
    OIIO::Filesystem::IOMemReader reader(bytes.data(), bytes.size());
    return decode(format, name, &reader, meaning);
}

base::Result<DecodedImage> decode_image_file(const std::string& path, TexelMeaning meaning) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) {
        return Error{ErrorKind::Scene, path + ": no such picture"};
    }
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : -1;
    if (size < 0) {
        return Error{ErrorKind::Scene, path + ": the picture cannot be opened"};
    }
    std::vector<u8> bytes(static_cast<std::size_t>(size));
    file.seekg(0);
    if (size > 0 && !file.read(reinterpret_cast<char*>(bytes.data()), size)) {
        return Error{ErrorKind::Scene, path + ": the picture cannot be read to its end"};
    }
    if (!format_of(bytes).empty()) {
        return decode_image_memory(bytes, path, meaning);
    }
    // Formats without a signature (TGA) go by their name.
    return decode({}, path, nullptr, meaning);
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
