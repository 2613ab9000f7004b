#include "app/view/session/object_edits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "app/view/models/gizmo.h"
#include "app/view/models/object_name.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/edit/edit_path.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;
using TakenNames = std::unordered_set<std::string>;

// Splits a number off the end of a name: "Chair 12" gives "Chair" and 12; a name without a number
// is unchanged, and `number` is 1.
std::string stem_of(const std::string& name, u64& number) {
    const std::size_t space = name.rfind(' ');
    number = 1;
    if (space == std::string::npos || space == 0) {
        return name;
    }
    u64 read = 0;
    const char* const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + space + 1, end, read);
    if (error != std::errc{} || rest != end || read == 0 || read > kNone) {
        return name;
    }
    number = read;
    return name.substr(0, space);
}

std::string free_name(const TakenNames& taken, const std::string& name) {
    if (!taken.contains(name)) {
        return name;
    }
    u64 number = 1;
    const std::string stem = stem_of(name, number);
    std::string free;
    do {
        free = stem + ' ' + std::to_string(++number);
    } while (taken.contains(free));
    return free;
}

bool is_node(const std::string& path) {
    return family_of(path) == "nodes";
}

// The nodes and lights that are selected or stand in selected groups. Lights from the last one on,
// so that the paths of the others stay.
std::vector<std::string> deleted_paths(const Session& session, const Selection& selection) {
    const scene::Scene& scene = session.document.scene();
    const std::vector<MovedThing> things = moved_things(session, selection);
    std::vector<std::string> paths;
    std::unordered_set<std::string> met;
    for (const u32 instance : instances_of(scene, things)) {
        std::string path = scene::node_path(scene, instance);
        if (met.insert(path).second) {
            paths.push_back(std::move(path));
        }
    }
    for (const u32 light : lights_of(scene, things)) {
        paths.push_back(scene::light_path(scene, light));
    }
    return paths;
}

void duplicate_node(Session& session, Selection& selection, Ui& ui, GizmoTool& tool) {
    const scene::Scene& scene = session.document.scene();
    const std::vector<u32> parts = scene::node_instances(scene, selection.path);
    if (parts.empty()) {
        return;
    }
    const std::string& node = scene.instances[parts.front()].node;
    const std::string name = free_node_name(scene, node.empty() ? "Object" : node);
    const std::string copy =
        Json{{"copy_of", selection.path}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (add_object(session, selection, ui, scene::edits::object_path("nodes", name, 1), copy)) {
        tool = tool == GizmoTool::None ? GizmoTool::Move : tool;
        say_of_edits(
            ui, session, name + " is added in the same place: drag its handles to move it");
    }
}

}  // namespace

std::optional<SelectedNode> selected_node(const Session& session, const Selection& selection) {
    const scene::Scene* const scene =
        session.document.is_open() ? &session.document.scene() : nullptr;
    const u32 instance = selection.instance;
    if (scene == nullptr || family_of(selection.path) != "nodes" ||
        instance >= scene->instances.size() ||
        scene::node_path(*scene, instance) != selection.path) {
        return std::nullopt;
    }
    return SelectedNode{selection.path, instance, scene->instances[instance].object_to_world};
}

void select_path(Session& session, Selection& selection, const std::string& path, u32 instance) {
    selection = {};
    if (!is_node(path)) {
        selection.path = path;
        return;
    }
    const scene::Scene& scene = session.document.scene();
    const bool is_known =
        instance < scene.instances.size() && scene::node_path(scene, instance) == path;
    const std::vector<u32> parts =
        is_known ? std::vector<u32>{instance} : scene::node_instances(scene, path);
    if (!parts.empty()) {
        selection = {path, parts.front(), scene.instances[parts.front()].material};
    }
}

void prefer_material(Session& session, Selection& selection, u32 material) {
    const scene::Scene& scene = session.document.scene();
    if (!is_node(selection.path) || selection.material == material) {
        return;
    }
    for (const u32 part : scene::node_instances(scene, selection.path)) {
        if (scene.instances[part].material == material) {
            selection.instance = part;
            selection.material = material;
            return;
        }
    }
}

// Keep the shown material if the object still has it.
void renew_selection(Session& session, Selection& selection) {
    const Selection before = selection;
    if (is_node(before.path)) {
        select_path(session, selection, before.path, before.instance);
        prefer_material(session, selection, before.material);
    }
    selection.others = before.others;
    renew_others(session, selection);
    if (selection.path.empty() && !selection.others.empty()) {
        select_all(session, selection, std::vector(selection.others), false);
    }
}

void renew_material(Session& session, Selection& selection) {
    const scene::Scene& scene = session.document.scene();
    if (is_node(selection.path) && selection.instance < scene.instances.size()) {
        selection.material = scene.instances[selection.instance].material;
    } else if (family_of(selection.path) == "materials") {
        const auto address = scene::edits::parse_path(selection.path);
        const auto found = address.is_ok()
                               ? scene::edits::find_named(scene.materials, address.value())
                               : std::nullopt;
        selection = found ? Selection{selection.path, kNone, *found} : Selection{};
    }
}

void select_added(Session& session, Selection& selection, std::span<const scene::Edit> edits) {
    for (const scene::Edit& edit : edits) {
        const auto address = scene::edits::parse_path(edit.path);
        const bool is_whole = address.is_ok() && address.value().field.empty();
        if (is_whole && edit.value.starts_with('{') &&
            (is_node(edit.path) || family_of(edit.path) == "lights")) {
            select_path(session, selection, edit.path);
        }
    }
}

bool add_object(Session& session,
                Selection& selection,
                Ui& ui,
                const std::string& path,
                const std::string& json) {
    session.dragged.clear();
    const bool is_added = send_edit(session, ui, path, json);
    session.dragged.clear();
    if (is_added) {
        select_path(session, selection, path);
    }
    return is_added;
}

namespace {

// The value of a light without the name that was given to it.
std::string without_name(const std::string& light) {
    Json value = Json::parse(light);
    value.erase("name");
    return value.dump();
}

}  // namespace

void duplicate_light(Session& session, Selection& selection, Ui& ui) {
    const scene::Scene& scene = session.document.scene();
    const auto text = scene::read_value(scene, session.document.context(), selection.path);
    const auto address = scene::edits::parse_path(selection.path);
    if (text.is_ok() && address.is_ok()) {
        const std::string name = free_light_name(scene, address.value().name);
        add_object(session,
                   selection,
                   ui,
                   scene::edits::object_path("lights", name, 1),
                   without_name(text.value()));
    }
}

void duplicate_selected(Session& session, Selection& selection, Ui& ui, GizmoTool& tool) {
    if (!session.document.is_open()) {
        return;
    }
    if (is_node(selection.path)) {
        duplicate_node(session, selection, ui, tool);
    } else if (family_of(selection.path) == "lights") {
        duplicate_light(session, selection, ui);
    } else {
        ui.say_while("Select an object or a light to duplicate it",
                     [&selection] { return selection.path.empty(); });
    }
}

void delete_selected(Session& session, Selection& selection, Ui& ui) {
    if (!session.document.is_open()) {
        return;
    }
    const std::vector<std::string> doomed = deleted_paths(session, selection);
    if (doomed.empty()) {
        ui.say_while("Select an object or a light to delete it",
                     [&selection] { return selection.path.empty(); });
        return;
    }
    std::vector<scene::Edit> edits;
    for (const std::string& path : doomed) {
        edits.push_back({path, "null"});
    }
    session.dragged.clear();
    const base::Status done = session.document.edit_all(edits);
    if (!done.is_ok()) {
        ui.say(done.error());
        return;
    }
    selection = {};
    say_of_edits(
        ui,
        session,
        doomed.size() == 1
            ? "Deleted " + shown_name(doomed.front()) + "; Ctrl+Z brings it back"
            : "Deleted " + std::to_string(doomed.size()) + " things; Ctrl+Z brings them back");
}

void make_own_material(Session& session, Selection& selection, Ui& ui, bool is_part_alone) {
    const scene::Scene& scene = session.document.scene();
    const Selection selected = selection;
    const std::string& before = scene.materials[selected.material].name;
    const std::string name = free_material_name(scene, before.empty() ? "Material" : before);
    const std::string own = scene::edits::object_path("materials", name, 1);
    const std::string shared = scene::material_path(scene, selected.material);
    Json list = Json::array();
    for (const u32 part : scene::node_instances(scene, selected.path)) {
        const u32 now = scene.instances[part].material;
        const bool is_meant = is_part_alone ? part == selected.instance : now == selected.material;
        list.push_back(is_meant ? own : scene::material_path(scene, now));
    }
    const auto text = [](const Json& value) {
        return value.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const std::array<scene::Edit, 2> edits = {
        {{own, text({{"copy_of", shared}})},
         {selected.path + "/material", text(list.size() == 1 ? list[0] : list)}}};
    session.dragged.clear();
    const base::Status made = session.document.edit_all(edits);
    if (!made.is_ok()) {
        ui.say(made.error());
        return;
    }
    selection.material = static_cast<u32>(session.document.scene().materials.size() - 1);
    say_of_edits(ui, session, shown_name(selected.path) + " · " + name + ", used by nothing else");
}

bool is_light_on(const Session& session, const scene::Light& light) {
    const std::vector<std::string>& hidden = session.document.context().hidden;
    return !std::binary_search(hidden.begin(), hidden.end(), "lights/" + light.name);
}

std::string free_light_name(const scene::Scene& scene, const std::string& name) {
    TakenNames taken;
    for (const scene::Light& light : scene.lights) {
        taken.insert(light.name);
    }
    return free_name(taken, name);
}

std::string free_material_name(const scene::Scene& scene, const std::string& name) {
    TakenNames taken;
    for (const scene::Material& material : scene.materials) {
        taken.insert(material.name);
    }
    return free_name(taken, name);
}

std::string free_node_name(const scene::Scene& scene, const std::string& name) {
    TakenNames taken;
    for (const scene::Instance& instance : scene.instances) {
        taken.insert(instance.node);
    }
    return free_name(taken, name);
}

}  // namespace weft::app
