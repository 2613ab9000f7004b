// edit_path.h — paths of edits: taken apart, escaped, and looked up in a scene.
//
// "materials/Oak~1dark#2/roughness" is the field roughness of the second material called
// "Oak/dark". Called by the other edit_* files. Pure; any thread that may read the scene.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/scene/edit/edit.h"

namespace weft::scene::edits {

// A path in its parts.
struct Address {
    std::string path;    // as given, for sentences
    std::string family;  // materials, nodes, lights, environment, camera, view
    std::string name;    // of the object, unescaped; empty where the family has no names
    u32 ordinal = 1;     // among those of the same name
    bool has_ordinal = false;
    std::string field;  // empty: the whole object
};

base::Result<Address> parse_path(const std::string& path);

std::string escape(std::string_view name);
// "family/NAME" or, from the second of one name on, "family/NAME#k".
std::string object_path(std::string_view family, std::string_view name, u32 ordinal);

// The row of `items` that the address names, by their `name`.
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

// The same through the context's tables, where it has some: instances of the node, rising; the
// material's number; how many of the first `end` materials bear this name.
std::vector<u32> instances_of(const Scene& scene,
                              const EditContext& context,
                              const Address& address);
bool has_node(const Scene& scene, const EditContext& context, const Address& address);
std::optional<u32> material_at(const Scene& scene,
                               const EditContext& context,
                               const Address& address);
u32 count_materials(const Scene& scene,
                    const EditContext& context,
                    const std::string& name,
                    u32 end);

// The key of a node in NameTables.
std::string node_key(const std::string& name, u32 place);

// Sentences: nothing of this name (with some that there are); no such field.
base::Error no_such_object(const Scene& scene, const Address& address);
base::Error no_such_field(const Address& address, std::string_view fields);

}  // namespace weft::scene::edits
