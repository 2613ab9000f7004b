// ply_check.h — checks the header of a PLY before assimp reads the file.
//
// assimp 5.2 never returns from a header without an end and trusts any element count. This refuses
// both: the header must be whole, and the file at least as long as its counts demand.
// Reads the header only. Any thread; throws nothing.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::scene {

base::Status check_ply(const std::string& path);

}  // namespace weft::scene
