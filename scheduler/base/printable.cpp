// printable.cpp — see printable.h.
#include "scheduler/base/printable.h"

#include <cstddef>

#include "scheduler/base/ids.h"

namespace weft::base {
namespace {

struct Letter {
    u32 code = 0;
    std::size_t size = 0;  // in bytes; 0: no UTF-8
};

// The first letter of a text that is not empty (RFC 3629: no overlong forms, no surrogates).
Letter first_letter(std::string_view text) {
    const auto byte_at = [&](std::size_t k) {
        return k < text.size() ? static_cast<u8>(text[k]) : u8{0};
    };
    const u8 first = byte_at(0);
    const std::size_t size = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
    u32 code = size <= 1 ? first : first & (0x7fU >> size);
    for (std::size_t k = 1; k < size; ++k) {
        if ((byte_at(k) & 0xc0U) != 0x80) {
            return {};
        }
        code = code << 6 | (byte_at(k) & 0x3fU);
    }
    const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return is_overlong || is_surrogate || code > 0x10ffff ? Letter{} : Letter{code, size};
}

bool is_obeyed(u32 code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) ||  // C0, DEL, C1
           (code >= 0x2028 && code <= 0x202e) ||            // separators, embeddings, overrides
           (code >= 0x2066 && code <= 0x2069) ||            // isolates
           code == 0x200e || code == 0x200f || code == 0x61c;
}

void append_hex(std::string& text, u32 value, int digits) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
        text += "0123456789abcdef"[value >> shift & 15U];
    }
}

}  // namespace

std::string printable(std::string_view text, LineEnds line_ends) {
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const Letter letter = first_letter(text);
        const bool is_kept_line_end = text.front() == '\n' && line_ends == LineEnds::Kept;
        if (letter.size == 0) {
            safe += "\\x";
            append_hex(safe, static_cast<u8>(text.front()), 2);
        } else if (is_obeyed(letter.code) && !is_kept_line_end) {
            safe += "\\u";
            append_hex(safe, letter.code, 4);
        } else {
            safe += text.substr(0, letter.size);
        }
        text.remove_prefix(letter.size == 0 ? 1 : letter.size);
    }
    return safe;
}

}  // namespace weft::base
