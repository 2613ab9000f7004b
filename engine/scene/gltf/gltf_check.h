// gltf_check.h — checks the type, range and target of every property that the importer reads,
// before anything uses it.
//
// After check_json() every index lies in its array, every count is a JSON integer, and every array
// has its length, so later readers check none of that again. An error names the file and the JSON
// pointer. Any thread.
#pragma once

#include <span>
#include <string>

#include "engine/scene/gltf/gltf_json.h"

namespace weft::scene::gltf {

// What a property must be.
enum class Kind {
    Object,
    Objects,  // array of objects
    Text,
    Texts,  // array of strings
    Flag,   // true or false
    Number,
    Count,     // integer in [0, limit]; 3.0 becomes 3
    Index,     // Count below the length of the array that `target` points at
    Numbers,   // array of `limit` numbers (0: any number of them)
    Indices,   // array of Index
    IndexMap,  // object whose values are Index
};

struct Rule {
    const char* path;  // JSON pointer; "*" stands for every element of an array
    Kind kind;
    bool is_required = false;  // in every parent that exists
    u64 limit = 0;
    const char* target = nullptr;
};

// The table of all rules, parents before children (gltf_rules.cpp).
std::span<const Rule> rules();

// Whether the importer reads this extension or may safely leave it out.
bool is_known_extension(const std::string& name);

// Checks `json` by the table and by the rules that join properties; normalises integers in place.
base::Status check_json(Json& json, const std::string& path);

// object/extensions/NAME, or null.
const Json* find_extension(const Json& object, const char* name);

}  // namespace weft::scene::gltf
