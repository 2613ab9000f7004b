// off_check.h — checks an OFF before assimp reads the file.
//
// assimp 5.2 takes rows that are missing for zeros, or leaves them out, and drops faces of more
// than nine corners. This refuses a file of which it would lose something: each vertex and face
// that the header counts must have a row with all its numbers. Any thread; throws nothing but
// bad_alloc.
#pragma once

#include <string>

#include "scheduler/base/result.h"

namespace weft::scene {

base::Status check_off(const std::string& path);

}  // namespace weft::scene
