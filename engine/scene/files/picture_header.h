// picture_header.h — the size that a picture's header claims, read before a library sees the file.
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

}  // namespace weft::scene
