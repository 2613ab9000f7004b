// picture_header.h — sizes that a picture's own first bytes claim, read before a library sees them.
//
// The readers of WebP and RLE BMP decode the whole picture when they are opened, that of
// progressive JPEG takes the memory of all coefficients; so their sizes are judged here first. Any
// thread.
#pragma once

#include <optional>
#include <string>

#include <OpenImageIO/filesystem.h>

#include "scheduler/base/ids.h"

namespace weft::scene {

struct HeaderSize {
    u32 width = 0;
    u32 height = 0;
    u64 bytes = 0;  // that the reader takes for itself
};

// Nothing where the format takes no memory before its rows are read, or the header is damaged.
std::optional<HeaderSize> header_size(OIIO::Filesystem::IOProxy& file, const std::string& format);

}  // namespace weft::scene
