#include "app/view/session/edit_list.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/scene/edit/edit_path.h"
#include "engine/scene/edit/edit_value.h"
#include "engine/scene/model/scene_tree.h"
#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

using scene::Edit;

struct EditedCopy {
    scene::Scene scene;
    scene::EditContext context;
};

std::string value_of(const EditedState& state, const std::string& path) {
    const base::Result<std::string> value = scene::read_value(state.scene, state.context, path);
    return value.is_ok() ? value.value() : std::string();
}

void append_camera(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    if (auto edit = camera_edit(before, after)) {
        edits.push_back(std::move(*edit));
    }
}

// Appends the edit that sets the present environment, a file or a colour, if it changed.
void append_map(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    const Edit probe = {"environment/file", "null"};
    const Edit then = scene::inverse_edit(before.scene, before.context, probe).value();
    const Edit now = scene::inverse_edit(after.scene, after.context, probe).value();
    if (then != now) {
        edits.push_back(now);
    }
}

// A light's name and all its fields.
using LightText = std::pair<std::string, std::string>;

std::vector<LightText> texts_of_lights(const EditedState& state) {
    std::vector<LightText> lights;
    for (u32 i = 0; i < state.scene.lights.size(); ++i) {
        lights.emplace_back(state.scene.lights[i].name,
                            value_of(state, scene::light_path(state.scene, i)));
    }
    return lights;
}

std::string path_of(const std::vector<LightText>& lights, std::size_t index) {
    // A scene with only these names gives the same path.
    scene::Scene names;
    for (std::size_t i = 0; i <= index; ++i) {
        names.lights.push_back({lights[i].first});
    }
    return scene::light_path(names, static_cast<u32>(index));
}

// Lights common to both lists in the same order stay; the rest are deleted or inserted.
void append_lights(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    std::vector<LightText> lights = texts_of_lights(before);
    const std::vector<LightText> wanted = texts_of_lights(after);
    std::vector<bool> is_kept(lights.size(), false);
    std::size_t cursor = 0;
    for (std::size_t i = 0; i < lights.size(); ++i) {
        for (std::size_t k = cursor; k < wanted.size(); ++k) {
            if (wanted[k].first == lights[i].first) {
                is_kept[i] = true;
                cursor = k + 1;
                break;
            }
        }
    }
    for (std::size_t i = lights.size(); i-- > 0;) {
        if (!is_kept[i]) {
            edits.push_back({path_of(lights, i), "null"});
            lights.erase(lights.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
    // `lights` is a subsequence of `wanted` now.
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const bool is_there = i < lights.size() && lights[i].first == wanted[i].first;
        if (is_there && lights[i] != wanted[i]) {
            edits.push_back({path_of(wanted, i), wanted[i].second});
        } else if (!is_there) {
            std::string text = wanted[i].second;
            text.insert(1, "\"insert_at\": " + std::to_string(i) + ", ");
            scene::Scene name;
            name.lights.push_back({wanted[i].first});
            edits.push_back({scene::light_path(name, 0), text});
            lights.insert(lights.begin() + static_cast<std::ptrdiff_t>(i), wanted[i]);
        }
    }
}

// Whether `later` deletes what `edits[index]` adds, and no lasting edit in between depends on it.
bool is_taken_back(const std::vector<Edit>& edits,
                   const std::vector<bool>& is_gone,
                   std::size_t index,
                   std::size_t later) {
    const Edit& arrival = edits[index];
    if (arrival.value == "null") {
        return false;
    }
    for (std::size_t k = index + 1; k < later; ++k) {
        const std::string& between = edits[k].value;
        if (!is_gone[k] && (between.find("insert_at") != std::string::npos ||
                            between.find(arrival.path) != std::string::npos)) {
            return false;
        }
    }
    return true;
}

// Drops objects and materials that were added and later deleted.
std::vector<Edit> lasting(const std::vector<Edit>& edits) {
    std::vector<bool> is_gone(edits.size(), false);
    std::unordered_map<std::string, std::vector<std::size_t>>
        later_of;  // indices, the next one last
    for (std::size_t index = edits.size(); index-- > 0;) {
        std::vector<std::size_t>& later = later_of[edits[index].path];
        if (!later.empty() && is_taken_back(edits, is_gone, index, later.back())) {
            is_gone[index] = is_gone[later.back()] = true;
            later.pop_back();
        } else {
            later.push_back(index);
        }
    }
    std::vector<Edit> rest;
    for (std::size_t index = 0; index < edits.size(); ++index) {
        if (!is_gone[index]) {
            rest.push_back(edits[index]);
        }
    }
    return rest;
}

// One part represents its node, and one light all of its name.
void append_hidden(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    const std::vector<std::string>& then = before.context.hidden;
    const std::vector<std::string>& now = after.context.hidden;
    std::vector<std::string> others;
    std::set_symmetric_difference(
        then.begin(), then.end(), now.begin(), now.end(), std::back_inserter(others));
    std::unordered_set<std::string> open(others.begin(), others.end());
    for (u32 k = 0; k < after.scene.instances.size() && !open.empty(); ++k) {
        const scene::Instance& instance = after.scene.instances[k];
        const std::string node = scene::hidden_name(instance.node, instance.place);
        if (open.erase(node) > 0) {
            const bool is_hidden = std::binary_search(now.begin(), now.end(), node);
            edits.push_back(
                {scene::node_path(after.scene, k) + "/visible", is_hidden ? "false" : "true"});
        }
    }
    for (u32 k = 0; k < after.scene.groups.size() && !open.empty(); ++k) {
        const std::string name = scene::hidden_name(after.scene.groups[k]);
        if (open.erase(name) > 0) {
            const bool is_hidden = std::binary_search(now.begin(), now.end(), name);
            edits.push_back(
                {scene::group_path(after.scene, k) + "/visible", is_hidden ? "false" : "true"});
        }
    }
    for (u32 k = 0; k < after.scene.lights.size(); ++k) {
        const std::string path = "lights/" + after.scene.lights[k].name;
        if (open.erase(path) > 0) {
            const bool is_hidden = std::binary_search(now.begin(), now.end(), path);
            edits.push_back(
                {scene::light_path(after.scene, k) + "/visible", is_hidden ? "false" : "true"});
        }
    }
}

// Applies the edits to copies, which share all geometry; nothing if one does not apply.
std::optional<EditedCopy> with_edits(const EditedState& state, const std::vector<Edit>& edits) {
    EditedCopy made{state.scene, state.context};
    const scene::EditsMade outcome =
        scene::apply_edits(made.scene, made.context, edits, scene::OnFault::Stop, false);
    return outcome.faults.empty() ? std::optional(std::move(made)) : std::nullopt;
}

// Groups and cameras of the file, parents before what is below them: each counts as moved where it
// is not yet where the edits before it bring it. Returns `before` after these edits.
EditedCopy append_moves(const EditedState& before,
                        const EditedState& after,
                        const std::set<std::string>& touched,
                        std::vector<Edit>& edits) {
    std::vector<std::pair<u32, std::string>> moved;  // the place in the order, and the path
    for (const std::string& path : touched) {
        const bool is_move = path.ends_with("/transform");
        if (is_move && path.starts_with("cameras/")) {
            moved.emplace_back(kNone, path);
        } else if (is_move && path.starts_with("groups/")) {
            const std::string group = path.substr(0, path.rfind('/'));
            moved.emplace_back(scene::find_group(after.scene, group).value_or(kNone), path);
        }
    }
    std::sort(moved.begin(), moved.end());
    EditedCopy copy{before.scene, before.context};
    for (const auto& [order, path] : moved) {
        const Edit edit{path, value_of(after, path)};
        if (!edit.value.empty() && edit.value != value_of({copy.scene, copy.context}, path) &&
            scene::apply_edit(copy.scene, copy.context, edit).is_ok()) {
            edits.push_back(edit);
        }
    }
    return copy;
}

// Collections as a whole, with those members that are there.
void append_collections(const EditedState& before,
                        const EditedState& after,
                        std::vector<Edit>& edits) {
    const auto path_of_collection = [](const scene::Collection& collection) {
        return scene::edits::object_path("collections", collection.name, 1);
    };
    for (const scene::Collection& collection : before.context.collections) {
        const std::string path = path_of_collection(collection);
        if (value_of(after, path).empty()) {
            edits.push_back({path, "null"});
        }
    }
    for (const scene::Collection& collection : after.context.collections) {
        const std::string path = path_of_collection(collection);
        if (value_of(after, path) == value_of(before, path)) {
            continue;
        }
        std::string members;
        for (const std::string& member : collection.members) {
            if (!scene::editable_fields(after.scene, after.context, member).empty()) {
                members += (members.empty() ? "" : ", ") + scene::edits::quoted(member);
            }
        }
        edits.push_back({path,
                         "{\"members\": [" + members + "]" +
                             (collection.is_hidden ? ", \"visible\": false}" : "}")});
    }
}

// Whether a list of its own has the changes of this field.
bool is_listed(const std::string& path) {
    const bool is_moved = path.ends_with("/transform") &&
                          (path.starts_with("groups/") || path.starts_with("cameras/"));
    return is_moved || path == "camera" || path.starts_with("camera/") ||
           path.starts_with("lights/") || path.starts_with("collections/") ||
           path.ends_with("/visible");
}

}  // namespace

std::optional<Edit> camera_edit(const EditedState& before, const EditedState& after) {
    std::string members;
    for (const scene::EditField& field :
         scene::editable_fields(after.scene, after.context, "camera")) {
        const std::string value = value_of(after, field.path);
        if (value != value_of(before, field.path)) {
            members += (members.empty() ? "\"" : ", \"") +
                       field.path.substr(std::string("camera/").size()) + "\": " + value;
        }
    }
    return members.empty() ? std::nullopt : std::optional(Edit{"camera", "{" + members + "}"});
}

std::vector<Edit> least_edits(const EditedState& before,
                              const EditedState& as_it_is,
                              const EditTrail& trail) {
    const scene::EditContext context = scene::with_names(as_it_is.context);
    const EditedState after{as_it_is.scene, context};
    std::vector<Edit> edits;
    const EditedCopy moved = append_moves(before, after, trail.touched, edits);
    const EditedState arranged{moved.scene, moved.context};
    append_camera(arranged, after, edits);
    append_lights(arranged, after, edits);
    std::vector<Edit> wholes = lasting(trail.wholes);
    std::optional<EditedCopy> copy = with_edits(arranged, wholes);
    if (!copy) {  // an edit depends on a dropped object: keep them all
        wholes = trail.wholes;
        copy = with_edits(arranged, wholes);
        ENSURE(copy.has_value(), ==, true);
    }
    copy->context = scene::with_names(std::move(copy->context));
    const EditedState from{copy->scene, copy->context};
    edits.insert(edits.end(), wholes.begin(), wholes.end());
    append_hidden(from, after, edits);
    std::set<std::string> touched = trail.touched;
    for (const Edit& edit : wholes) {
        // The original may have changed since it was copied: compare every field of the copy.
        for (const scene::EditField& field :
             scene::editable_fields(after.scene, after.context, edit.path)) {
            touched.insert(field.path);
        }
    }
    bool is_map_touched = false;
    for (const std::string& path : touched) {
        const bool is_map = path == "environment/file" || path == "environment/color";
        is_map_touched = is_map_touched || is_map;
        const std::string value = is_map || is_listed(path) ? std::string() : value_of(after, path);
        if (!value.empty() && value != value_of(from, path)) {
            edits.push_back({path, value});
        }
    }
    if (is_map_touched) {
        append_map(before, after, edits);
    }
    append_collections(before, after, edits);
    return edits;
}

}  // namespace weft::app
