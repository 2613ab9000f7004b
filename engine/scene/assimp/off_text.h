// off_text.h — an OFF as text that assimp reads whole.
//
// assimp 5.2 takes rows that are missing for zeros, or leaves them out, knows comments before the
// first vertex alone, and drops faces of more than nine corners. This refuses a file without a row
// that its header counts, and copies any other one: without comments, and with a triangle in the
// place of each large face, whose corners the reader puts back. Any thread; throws nothing but
// bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// A face of more corners than assimp reads.
struct LargeOffFace {
    u32 index = 0;  // among all faces
    std::vector<u32> corners;
};

struct OffText {
    std::string text;  // empty: the file has no header of an OFF
    std::vector<LargeOffFace> large_faces;
};

base::Result<OffText> read_off(const std::string& path);

}  // namespace weft::scene
