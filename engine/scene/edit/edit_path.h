// edit_path.h — parses and escapes paths of edits, and looks them up in a scene.
//
// "materials/Oak~1dark#2/roughness" is the field roughness of the second material called
// "Oak/dark". Called by the other edit_* files. Pure; any thread that may read the scene.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scene/edit/edit.h"

namespace weft::scene::edits {

// The parts of a path.
struct Address {
    std::string path;    // as given, for sentences
    std::string family;  // the first word: materials, nodes, ...
    std::string name;    // of the object, unescaped; empty where the family has no names
    u32 ordinal = 1;     // among those of the same name
    bool has_ordinal = false;
    std::string field;  // empty: the whole object
};

base::Result<Address> parse_path(const std::string& path);

std::string escape(std::string_view name);
// "family/NAME", or "family/NAME#k" for k above 1.
std::string object_path(std::string_view family, std::string_view name, u32 ordinal);

// The index of the addressed item, by its `name`.
template <typename Items>
std::optional<u32> find_named(const Items& items, const Address& address) {
    u32 met = 0;
    for (u32 i = 0; i < items.size(); ++i) {
        if (items[i].name == address.name && ++met == address.ordinal) {
            return i;
        }
    }
    return std::nullopt;
}

// How many of the first `end` items bear this name.
template <typename Items>
u32 count_named(const Items& items, std::string_view name, u32 end) {
    u32 met = 0;
    for (u32 i = 0; i < end; ++i) {
        met += items[i].name == name ? 1U : 0U;
    }
    return met;
}

// The same through the tables of the context, if it has some: the instances of a node, ascending;
// the index of a material; how many of the first `end` materials bear a name.
std::vector<u32> instances_of(const Scene& scene,
                              const EditContext& context,
                              const Address& address);
bool has_node(const Scene& scene, const EditContext& context, const Address& address);
std::optional<u32> material_at(const Scene& scene,
                               const EditContext& context,
                               const Address& address);
std::optional<u32> group_at(const Scene& scene, const EditContext& context, const Address& address);
u32 count_materials(const Scene& scene,
                    const EditContext& context,
                    const std::string& name,
                    u32 end);

// The key of a node in NameTables.
std::string node_key(const std::string& name, u32 place);

// Errors: the scene has no such object (with the paths of some others), or the object no such
// field.
base::Error no_such_object(const Scene& scene, const Address& address);
base::Error no_such_field(const Address& address, std::string_view fields);

}  // namespace weft::scene::edits
