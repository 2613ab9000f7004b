#include "engine/scene/files/picture_input.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/scene/files/picture_header.h"

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;
namespace fs = std::filesystem;

constexpr int kMostChannels = 64;
constexpr u64 kStripBytes = u64{16} << 20;

struct Signature {
    std::string_view first_bytes;
    const char* format;  // OpenImageIO's name of the reader
};

constexpr std::array<Signature, 9> kSignatures = {{
    {std::string_view("\x89PNG\r\n\x1a\n", 8), "png"},
    {std::string_view("\xff\xd8\xff", 3), "jpeg"},
    {std::string_view("\x76\x2f\x31\x01", 4), "openexr"},
    {std::string_view("#?", 2), "hdr"},
    {std::string_view("II*\0", 4), "tiff"},
    {std::string_view("MM\0*", 4), "tiff"},
    {std::string_view("II+\0", 4), "tiff"},
    {std::string_view("MM\0+", 4), "tiff"},
    {std::string_view("BM", 2), "bmp"},
}};

constexpr std::size_t kHeadBytes = 16;
constexpr std::string_view kTgaFooter("TRUEVISION-XFILE.\0", 18);

bool has_text_at(std::span<const u8> bytes, std::string_view text, std::size_t at) {
    return bytes.size() >= at + text.size() &&
           std::memcmp(bytes.data() + at, text.data(), text.size()) == 0;
}

// Empty where the first bytes name no format.
std::string format_of(std::span<const u8> head) {
    if (has_text_at(head, "RIFF", 0) && has_text_at(head, "WEBP", 8)) {
        return "webp";
    }
    for (const Signature& signature : kSignatures) {
        if (has_text_at(head, signature.first_bytes, 0)) {
            return signature.format;
        }
    }
    return {};
}

bool has_tga_suffix(const std::string& path) {
    std::string suffix = fs::path(path).extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return suffix == ".tga";
}

Error unknown_format(const std::string& name) {
    return unreadable_picture(
        name,
        "its first bytes are of no format that is read: PNG, JPEG, WebP, TGA, BMP, TIFF, EXR, HDR");
}

base::Status check_spec(const PictureInput& input) {
    const OIIO::ImageSpec& spec = input.spec;
    if (spec.width < 1 || spec.height < 1 || spec.nchannels < 1) {
        return unreadable_picture(input.name, "it has no pixels");
    }
    if (spec.depth > 1 || spec.deep || spec.nchannels > kMostChannels) {
        return unreadable_picture(input.name,
                                  "it has " + std::to_string(spec.nchannels) + " channels and " +
                                      std::to_string(spec.depth) +
                                      " layers of depth, a flat picture of at most 64 expected");
    }
    return base::Done{};
}

base::Result<PictureInput> open_by_name(PictureInput input,
                                        const std::string& format,
                                        OIIO::Filesystem::IOProxy& bytes) {
    if (const std::optional<HeaderSize> size = header_size(bytes, format)) {
        input.reader_bytes = size->bytes;
        const base::Result<base::MemoryClaim> claim =
            claim_texels({input.name, size->width, size->height, input.file_bytes}, size->bytes);
        WEFT_TRY(claim);
    }
    try {
        OIIO::ImageSpec config;
        config["oiio:UnassociatedAlpha"] = 1;
        input.reader = OIIO::ImageInput::create(format);
        if (!input.reader) {
            return unreadable_picture(input.name, OIIO::geterror());
        }
        if (input.proxy && !input.reader->set_ioproxy(input.proxy.get())) {
            return unreadable_picture(input.name,
                                      "the " + format + " reader cannot read from memory");
        }
        if (!input.reader->open(input.name, input.spec, config)) {
            return unreadable_picture(input.name, input.reader->geterror());
        }
    } catch (const std::exception& error) {
        return unreadable_picture(input.name, error.what());
    }
    const base::Status checked = check_spec(input);
    return checked.is_ok() ? base::Result<PictureInput>(std::move(input)) : checked.error();
}

// Rows [begin, end) of the open picture.
bool read_strip(PictureInput& input,
                int first,
                int channels,
                OIIO::TypeDesc type,
                int begin,
                int end,
                void* to) {
    const OIIO::ImageSpec& spec = input.spec;
    if (spec.tile_width == 0) {
        return input.reader->read_scanlines(
            0, 0, spec.y + begin, spec.y + end, spec.z, first, first + channels, type, to);
    }
    return input.reader->read_tiles(0,
                                    0,
                                    spec.x,
                                    spec.x + spec.width,
                                    spec.y + begin,
                                    spec.y + end,
                                    spec.z,
                                    spec.z + 1,
                                    first,
                                    first + channels,
                                    type,
                                    to);
}

}  // namespace

Error unreadable_picture(const std::string& name, const std::string& why) {
    const std::string first_line = why.substr(0, why.find('\n'));
    return {ErrorKind::Scene,
            name + ": not a picture that can be read (" +
                (first_line.empty() ? std::string("no reason given") : first_line) + ")"};
}

base::Result<PictureInput> open_picture_memory(std::span<const u8> bytes, const std::string& name) {
    std::string format = format_of(bytes);
    if (format.empty() && bytes.size() > kTgaFooter.size() &&
        has_text_at(bytes, kTgaFooter, bytes.size() - kTgaFooter.size())) {
        format = "targa";
    }
    if (format.empty()) {
        return unknown_format(name);
    }
    PictureInput input{.name = name, .file_bytes = bytes.size()};
    input.proxy = std::make_unique<OIIO::Filesystem::IOMemReader>(bytes.data(), bytes.size());
    OIIO::Filesystem::IOMemReader header(bytes.data(), bytes.size());
    return open_by_name(std::move(input), format, header);
}

base::Result<PictureInput> open_picture_file(const std::string& path) {
    std::error_code code;
    if (!fs::is_regular_file(path, code)) {
        return Error{ErrorKind::Scene, path + ": no such picture"};
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        return Error{ErrorKind::Scene, path + ": the picture cannot be opened"};
    }
    std::array<u8, kHeadBytes> head{};
    file.read(reinterpret_cast<char*>(head.data()), head.size());
    std::string format = format_of(std::span(head).first(static_cast<std::size_t>(file.gcount())));
    if (format.empty() && has_tga_suffix(path)) {
        format = "targa";
    }
    if (format.empty()) {
        return unknown_format(path);
    }
    OIIO::Filesystem::IOFile header(path, OIIO::Filesystem::IOProxy::Read);
    return open_by_name({.name = path, .file_bytes = fs::file_size(path, code)}, format, header);
}

base::Result<base::MemoryClaim> claim_texels(const Claimant& picture, u64 texel_bytes) {
    const u64 bytes = texel_bytes + picture.reader_bytes;
    const std::string what = picture.name + ": a picture of " + std::to_string(picture.width) +
                             "x" + std::to_string(picture.height) + " pixels";
    if (bytes > kFreePictureBytes &&
        (bytes - kFreePictureBytes) / kPictureBytesPerByte > picture.file_bytes) {
        return Error{ErrorKind::Scene,
                     what + " needs " + std::to_string(bytes >> 20) +
                         " MiB of memory, and a file of " + std::to_string(picture.file_bytes) +
                         " bytes may need at most 768 MiB and 256 bytes for each of its own"};
    }
    return base::claim_memory(bytes, what);
}

base::Status read_picture_rows(PictureInput& input,
                               int first,
                               int channels,
                               OIIO::TypeDesc type,
                               const std::function<void(u32 y, const u8* row)>& take) {
    const OIIO::ImageSpec& spec = input.spec;
    const u64 row_bytes = static_cast<u64>(spec.width) * static_cast<u64>(channels) * type.size();
    // Whole tiles, and whole strips of a TIFF, are decoded once.
    const int step = std::clamp(
        spec.tile_width > 0 ? spec.tile_height : spec.get_int_attribute("tiff:RowsPerStrip", 1),
        1,
        spec.height);
    const int rows = std::min(spec.height,
                              step * static_cast<int>(std::max<u64>(
                                         1, kStripBytes / (row_bytes * static_cast<u64>(step)))));
    try {
        std::vector<u8> strip(row_bytes * static_cast<u64>(rows));
        for (int begin = 0; begin < spec.height; begin += rows) {
            const int end = std::min(spec.height, begin + rows);
            if (!read_strip(input, first, channels, type, begin, end, strip.data())) {
                return unreadable_picture(input.name, input.reader->geterror());
            }
            for (int y = begin; y < end; ++y) {
                take(static_cast<u32>(y), strip.data() + row_bytes * static_cast<u64>(y - begin));
            }
        }
    } catch (const std::exception& error) {
        return unreadable_picture(input.name, error.what());
    }
    return base::Done{};
}

}  // namespace weft::scene
