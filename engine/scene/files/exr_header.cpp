#include "engine/scene/files/exr_header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace weft::scene {

namespace {

constexpr u64 kMagic = 20000630;
constexpr u32 kManyParts = 0x1000;
constexpr std::size_t kMostNameBytes = 255;
// Unsigned, half, float. OpenEXR reads any other as a type to come, and OpenImageIO ends the
// process when it meets one.
constexpr u64 kPixelTypes = 3;
// Of all parts; files of renderers have some tens in each.
constexpr u32 kMostAttributes = 65536;

// The bytes of the file in sequence. What lies beyond the end of the file reads as zeros, which end
// every loop here.
class Cursor {
public:
    Cursor(const ReadBytes& file, u64 file_bytes) : file_(file), file_bytes_(file_bytes) {}

    [[nodiscard]] u64 left() const { return file_bytes_ - std::min(at_, file_bytes_); }

    void skip(u64 bytes) { at_ += bytes; }

    u64 number() {
        std::array<u8, 4> bytes{};
        file_(at_, bytes.data(), bytes.size());
        at_ += bytes.size();
        return u64{bytes[0]} | u64{bytes[1]} << 8 | u64{bytes[2]} << 16 | u64{bytes[3]} << 24;
    }

    // A text up to its zero; none where it is longer than a name may be.
    std::optional<std::string> name() {
        std::array<char, kMostNameBytes + 1> bytes{};
        file_(at_, bytes.data(), bytes.size());
        const auto end = std::find(bytes.begin(), bytes.end(), '\0');
        if (end == bytes.end()) {
            return std::nullopt;
        }
        at_ += static_cast<u64>(end - bytes.begin()) + 1;
        return std::string(bytes.begin(), end);
    }

private:
    const ReadBytes& file_;
    u64 file_bytes_;
    u64 at_ = 0;
};

// Whether the lengths of the texts fill the attribute exactly.
bool has_sound_texts(Cursor texts, u64 size_bytes) {
    while (size_bytes >= sizeof(u32)) {
        const u64 length = texts.number();
        size_bytes -= sizeof(u32);
        if (length > size_bytes) {
            return false;
        }
        texts.skip(length);
        size_bytes -= length;
    }
    return size_bytes == 0;
}

// Whether width and height are those of the bytes behind them, four for each pixel.
bool has_sound_preview(Cursor preview, u64 size_bytes) {
    const u64 width = preview.number();
    const u64 height = preview.number();
    return size_bytes >= 8 && size_bytes % 4 == 0 && width * height == (size_bytes - 8) / 4;
}

// The first channel of a pixel type that is not known, as a fault; empty where there is none.
std::string channel_fault(Cursor channels, u64 size_bytes) {
    constexpr u64 kBytesBehindType = 12;  // linearity, and the distance of samples along x and y
    const u64 left_behind = channels.left() - size_bytes;
    while (channels.left() > left_behind) {
        const std::optional<std::string> name = channels.name();
        if (!name || name->empty()) {
            break;  // the library says so
        }
        const u64 type = channels.number();
        if (type >= kPixelTypes) {
            return "the channel \"" + *name + "\" has the pixel type " + std::to_string(type) +
                   ", and there are 0, 1 and 2";
        }
        channels.skip(kBytesBehindType);
    }
    return "";
}

// Skips one attribute, whose name is read.
std::string skip_attribute(Cursor& file, const std::string& name) {
    const std::optional<std::string> type = file.name();
    if (!type) {
        return "the attribute \"" + name + "\" has a type without an end";
    }
    const u64 size_bytes = file.number();
    const std::string stated =
        "the attribute \"" + name + "\" states " + std::to_string(size_bytes) + " bytes, ";
    if (size_bytes > file.left()) {
        return stated + "and the file ends after " + std::to_string(file.left());
    }
    if (*type == "chlist") {
        if (std::string fault = channel_fault(file, size_bytes); !fault.empty()) {
            return fault;
        }
    }
    const bool is_sound = *type == "stringvector" ? has_sound_texts(file, size_bytes)
                          : *type == "preview"    ? has_sound_preview(file, size_bytes)
                                                  : true;
    file.skip(size_bytes);
    return is_sound ? "" : stated + "which its content does not fill";
}

}  // namespace

std::string exr_header_fault(const ReadBytes& file, u64 file_bytes) {
    Cursor cursor(file, file_bytes);
    if (cursor.number() != kMagic) {
        return "";  // the library says so
    }
    const bool has_parts = (cursor.number() & kManyParts) != 0;
    bool is_first = true;  // of its header
    for (u32 k = 0; k < kMostAttributes; ++k) {
        const std::optional<std::string> name = cursor.name();
        if (!name) {
            return "an attribute has a name without an end";
        }
        if (name->empty() && (is_first || !has_parts)) {
            return "";
        }
        if (!name->empty()) {
            std::string fault = skip_attribute(cursor, *name);
            if (!fault.empty()) {
                return fault;
            }
        }
        is_first = name->empty();
    }
    return "it has more than " + std::to_string(kMostAttributes) + " attributes";
}

std::string exr_header_fault(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::error_code problem;
    const u64 file_bytes = std::filesystem::file_size(path, problem);
    if (!file || problem) {
        return "it cannot be opened";
    }
    const auto bytes_at = [&file](u64 at, void* to, std::size_t size_bytes) {
        file.clear();
        file.seekg(static_cast<std::streamoff>(at));
        file.read(static_cast<char*>(to), static_cast<std::streamsize>(size_bytes));
    };
    return exr_header_fault(bytes_at, file_bytes);
}

}  // namespace weft::scene
