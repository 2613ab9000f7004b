#include "engine/film/cryptomatte.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>

#include "engine/film/film.h"

namespace weft::film {

namespace {

// The bytes of a little-endian word, as far as there are four.
u32 word_at(std::string_view bytes, std::size_t at) {
    u32 word = 0;
    for (std::size_t k = 0; k < 4 && at + k < bytes.size(); ++k) {
        word |= u32{static_cast<unsigned char>(bytes[at + k])} << (8 * k);
    }
    return word;
}

u32 spread_word(u32 word) {
    return std::rotl(word * 0xcc9e2d51u, 15) * 0x1b873593u;
}

std::string hex_of(u32 bits) {
    std::string text(8, '0');
    for (std::size_t digit = 0; digit < text.size(); ++digit) {
        text[digit] = "0123456789abcdef"[bits >> (28 - 4 * digit) & 15];
    }
    return text;
}

// Bytes of the UTF-8 character that begins at `at`; 0: none does. Overlong forms, surrogates and
// numbers beyond U+10FFFF are none (RFC 3629, section 4).
std::size_t character_bytes(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) {
        return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0U;
    };
    const u32 first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t count = first < 0xc2   ? 0
                              : first < 0xe0 ? 2
                              : first < 0xf0 ? 3
                              : first < 0xf5 ? 4
                                             : 0;
    for (std::size_t k = 1; k < count; ++k) {
        if ((byte(k) & 0xc0U) != 0x80U) {
            return 0;
        }
    }
    const u32 second = byte(1);
    const bool is_wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                          (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return is_wrong ? 0 : count;
}

// A JSON string.
std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            json += '\\';
            json += letter;
        } else if (static_cast<unsigned char>(letter) < 0x20) {
            json += "\\u" + hex_of(static_cast<unsigned char>(letter)).substr(4);
        } else {
            json += letter;
        }
    }
    return json + '"';
}

std::string manifest_of(Aov layer, const MatteNames& names) {
    std::string json = "{";
    for (const MatteName& name : names) {
        if (name.layer == layer) {
            json += (json.size() > 1 ? "," : "") + quoted(name.name) + ":\"" +
                    hex_of(matte_id(name.name)) + '"';
        }
    }
    return json + "}";
}

// The ids that a layer of the film holds.
std::unordered_set<u32> ids_of(const Film& film, u32 layer) {
    std::unordered_set<u32> ids;
    std::vector<MatteCount> list;
    const Region crop = film.crop();
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            film.matte_list(layer, x, y, list);
            for (const MatteCount& count : list) {
                ids.insert(count.id);
            }
        }
    }
    return ids;
}

}  // namespace

u32 murmur3(std::string_view bytes) {
    u32 hash = 0;
    const std::size_t whole = bytes.size() / 4 * 4;
    for (std::size_t at = 0; at < whole; at += 4) {
        hash = std::rotl(hash ^ spread_word(word_at(bytes, at)), 13) * 5 + 0xe6546b64u;
    }
    hash ^= spread_word(word_at(bytes, whole)) ^ static_cast<u32>(bytes.size());
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

u32 matte_id(std::string_view name) {
    const u32 hash = murmur3(name);
    const u32 exponent = hash >> 23 & 255;
    return exponent == 0 || exponent == 255 ? hash ^ 1U << 23 : hash;
}

std::string matte_name(std::string_view name) {
    if (name.empty()) {
        return "unnamed";
    }
    std::string text;
    for (std::size_t at = 0; at < name.size();) {
        const std::size_t count = character_bytes(name, at);
        text += count == 0 ? std::string_view("\xef\xbf\xbd") : name.substr(at, count);
        at += std::max<std::size_t>(count, 1);
    }
    return text;
}

MatteNames shown_names(const Film& film, const MatteNames& names) {
    MatteNames shown;
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        const Aov aov = film.aovs()[layer].aov;
        if (!is_matte_aov(aov)) {
            continue;
        }
        const std::unordered_set<u32> ids = ids_of(film, layer);
        std::copy_if(
            names.begin(), names.end(), std::back_inserter(shown), [&](const MatteName& name) {
                return name.layer == aov && ids.contains(matte_id(name.name));
            });
    }
    std::sort(shown.begin(), shown.end());
    return shown;
}

std::vector<std::string> matte_parts(Aov layer, u32 ranks) {
    std::vector<std::string> parts;
    for (u32 part = 0; 2 * part < ranks; ++part) {
        parts.push_back(aov_name(layer) + std::string(part < 10 ? "0" : "") + std::to_string(part));
    }
    return parts;
}

void matte_ranks(std::vector<MatteCount>& list, u32 samples, u32 part, float* values) {
    std::sort(list.begin(), list.end(), [](const MatteCount& a, const MatteCount& b) {
        return a.samples != b.samples ? a.samples > b.samples : a.id < b.id;
    });
    for (u32 k = 0; k < 2; ++k) {
        const std::size_t rank = std::size_t{2} * part + k;
        const MatteCount count = rank < list.size() ? list[rank] : MatteCount{};
        values[2 * k] = std::bit_cast<float>(count.id);
        // The quotient of two counts, rounded to double and then to float: the same everywhere.
        values[2 * k + 1] = samples == 0 ? 0
                                         : static_cast<float>(static_cast<double>(count.samples) /
                                                              static_cast<double>(samples));
    }
}

std::vector<std::pair<std::string, std::string>> matte_metadata(Aov layer,
                                                                const MatteNames& names) {
    const std::string key = "cryptomatte/" + hex_of(matte_id(aov_name(layer))).substr(0, 7) + '/';
    return {{key + "name", aov_name(layer)},
            {key + "hash", "MurmurHash3_32"},
            {key + "conversion", "uint32_to_float32"},
            {key + "manifest", manifest_of(layer, names)}};
}

}  // namespace weft::film
