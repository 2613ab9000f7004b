// obj_objects.h — which lines of an OBJ file begin an object, and the file as assimp must read it
// so that each of them is one.
//
// assimp ends the name of an `o` at its first space, takes an `o` of a known name for more of
// whatever it reads, compares its name with all before, and calls groups of different objects
// alike. So each object gets a name of its own and is read as a group; lines that say otherwise are
// replaced while assimp reads, all else is the file's.
// Called by assimp_reader.cpp.
#pragma once

#include <assimp/IOStream.hpp>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::scene {

// A line of the file without its end, and what stands there instead.
struct LineChange {
    u64 begin = 0;
    u64 end = 0;
    std::string text;
};

// An `o` begins an object, whatever its name; so does a `g` that its object has not had before. Of
// several of one name the later ones are called "NAME 2", "NAME 3", ...
std::vector<LineChange> object_lines(std::istream& file);

// `file` with its lines changed, which must lie in it, in their order.
std::unique_ptr<Assimp::IOStream> changed_file(std::unique_ptr<Assimp::IOStream> file,
                                               std::vector<LineChange> changes);

}  // namespace weft::scene
