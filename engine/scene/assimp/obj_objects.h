// obj_objects.h — replaces the lines of an OBJ file that begin objects, so that assimp reads each
// of them as an object of its own.
//
// assimp ends the name of an `o` at its first space, continues the present object at an `o` of a
// known name, compares each name with all former ones, and gives groups of different objects one
// name. So each object gets a unique name and is read as a group. All other lines stay as they are.
// Called by assimp_reader.cpp.
#pragma once

#include <assimp/IOStream.hpp>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene {

// A line of the file, without its line end, and its replacement.
struct LineChange {
    u64 begin = 0;
    u64 end = 0;
    std::string text;
};

// Every `o` begins an object; so does a `g` that is new in its object. Later objects of one name
// are called "NAME 2", "NAME 3", ...
std::vector<LineChange> object_lines(std::istream& file);

// `file` with the changes, which must be in the order of its lines.
std::unique_ptr<Assimp::IOStream> changed_file(std::unique_ptr<Assimp::IOStream> file,
                                               std::vector<LineChange> changes);

}  // namespace weft::scene
