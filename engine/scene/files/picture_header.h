// picture_header.h — what a picture's header says, read before a library sees the file: the size
// that it claims, and the exposure of a Radiance file.
//
// The readers of WebP and RLE BMP decode the whole picture when they open it, and that of
// progressive JPEG allocates all coefficients; so their sizes are checked here first. Any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "scheduler/base/ids.h"

namespace weft::scene {

struct HeaderSize {
    u32 width = 0;
    u32 height = 0;
    u64 bytes = 0;  // that the reader allocates for itself
};

// Copies bytes of the file from `at` on; leaves those beyond its end unchanged.
using ReadBytes = std::function<void(u64 at, void* to, std::size_t size_bytes)>;

// Empty where the reader allocates nothing before rows are read, and where the header is damaged.
std::optional<HeaderSize> header_size(const ReadBytes& file, const std::string& format);

// What the values of a Radiance file were multiplied with: the product of its EXPOSURE lines. Not
// above 0 or not finite where a line holds no such number.
double radiance_exposure(const ReadBytes& file, u64 file_bytes);

}  // namespace weft::scene
