// decoding.cpp — see decoding.h.
#include "engine/film/decoding.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "engine/scene/files/exr_header.h"
#include "scheduler/base/input_file.h"

namespace weft::film {

namespace {

constexpr u64 kLargestPartValues = u64{1} << 30;
constexpr u64 kLargestRowValues = u64{1} << 24;
constexpr i32 kRowsReadAtOnce = 256;
constexpr std::size_t kStripBytes = std::size_t{4} << 20;

// The module hands over no exceptions.
void throw_if_no_memory(const std::string& error) {
    if (error == image::kNoMemory) {
        throw std::bad_alloc();
    }
}

}  // namespace

base::Error read_error(const std::string& path, std::string found, const char* expected) {
    std::replace(found.begin(), found.end(), '\n', ' ');
    while (!found.empty() && found.back() == ' ') {
        found.pop_back();
    }
    return {base::ErrorKind::Scene,
            path + ": " + (found.empty() ? "not an image" : found) + "; expected " + expected};
}

base::Error no_memory_error(const std::string& path) {
    return {base::ErrorKind::Memory,
            path + ": there is no memory to decode it; expected room for its pixels"};
}

bool is_of_memory(const base::Error& error) {
    return error.kind == base::ErrorKind::Memory || error.kind == base::ErrorKind::TooLarge;
}

bool is_of_sane_size(const image::Part& part) {
    if (part.width <= 0 || part.height <= 0 || part.depth > 1 || part.channel_count <= 0) {
        return false;
    }
    const u64 width = static_cast<u64>(part.width);
    const u64 channels = static_cast<u64>(part.channel_count);
    return width <= kLargestRowValues / channels &&
           width * static_cast<u64>(part.height) <= kLargestPartValues / channels;
}

base::Result<std::unique_ptr<image::ImageReader>> open_exr(const std::string& path,
                                                           const char* expected) {
    WEFT_TRY(base::check_input_file(path, expected));
    if (const std::string fault = scene::exr_header_fault(path); !fault.empty()) {
        return read_error(path, "cannot be opened (" + fault + ")", expected);
    }
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    image::OpenedImage opened = codecs.value()->open({.format = "openexr", .path = path});
    if (!opened.maybe_reader) {
        throw_if_no_memory(opened.error);
        return read_error(path, "cannot be opened (" + opened.error + ")", expected);
    }
    return std::move(opened.maybe_reader);
}

bool seek_part(image::ImageReader& input, u32 part) {
    if (input.seek_part(part)) {
        return true;
    }
    throw_if_no_memory(input.error());
    if (!input.error().empty()) {
        throw std::runtime_error(input.error());
    }
    return false;
}

std::string part_name(const image::ImageReader& input) {
    return input.text("oiio:subimagename");
}

bool seek_part_named(image::ImageReader& input, std::string_view name) {
    for (u32 part = 0; seek_part(input, part); ++part) {
        if (part_name(input) == name) {
            return true;
        }
    }
    return false;
}

base::Result<base::MemoryClaim> claim_decoder(const std::string& path,
                                              const image::ImageReader& input) {
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    image::EncodedPart part;
    part.part = input.part();
    part.row_type = part.part.type;
    part.attributes.emplace_back("compression", input.text("compression"));
    return base::claim_memory(codecs.value()->encoder_bytes("openexr", {&part, 1}),
                              path + ": decoding its part " + part_name(input));
}

bool decode_rows(image::ImageReader& input,
                 image::ValueType type,
                 const std::function<void(u32 y, const u8* row)>& take) {
    const image::Part& part = input.part();
    const std::size_t row_bytes = static_cast<std::size_t>(part.width) *
                                  static_cast<std::size_t>(part.channel_count) *
                                  image::size_bytes(type);
    const i32 step = std::clamp(
        static_cast<i32>(kStripBytes / row_bytes), 1, std::min(part.height, kRowsReadAtOnce));
    std::vector<u8> rows(row_bytes * static_cast<std::size_t>(step));
    for (i32 begin = 0; begin < part.height; begin += step) {
        const i32 end = std::min(part.height, begin + step);
        if (!input.read_rows({begin, end}, {0, part.channel_count}, type, rows.data())) {
            throw_if_no_memory(input.error());
            return false;
        }
        for (i32 y = begin; y < end; ++y) {
            take(static_cast<u32>(y),
                 rows.data() + row_bytes * static_cast<std::size_t>(y - begin));
        }
    }
    return true;
}

}  // namespace weft::film
