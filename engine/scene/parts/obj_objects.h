// obj_objects.h — the names of the objects of an OBJ file, each of them unique.
//
// Every `o` begins an object; so does a `g` that is new in its object. Later objects of one name
// are called "NAME 2", "NAME 3", ... One thread.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "scheduler/base/ids.h"

namespace weft::scene {

class ObjObjects {
public:
    // A line `o NAME`; without a name the present object goes on.
    void begin_object(const std::string& name);
    // A line `g NAME`; without a name, or with the object's, it is the part of the object outside
    // all groups.
    void begin_group(const std::string& name);

    // The object of the next face, which takes the name: an object that has no face leaves its name
    // to the next. Empty: faces behind a `g` without a name, before any object.
    const std::string& take_name();

private:
    std::string unused(const std::string& name);

    std::string said_;                                     // the object's name in the file
    std::string object_;                                   // its unique name; empty: no object yet
    std::string present_ = "defaultobject";                // of the faces that follow
    std::unordered_map<std::string, std::string> groups_;  // of the object: file name, own name
    std::unordered_map<std::string, u64> numbers_;         // the last number of each name
    std::unordered_set<std::string> taken_;                // by objects that have faces
};

}  // namespace weft::scene
