// ply_check.h — looks over a PLY's header before assimp sees the file.
//
// assimp 5.2 never returns from a header without an end and believes any element count. Both are
// refused here: the header must be whole, and the file at least as long as its counts ask for.
// Reads the header only. Any thread; throws nothing.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::scene {

base::Status check_ply(const std::string& path);

}  // namespace weft::scene
