// kernel_text.h — the text of the shading kernel and of all that it includes, carried in the
// program so that it can be built again for one scene while the program runs.
//
// Constants of the program; any thread.
#pragma once

#include <span>
#include <string_view>

namespace weft::shaders {

struct TextFile {
    std::string_view path;  // as it is included
    std::string_view text;
};

// kernels/scene_shade.cpp first, then what it includes, Highway's headers among them.
std::span<const TextFile> scene_shade_text();

}  // namespace weft::shaders
