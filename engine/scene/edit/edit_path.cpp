// edit_path.cpp — see edit_path.h.
#include "engine/scene/edit/edit_path.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene {

namespace edits {

namespace {

base::Error wrong(std::string sentence) {
    return {base::ErrorKind::Usage, std::move(sentence)};
}

// False where a '~' stands before anything but 0, 1 or 2.
bool unescape(std::string_view text, std::string& name) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '~') {
            name += text[i];
            continue;
        }
        const std::string_view code = text.substr(i + 1, 1);
        if (code != "0" && code != "1" && code != "2") {
            return false;
        }
        name += code == "0" ? '~' : code == "1" ? '/' : '#';
        ++i;
    }
    return true;
}

// Takes "#12" off the end of `text`. A '#' without a number after it belongs to the name.
void take_ordinal(std::string_view& text, Address& address) {
    const std::size_t mark = text.rfind('#');
    if (mark == std::string_view::npos) {
        return;
    }
    u32 ordinal = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + mark + 1, end, ordinal);
    if (error == std::errc{} && rest == end && ordinal > 0) {
        address.ordinal = ordinal;
        address.has_ordinal = true;
        text = text.substr(0, mark);
    }
}

}  // namespace

std::string escape(std::string_view name) {
    std::string text;
    for (const char letter : name) {
        text += letter == '~'   ? std::string("~0")
                : letter == '/' ? std::string("~1")
                : letter == '#' ? std::string("~2")
                                : std::string(1, letter);
    }
    return text;
}

std::string object_path(std::string_view family, std::string_view name, u32 ordinal) {
    std::string path = std::string(family) + "/" + escape(name);
    return ordinal > 1 ? path + "#" + std::to_string(ordinal) : path;
}

base::Result<Address> parse_path(const std::string& path) {
    Address address;
    address.path = path;
    std::string_view rest = path;
    rest.remove_prefix(rest.starts_with('/') ? 1 : 0);
    const auto take = [&rest] {
        const std::size_t cut = rest.find('/');
        const std::string_view word = rest.substr(0, cut);
        rest = cut == std::string_view::npos ? std::string_view() : rest.substr(cut + 1);
        return word;
    };
    const bool has_name_part = rest.find('/') != std::string_view::npos;
    address.family = take();
    const Family* const family = find_family(address.family);
    if (family == nullptr) {
        return wrong(
            path + ": found '" + address.family +
            "', expected a path that begins with materials, nodes, groups, lights, cameras, "
            "collections, environment, camera, frame or view");
    }
    if (family->maybe_has_object) {
        if (!has_name_part) {
            return wrong(path + ": found no name, expected " + address.family + "/NAME");
        }
        std::string_view name = take();
        take_ordinal(name, address);
        if (!unescape(name, address.name)) {
            return wrong(path + ": found a '~', expected ~0 for '~', ~1 for '/' or ~2 for '#'");
        }
    }
    address.field = rest;
    return address;
}

std::string node_key(const std::string& name, u32 place) {
    return name + '#' + std::to_string(place);
}

namespace {

// Null: search the list.
const std::vector<u32>* find_node(const Scene& scene,
                                  const EditContext& context,
                                  const Address& address) {
    const Arena<Instance>& instances = scene.instances;
    return context.names == nullptr
               ? nullptr
               : context.names->nodes.find(node_key(address.name, address.ordinal - 1),
                                           instances.size(),
                                           [&](std::size_t k) {
                                               return node_key(instances[k].node,
                                                               instances[k].place);
                                           });
}

const std::vector<u32>* find_materials(const Scene& scene,
                                       const EditContext& context,
                                       const std::string& name) {
    const Arena<Material>& materials = scene.materials;
    return context.names == nullptr
               ? nullptr
               : context.names->materials.find(
                     name, materials.size(), [&](std::size_t k) { return materials[k].name; });
}

bool is_part(const Instance& instance, const Address& address) {
    return instance.place + 1 == address.ordinal && instance.node == address.name;
}

}  // namespace

std::vector<u32> instances_of(const Scene& scene,
                              const EditContext& context,
                              const Address& address) {
    if (const std::vector<u32>* const known = find_node(scene, context, address)) {
        return *known;
    }
    std::vector<u32> found;
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        if (is_part(scene.instances[k], address)) {
            found.push_back(k);
        }
    }
    return found;
}

bool has_node(const Scene& scene, const EditContext& context, const Address& address) {
    if (const std::vector<u32>* const known = find_node(scene, context, address)) {
        return !known->empty();
    }
    return std::any_of(scene.instances.begin(),
                       scene.instances.end(),
                       [&](const Instance& instance) { return is_part(instance, address); });
}

std::optional<u32> material_at(const Scene& scene,
                               const EditContext& context,
                               const Address& address) {
    if (const std::vector<u32>* const known = find_materials(scene, context, address.name)) {
        return address.ordinal <= known->size() ? std::optional((*known)[address.ordinal - 1])
                                                : std::nullopt;
    }
    return find_named(scene.materials, address);
}

std::optional<u32> group_at(const Scene& scene,
                            const EditContext& context,
                            const Address& address) {
    const Arena<Group>& groups = scene.groups;
    const std::vector<u32>* const known =
        context.names == nullptr
            ? nullptr
            : context.names->groups.find(
                  address.name, groups.size(), [&](std::size_t k) { return groups[k].name; });
    if (known == nullptr) {
        return find_named(groups, address);
    }
    return address.ordinal <= known->size() ? std::optional((*known)[address.ordinal - 1])
                                            : std::nullopt;
}

u32 count_materials(const Scene& scene,
                    const EditContext& context,
                    const std::string& name,
                    u32 end) {
    if (const std::vector<u32>* const known = find_materials(scene, context, name)) {
        return static_cast<u32>(std::lower_bound(known->begin(), known->end(), end) -
                                known->begin());
    }
    return count_named(scene.materials, name, end);
}

base::Error no_such_object(const Scene& scene, const Address& address) {
    const std::vector<std::string> paths = object_paths(scene, address.family);
    std::string some;
    for (std::size_t i = 0; i < paths.size() && i < 5; ++i) {
        some += (i == 0 ? "" : ", ") + paths[i];
    }
    return wrong(address.path + ": the scene has no such object; expected one of its " +
                 std::to_string(paths.size()) + (some.empty() ? std::string() : " (" + some) +
                 (some.empty()       ? ""
                  : paths.size() > 5 ? ", ...)"
                                     : ")"));
}

base::Error no_such_field(const Address& address, std::string_view fields) {
    return wrong(address.path + ": found '" + address.field + "', expected one of " +
                 std::string(fields));
}

}  // namespace edits

std::vector<std::string> object_paths(const Scene& scene, const std::string& family) {
    std::vector<std::string> paths;
    if (family == "nodes") {
        std::unordered_set<std::string> met;
        for (u32 instance = 0; instance < scene.instances.size(); ++instance) {
            if (const auto [path, is_new] = met.insert(node_path(scene, instance)); is_new) {
                paths.push_back(*path);
            }
        }
        return paths;
    }
    std::unordered_map<std::string, u32> met;
    const auto append = [&](const auto& items) {
        for (const auto& item : items) {
            paths.push_back(edits::object_path(family, item.name, ++met[item.name]));
        }
    };
    if (family == "materials") {
        append(scene.materials);
    } else if (family == "lights") {
        append(scene.lights);
    } else if (family == "groups") {
        append(scene.groups);
    } else if (family == "cameras") {
        append(scene.cameras);
    }
    return paths;
}

std::string material_path(const Scene& scene, u32 material) {
    const std::string& name = scene.materials[material].name;
    return edits::object_path(
        "materials", name, edits::count_named(scene.materials, name, material) + 1);
}

std::string light_path(const Scene& scene, u32 light) {
    const std::string& name = scene.lights[light].name;
    return edits::object_path("lights", name, edits::count_named(scene.lights, name, light) + 1);
}

std::string group_path(const Scene& scene, u32 group) {
    return edits::object_path("groups", scene.groups[group].name, scene.groups[group].place + 1);
}

std::string camera_path(const Scene& scene, u32 camera) {
    const std::string& name = scene.cameras[camera].name;
    return edits::object_path("cameras", name, edits::count_named(scene.cameras, name, camera) + 1);
}

std::optional<u32> find_group(const Scene& scene, const std::string& path) {
    const base::Result<edits::Address> address = edits::parse_path(path);
    return address.is_ok() && address.value().family == "groups"
               ? edits::group_at(scene, {}, address.value())
               : std::nullopt;
}

std::string node_path(const Scene& scene, u32 instance) {
    const Instance& from = scene.instances[instance];
    return edits::object_path("nodes", from.node, from.place + 1);
}

std::vector<u32> node_instances(const Scene& scene, const std::string& path) {
    const base::Result<edits::Address> address = edits::parse_path(path);
    return address.is_ok() && address.value().family == "nodes"
               ? edits::instances_of(scene, {}, address.value())
               : std::vector<u32>();
}

}  // namespace weft::scene
