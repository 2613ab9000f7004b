// kernel_text.h — the source text of the shading kernel and of all files that it includes, embedded
// in the program so that it can compile the kernel for one scene at run time (engine/frame).
//
// Constants; any thread.
#pragma once

#include <span>
#include <string_view>

namespace weft::shaders {

struct TextFile {
    std::string_view path;  // as in #include
    std::string_view text;
};

// kernels/scene_shade.cpp first, then the files that it includes, with Highway's headers.
std::span<const TextFile> scene_shade_text();

}  // namespace weft::shaders
