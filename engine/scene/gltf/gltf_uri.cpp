// gltf_uri.cpp — RFC 3986 percent escapes and RFC 4648 base64, as far as glTF needs them.
#include "engine/scene/gltf/gltf_uri.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace weft::scene::gltf {

namespace {

constexpr u8 kNoDigit = 255;

std::array<u8, 256> make_base64_digits() {
    std::array<u8, 256> digits{};
    digits.fill(kNoDigit);
    const std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        digits[static_cast<u8>(alphabet[i])] = static_cast<u8>(i);
    }
    return digits;
}

std::optional<std::vector<u8>> decode_base64(std::string_view text) {
    static const std::array<u8, 256> digits = make_base64_digits();
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    if (text.size() % 4 == 1) {
        return std::nullopt;
    }
    std::vector<u8> bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    u32 bits = 0;
    u32 bit_count = 0;
    for (const char c : text) {
        const u8 digit = digits[static_cast<u8>(c)];
        if (digit == kNoDigit) {
            return std::nullopt;
        }
        bits = (bits << 6 | digit) & 0xffffff;
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            bytes.push_back(static_cast<u8>(bits >> bit_count & 0xff));
        }
    }
    return bytes;
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const int letter = std::tolower(static_cast<unsigned char>(c));
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

constexpr std::string_view kDataScheme = "data:";

std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return small;
}

bool fits(std::string_view type, DataUse use) {
    const bool is_plain = type.empty() || type == "application/octet-stream";
    return is_plain || (use == DataUse::Buffer ? type == "application/gltf-buffer"
                                               : type.starts_with("image/"));
}

std::string types_of(DataUse use) {
    return std::string("application/octet-stream or ") +
           (use == DataUse::Buffer ? "application/gltf-buffer" : "a type of image/");
}

}  // namespace

bool is_data_uri(std::string_view uri) {
    return lower(uri.substr(0, kDataScheme.size())) == kDataScheme;
}

std::string shorten(std::string_view uri) {
    constexpr std::size_t kMost = 60;
    return uri.size() <= kMost ? std::string(uri) : std::string(uri.substr(0, kMost - 3)) + "...";
}

DataBytes decode_data_uri(std::string_view uri, DataUse use) {
    constexpr std::string_view kBase64 = ";base64";
    // Split "data:TYPE;PARAMETERS;base64,TEXT".
    const std::size_t comma = uri.find(',');
    if (comma == std::string_view::npos) {
        return {{}, "a data URI without a comma; expected \",\" between its type and its bytes"};
    }
    const std::string head = lower(uri.substr(kDataScheme.size(), comma - kDataScheme.size()));
    const std::string type = head.substr(0, head.find(';'));
    // Check type and encoding.
    if (!fits(type, use)) {
        return {{}, "a data URI of the type \"" + shorten(type) + "\"; expected " + types_of(use)};
    }
    if (!head.ends_with(kBase64)) {
        return {{}, "a data URI without \";base64\"; expected its bytes in base64"};
    }
    // Decode.
    std::optional<std::vector<u8>> bytes = decode_base64(uri.substr(comma + 1));
    if (!bytes) {
        return {{},
                "a data URI whose bytes are not base64; expected A-Z a-z 0-9 + / and = at the end"};
    }
    return {std::move(*bytes), {}};
}

std::string decode_percent(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            decoded.push_back(
                static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
            i += 2;
        } else {
            decoded.push_back(text[i]);
        }
    }
    return decoded;
}

bool has_scheme(std::string_view uri) {
    const std::size_t colon = uri.find(':');
    if (colon == std::string_view::npos || colon < 2 ||
        std::isalpha(static_cast<unsigned char>(uri[0])) == 0) {
        return false;
    }
    for (const char c : uri.substr(0, colon)) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '-' && c != '.') {
            return false;
        }
    }
    return true;
}

}  // namespace weft::scene::gltf
