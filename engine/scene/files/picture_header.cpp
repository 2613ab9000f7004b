#include "engine/scene/files/picture_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace weft::scene {

namespace {

constexpr u32 kMostSegments = 4096;              // of a JPEG before its frame
constexpr std::size_t kMostHeaderBytes = 65536;  // of a Radiance file

// N bytes from `at`; bytes beyond the end of the file are 0.
template <std::size_t N>
std::array<u8, N> bytes_at(const ReadBytes& file, u64 at) {
    std::array<u8, N> bytes{};
    file(at, bytes.data(), N);
    return bytes;
}

u32 little(const u8* bytes, u32 count) {
    u32 number = 0;
    for (u32 k = count; k-- > 0;) {
        number = number << 8 | bytes[k];
    }
    return number;
}

u32 big(const u8* bytes) {
    return u32{bytes[0]} << 8 | bytes[1];
}

HeaderSize sized(u32 width, u32 height, u64 bytes_of_pixel) {
    return {width, height, u64{width} * height * bytes_of_pixel};
}

// RIFF, size, WEBP, then one of three kinds of chunk, which holds the size.
std::optional<HeaderSize> webp_size(const ReadBytes& file) {
    const auto head = bytes_at<30>(file, 0);
    const std::string kind(head.begin() + 12, head.begin() + 16);
    if (kind == "VP8X") {
        return sized(little(&head[24], 3) + 1, little(&head[27], 3) + 1, 4);
    }
    if (kind == "VP8L") {
        const u32 bits = little(&head[21], 4);
        return sized((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1, 4);
    }
    return sized(little(&head[26], 2) & 0x3fff, little(&head[28], 2) & 0x3fff, 4);
}

std::optional<HeaderSize> bmp_size(const ReadBytes& file) {
    const auto head = bytes_at<26>(file, 0);
    const bool is_old = little(&head[14], 4) == 12;
    const u32 width = little(&head[18], is_old ? 2 : 4);
    const auto height =
        is_old ? static_cast<std::int32_t>(little(&head[20], 2))
               : static_cast<std::int32_t>(little(&head[22], 4));  // negative: the top row first
    return sized(width, static_cast<u32>(height < 0 ? -std::int64_t{height} : height), 4);
}

// Walks the segments to the frame; the reader holds only progressive frames as a whole.
std::optional<HeaderSize> jpeg_size(const ReadBytes& file) {
    u64 at = 2;
    for (u32 k = 0; k < kMostSegments; ++k) {
        const auto head = bytes_at<10>(file, at);
        const u8 marker = head[1];
        const bool is_frame =
            marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
        if (head[0] != 0xff) {
            return std::nullopt;
        }
        if (is_frame) {
            const bool is_held = marker == 0xc2 || marker == 0xc6 || marker == 0xca;
            const u64 coefficients = std::max<u64>(head[9], 1) * sizeof(std::int16_t);
            return sized(big(&head[7]), big(&head[5]), is_held ? coefficients : 0);
        }
        at += marker == 0xff ? 1 : 2 + u64{big(&head[2])};
    }
    return std::nullopt;
}

}  // namespace

std::optional<HeaderSize> header_size(const ReadBytes& file, const std::string& format) {
    return format == "webp"   ? webp_size(file)
           : format == "bmp"  ? bmp_size(file)
           : format == "jpeg" ? jpeg_size(file)
                              : std::nullopt;
}

double radiance_exposure(const ReadBytes& file, u64 file_bytes) {
    constexpr std::string_view kName = "EXPOSURE=";
    std::string text(std::min<u64>(file_bytes, kMostHeaderBytes), '\0');
    file(0, text.data(), text.size());
    text.resize(std::min(text.find("\n\n"), text.size()));  // behind it: the resolution, pixels
    double exposure = 1;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        if (text.compare(at + 1, kName.size(), kName) == 0) {
            const std::size_t begin = text.find_first_not_of(" \t", at + 1 + kName.size());
            const char* const end = text.data() + text.size();
            double factor = 0;
            std::from_chars(text.data() + std::min(begin, text.size()), end, factor);
            exposure *= factor;
        }
    }
    return exposure;
}

}  // namespace weft::scene
