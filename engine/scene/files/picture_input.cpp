#include "engine/scene/files/picture_input.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/scene/files/exr_header.h"
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

// Takes over what the header of a Radiance file says of the order and scale of its values.
base::Status apply_radiance_header(PictureInput& input, const ReadBytes& header) {
    constexpr int kMirrored = 2;  // the numbers of Exif
    constexpr int kTurned = 3;
    constexpr int kUpsideDown = 4;
    constexpr int kLastOfRows = 4;
    const i32 orientation = input.reader->number("Orientation", 1);
    if (orientation > kLastOfRows) {
        return unreadable_picture(input.name,
                                  "it is stored by columns; expected a resolution that begins "
                                  "with -Y or +Y");
    }
    input.has_bottom_first = orientation == kTurned || orientation == kUpsideDown;
    input.has_right_first = orientation == kTurned || orientation == kMirrored;
    input.exposure = radiance_exposure(header, input.file_bytes);
    if (!(input.exposure > 0) || !std::isfinite(input.exposure)) {
        return unreadable_picture(input.name, "its EXPOSURE is no number above 0");
    }
    return base::Done{};
}

// `bytes` is the file if it is in memory, else empty.
base::Result<PictureInput> open_by_format(PictureInput input,
                                          std::span<const u8> bytes,
                                          const ReadBytes& header) {
    if (const std::optional<HeaderSize> size = header_size(header, input.format)) {
        input.reader_bytes = size->bytes;
        const base::Result<base::MemoryClaim> claim =
            claim_texels({input.name, size->width, size->height, input.file_bytes}, size->bytes);
        WEFT_TRY(claim);
    }
    if (input.format == "openexr") {
        if (const std::string fault = exr_header_fault(header, input.file_bytes); !fault.empty()) {
            return unreadable_picture(input.name, fault);
        }
    }
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    image::OpenedImage opened =
        codecs.value()->open({.format = input.format, .path = input.name, .bytes = bytes});
    if (!opened.maybe_reader) {
        return unreadable_picture(input.name, opened.error);
    }
    input.reader = std::move(opened.maybe_reader);
    WEFT_TRY(check_part(input));
    if (input.format == "hdr") {
        WEFT_TRY(apply_radiance_header(input, header));
    }
    return input;
}

// Puts a row of a Radiance file into the order from the left, and undoes its exposure.
void set_right(const PictureInput& input, std::size_t channels, float* row) {
    const auto width = static_cast<std::size_t>(input.part().width);
    for (std::size_t left = 0; input.has_right_first && left < width / 2; ++left) {
        float* const pixel = row + left * channels;
        std::swap_ranges(pixel, pixel + channels, row + (width - 1 - left) * channels);
    }
    for (std::size_t k = 0; input.exposure != 1 && k < width * channels; ++k) {
        row[k] = static_cast<float>(double{row[k]} / input.exposure);
    }
}

}  // namespace

Error unreadable_picture(const std::string& name, const std::string& why) {
    if (why == image::kNoMemory) {
        return {ErrorKind::Memory,
                name + ": there is no memory to decode it; expected room for its pixels"};
    }
    const std::string first_line = why.substr(0, why.find('\n'));
    return {ErrorKind::Scene,
            name + ": not a picture that can be read (" +
                (first_line.empty() ? std::string("no reason given") : first_line) + ")"};
}

base::Status check_part(const PictureInput& input) {
    const image::Part& part = input.part();
    if (part.width < 1 || part.height < 1 || part.channel_count < 1) {
        return unreadable_picture(input.name, "it has no pixels");
    }
    if (part.depth > 1 || part.is_deep || part.channel_count > kMostChannels) {
        return unreadable_picture(input.name,
                                  "it has " + std::to_string(part.channel_count) +
                                      " channels and " + std::to_string(part.depth) +
                                      " layers of depth, a flat picture of at most 64 expected");
    }
    return base::Done{};
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
    const auto header = [bytes](u64 at, void* to, std::size_t size_bytes) {
        if (at < bytes.size()) {
            std::memcpy(to, &bytes[at], std::min<u64>(size_bytes, bytes.size() - at));
        }
    };
    return open_by_format(
        {.name = name, .format = std::move(format), .file_bytes = bytes.size()}, bytes, header);
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
    const auto header = [&file](u64 at, void* to, std::size_t size_bytes) {
        file.clear();
        file.seekg(static_cast<std::streamoff>(at));
        file.read(static_cast<char*>(to), static_cast<std::streamsize>(size_bytes));
    };
    return open_by_format(
        {.name = path, .format = std::move(format), .file_bytes = fs::file_size(path, code)},
        {},
        header);
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
                               image::Channels channels,
                               image::ValueType type,
                               const std::function<void(u32 y, const u8* row)>& take) {
    const image::Part& part = input.part();
    const auto channel_count = static_cast<std::size_t>(channels.end - channels.begin);
    const u64 row_bytes = static_cast<u64>(part.width) * channel_count * image::size_bytes(type);
    // Whole tiles, and whole strips of a TIFF, are decoded once.
    const i32 step = std::clamp(
        part.tile_width > 0 ? part.tile_height : input.reader->number("tiff:RowsPerStrip", 1),
        1,
        part.height);
    const i32 rows = std::min(part.height,
                              step * static_cast<i32>(std::max<u64>(
                                         1, kStripBytes / (row_bytes * static_cast<u64>(step)))));
    try {
        std::vector<u8> strip(row_bytes * static_cast<u64>(rows));
        for (i32 begin = 0; begin < part.height; begin += rows) {
            const i32 end = std::min(part.height, begin + rows);
            if (!input.reader->read_rows({begin, end}, channels, type, strip.data())) {
                return unreadable_picture(input.name, input.reader->error());
            }
            for (i32 y = begin; y < end; ++y) {
                u8* const row = strip.data() + row_bytes * static_cast<u64>(y - begin);
                if (type == image::ValueType::Float) {
                    set_right(input, channel_count, reinterpret_cast<float*>(row));
                }
                take(static_cast<u32>(input.has_bottom_first ? part.height - 1 - y : y), row);
            }
        }
    } catch (const std::bad_alloc&) {
        return unreadable_picture(input.name, image::kNoMemory);
    } catch (const std::exception& error) {
        return unreadable_picture(input.name, error.what());
    }
    return base::Done{};
}

}  // namespace weft::scene
