#include "app/view/session/multi_selection.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "app/view/models/object_name.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::app {

namespace {

using Kind = MovedThing::Kind;

// Makes `path` the first of the selected ones, without a change of the others.
void put_first(Session& session,
               Selection& selection,
               const std::string& path,
               u32 instance,
               std::vector<std::string> others) {
    select_path(session, selection, path, instance);
    selection.others = std::move(others);
}

template <typename Items>
std::optional<u32> index_in(const Items& items, const std::string& path) {
    const auto address = scene::edits::parse_path(path);
    return address.is_ok() ? scene::edits::find_named(items, address.value()) : std::nullopt;
}

std::optional<MovedThing> thing_at(const scene::Scene& scene,
                                   const scene::EditContext& named,
                                   const std::string& path) {
    const std::string_view family = family_of(path);
    if (family == "nodes") {
        const auto address = scene::edits::parse_path(path);
        const std::vector<u32> parts =
            address.is_ok() ? scene::edits::instances_of(scene, named, address.value())
                            : std::vector<u32>();
        return parts.empty()
                   ? std::nullopt
                   : std::optional(MovedThing{path,
                                              Kind::Node,
                                              parts.front(),
                                              scene.instances[parts.front()].object_to_world});
    }
    if (family == "groups") {
        const std::optional<u32> group = scene::find_group(scene, path);
        return group ? std::optional(
                           MovedThing{path, Kind::Group, *group, scene.groups[*group].to_world})
                     : std::nullopt;
    }
    if (family == "lights") {
        const std::optional<u32> light = index_in(scene.lights, path);
        return light ? std::optional(MovedThing{
                           path, Kind::Light, *light, scene::light_matrix(scene.lights[*light])})
                     : std::nullopt;
    }
    const std::optional<u32> camera =
        family == "cameras" ? index_in(scene.cameras, path) : std::nullopt;
    return camera ? std::optional(
                        MovedThing{path, Kind::Camera, *camera, scene.cameras[*camera].to_world})
                  : std::nullopt;
}

// The group that a thing stands in.
u32 group_around(const scene::Scene& scene, const MovedThing& thing) {
    switch (thing.kind) {
        case Kind::Node:
            return scene.instances[thing.index].group;
        case Kind::Group:
            return scene.groups[thing.index].parent;
        case Kind::Light:
            return scene.lights[thing.index].group;
        case Kind::Camera:
            return scene.cameras[thing.index].group;
    }
    return kNone;
}

// By group: whether it is one of the things, or below one. Empty: none is.
std::vector<bool> inside_of(const scene::Scene& scene, std::span<const MovedThing> things) {
    std::vector<bool> is_inside;
    for (const MovedThing& thing : things) {
        if (thing.kind == Kind::Group) {
            is_inside.resize(scene.groups.size(), false);
            is_inside[thing.index] = true;
        }
    }
    for (u32 k = 0; k < is_inside.size(); ++k) {
        is_inside[k] = is_inside[k] || scene::is_in(is_inside, scene.groups[k].parent);
    }
    return is_inside;
}

}  // namespace

bool is_placed(const std::string& path) {
    const std::string_view family = family_of(path);
    return family == "nodes" || family == "groups" || family == "lights" || family == "cameras";
}

bool is_selected(const Selection& selection, const std::string& path) {
    return selection.path == path ||
           std::find(selection.others.begin(), selection.others.end(), path) !=
               selection.others.end();
}

std::vector<std::string> all_selected(const Selection& selection) {
    std::vector<std::string> all;
    if (!selection.path.empty()) {
        all.push_back(selection.path);
    }
    all.insert(all.end(), selection.others.begin(), selection.others.end());
    return all;
}

void toggle_selected(Session& session,
                     Selection& selection,
                     const std::string& path,
                     u32 instance) {
    std::vector<std::string> others = selection.others;
    if (selection.path == path) {
        const std::string next = others.empty() ? std::string() : others.back();
        if (!others.empty()) {
            others.pop_back();
        }
        put_first(session, selection, next, kNone, std::move(others));
        return;
    }
    if (std::erase(selection.others, path) > 0) {
        return;
    }
    if (!is_placed(path) || !is_placed(selection.path)) {
        select_path(session, selection, path, instance);
        return;
    }
    others.push_back(selection.path);
    put_first(session, selection, path, instance, std::move(others));
}

void select_all(Session& session,
                Selection& selection,
                std::span<const std::string> paths,
                bool adds) {
    std::vector<std::string> all = adds ? all_selected(selection) : std::vector<std::string>();
    std::erase_if(all, [](const std::string& path) { return !is_placed(path); });
    std::unordered_set<std::string> known(all.begin(), all.end());
    for (const std::string& path : paths) {
        if (is_placed(path) && known.insert(path).second) {
            all.push_back(path);
        }
    }
    if (all.empty()) {
        selection = {};
        return;
    }
    const std::string first = all.back();
    all.pop_back();
    put_first(session, selection, first, kNone, std::move(all));
}

void renew_others(const Session& session, Selection& selection) {
    if (selection.others.empty()) {
        return;
    }
    const scene::EditContext named = scene::with_names(session.document.context());
    std::erase_if(selection.others, [&](const std::string& path) {
        return !thing_at(session.document.scene(), named, path);
    });
}

std::vector<MovedThing> moved_things(const Session& session, const Selection& selection) {
    std::vector<MovedThing> things;
    if (!session.document.is_open()) {
        return things;
    }
    const scene::Scene& scene = session.document.scene();
    // Name tables pay where there are several.
    scene::EditContext named;
    if (!selection.others.empty()) {
        named = scene::with_names({});
    }
    for (const std::string& path : all_selected(selection)) {
        if (auto thing = thing_at(scene, named, path)) {
            things.push_back(std::move(*thing));
        }
    }
    // Leave out what a selected group takes along.
    const std::vector<bool> is_inside = inside_of(scene, things);
    std::erase_if(things, [&](const MovedThing& thing) {
        return scene::is_in(is_inside, group_around(scene, thing));
    });
    return things;
}

std::vector<u32> instances_of(const scene::Scene& scene, std::span<const MovedThing> things) {
    std::vector<u32> found;
    const std::vector<bool> is_inside = inside_of(scene, things);
    std::unordered_multimap<std::string, u32> nodes;  // name, place
    for (const MovedThing& thing : things) {
        if (thing.kind == Kind::Node) {
            const scene::Instance& first = scene.instances[thing.index];
            nodes.emplace(first.node, first.place);
        }
    }
    const auto is_chosen = [&](const scene::Instance& instance) {
        const auto [first, last] = nodes.equal_range(instance.node);
        return std::any_of(
            first, last, [&](const auto& node) { return node.second == instance.place; });
    };
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        if (scene::is_in(is_inside, scene.instances[k].group) ||
            (!nodes.empty() && is_chosen(scene.instances[k]))) {
            found.push_back(k);
        }
    }
    return found;
}

std::vector<u32> lights_of(const scene::Scene& scene, std::span<const MovedThing> things) {
    const std::vector<bool> is_inside = inside_of(scene, things);
    std::vector<u32> found;
    for (u32 k = 0; k < scene.lights.size(); ++k) {
        const bool is_chosen = std::any_of(things.begin(), things.end(), [&](const auto& thing) {
            return thing.kind == Kind::Light && thing.index == k;
        });
        if (is_chosen || scene::is_in(is_inside, scene.lights[k].group)) {
            found.push_back(k);
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

}  // namespace weft::app
