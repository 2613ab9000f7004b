// picture_writer.h — writes small pictures for tests through OpenImageIO, with straight alpha.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene::testing {

// RGBA in, 8 or 16 bit by T (u8, u16), `channels` of it written.
template <typename T>
void write_picture(
    const std::string& path, int width, int height, const std::vector<T>& pixels, int channels = 4);

// Three floats per pixel.
void write_floats(const std::string& path, u32 width, u32 height, const std::vector<float>& pixels);

}  // namespace weft::scene::testing
