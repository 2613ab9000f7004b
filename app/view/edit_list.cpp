#include "app/view/edit_list.h"

#include <algorithm>
#include <utility>

namespace weft::app {

namespace {

using scene::Edit;

std::string value_of(const EditedState& state, const std::string& path) {
    const base::Result<std::string> value = scene::read_value(state.scene, state.context, path);
    return value.is_ok() ? value.value() : std::string();
}

// One object with the fields that differ: setting a focus ends the autofocus, an object does not
// care for the order.
void append_camera(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    std::string members;
    for (const scene::EditField& field :
         scene::editable_fields(after.scene, after.context, "camera")) {
        const std::string value = value_of(after, field.path);
        if (value != value_of(before, field.path)) {
            members += (members.empty() ? "\"" : ", \"") +
                       field.path.substr(std::string("camera/").size()) + "\": " + value;
        }
    }
    if (!members.empty()) {
        edits.push_back({"camera", "{" + members + "}"});
    }
}

// The map is a file or a colour: whichever is the way back to it from any other.
void append_map(const EditedState& before, const EditedState& after, std::vector<Edit>& edits) {
    const Edit probe = {"environment/file", "null"};
    const Edit then = scene::inverse_edit(before.scene, before.context, probe).value();
    const Edit now = scene::inverse_edit(after.scene, after.context, probe).value();
    if (then != now) {
        edits.push_back(now);
    }
}

// A light as its name and all its fields.
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
    // Of a scene that has these names and nothing else, the path is the same.
    scene::Scene names;
    for (std::size_t i = 0; i <= index; ++i) {
        names.lights.push_back({lights[i].first});
    }
    return scene::light_path(names, static_cast<u32>(index));
}

// What is in both lists in the same order stays; the rest is deleted or put in.
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
    // `lights` is a part of `wanted` now, in its order.
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

}  // namespace

std::vector<Edit> least_edits(const EditedState& before,
                              const EditedState& after,
                              const std::set<std::string>& touched) {
    std::vector<Edit> edits;
    append_camera(before, after, edits);
    append_lights(before, after, edits);
    bool is_map_touched = false;
    for (const std::string& path : touched) {
        const bool is_map = path == "environment/file" || path == "environment/color";
        const bool is_whole = path.starts_with("camera") || path.starts_with("lights/");
        is_map_touched = is_map_touched || is_map;
        if (is_map || is_whole) {
            continue;
        }
        const std::string value = value_of(after, path);
        if (value != value_of(before, path)) {
            edits.push_back({path, value});
        }
    }
    if (is_map_touched) {
        append_map(before, after, edits);
    }
    return edits;
}

}  // namespace weft::app
