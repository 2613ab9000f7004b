// oiio_input-inl.h — opening and decoding files through OpenImageIO with one-sentence errors. This
// folder's readers alone.
//
// Exceptions of the package end in guarded(). One thread per file.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <OpenImageIO/imageio.h>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::film {

// Larger pictures are refused before memory is asked for: 2³⁰ values of a part.
inline constexpr u64 kLargestPartValues = u64{1} << 30;
inline constexpr u64 kLargestRowValues = u64{1} << 24;
inline constexpr int kRowsReadAtOnce = 256;
inline constexpr std::size_t kStripBytes = std::size_t{64} << 20;

inline base::Error read_error(const std::string& path, std::string found, const char* expected) {
    std::replace(found.begin(), found.end(), '\n', ' ');
    while (!found.empty() && found.back() == ' ') {
        found.pop_back();
    }
    return {base::ErrorKind::Scene,
            path + ": " + (found.empty() ? "not an image" : found) + "; expected " + expected};
}

// Runs `read()`, which returns a Result, and turns what the package throws into an error.
template <typename Read>
auto guarded(const std::string& path, const Read& read) -> decltype(read()) {
    try {
        return read();
    } catch (const std::exception& exception) {
        return read_error(path,
                          std::string("cannot be decoded (") + exception.what() + ")",
                          "a whole image file");
    }
}

// Whether a part has a size that can be decoded.
inline bool is_of_sane_size(const OIIO::ImageSpec& spec) {
    return spec.width > 0 && spec.height > 0 && spec.depth <= 1 && spec.nchannels > 0 &&
           static_cast<u64>(spec.width) <= kLargestRowValues / static_cast<u64>(spec.nchannels) &&
           static_cast<u64>(spec.width) * static_cast<u64>(spec.height) <=
               kLargestPartValues / static_cast<u64>(spec.nchannels);
}

inline std::string part_name(const OIIO::ImageSpec& spec) {
    return std::string(spec.get_string_attribute("oiio:subimagename"));
}

// The part's index, or −1.
inline int part_named(OIIO::ImageInput& input, std::string_view name) {
    for (int part = 0; input.seek_subimage(part, 0); ++part) {
        if (part_name(input.spec()) == name) {
            return part;
        }
    }
    // Asking beyond the last part leaves a message behind.
    static_cast<void>(input.geterror());
    return -1;
}

// Decodes rows of a part in order, as `type`, and shows each to `take(y, row)`; false where the
// file is damaged.
template <typename Take>
bool decode_rows(OIIO::ImageInput& input,
                 int part,
                 const OIIO::ImageSpec& spec,
                 OIIO::TypeDesc type,
                 const Take& take) {
    const std::size_t row_bytes = static_cast<std::size_t>(spec.width) *
                                  static_cast<std::size_t>(spec.nchannels) * type.size();
    const int step = std::clamp(
        static_cast<int>(kStripBytes / row_bytes), 1, std::min(spec.height, kRowsReadAtOnce));
    std::vector<u8> rows(row_bytes * static_cast<std::size_t>(step));
    for (int begin = 0; begin < spec.height; begin += step) {
        const int end = std::min(spec.height, begin + step);
        if (!input.read_scanlines(
                part, 0, spec.y + begin, spec.y + end, 0, 0, spec.nchannels, type, rows.data())) {
            return false;
        }
        for (int y = begin; y < end; ++y) {
            take(static_cast<u32>(y),
                 rows.data() + row_bytes * static_cast<std::size_t>(y - begin));
        }
    }
    return true;
}

}  // namespace weft::film
