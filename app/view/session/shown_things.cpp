#include "app/view/session/shown_things.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "app/view/models/object_name.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::app {

namespace {

using Edits = std::vector<scene::Edit>;

scene::Edit showing(const std::string& path, bool is_shown) {
    return {path + "/visible", is_shown ? "true" : "false"};
}

void make(Session& session, Ui& ui, const Edits& edits) {
    session.dragged.clear();
    const base::Status done = session.document.edit_all(edits);
    if (!done.is_ok()) {
        ui.say(done.error());
    }
}

std::string name_of(const scene::Instance& instance) {
    return scene::hidden_name(instance.node, instance.place);
}

bool is_hidden(const Session& session, const std::string& name) {
    const std::vector<std::string>& hidden = session.document.context().hidden;
    return std::binary_search(hidden.begin(), hidden.end(), name);
}

// Shows hidden groups and collections: what is in them shows by its own eyes.
void open_sets(const Session& session, Edits& edits) {
    const scene::Scene& scene = session.document.scene();
    for (u32 k = 0; k < scene.groups.size(); ++k) {
        if (is_hidden(session, scene::hidden_name(scene.groups[k]))) {
            edits.push_back(showing(scene::group_path(scene, k), true));
        }
    }
    for (const scene::Collection& collection : session.document.context().collections) {
        if (collection.is_hidden) {
            edits.push_back(
                showing(scene::edits::object_path("collections", collection.name, 1), true));
        }
    }
}

// Shows the nodes whose hidden names pass the test, hides the others; each once.
template <typename Test>
void show_nodes(const Session& session, const Test& is_wanted, Edits& edits) {
    const scene::Scene& scene = session.document.scene();
    std::unordered_set<std::string> met;
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        const std::string node = name_of(scene.instances[k]);
        if (met.insert(node).second && is_hidden(session, node) == is_wanted(node)) {
            edits.push_back(showing(scene::node_path(scene, k), is_wanted(node)));
        }
    }
}

}  // namespace

void show_things(Session& session, Ui& ui, std::span<const std::string> paths, bool is_shown) {
    Edits edits;
    for (const std::string& path : paths) {
        const std::string_view family = family_of(path);
        if (family == "nodes" || family == "groups" || family == "lights" ||
            family == "collections") {
            edits.push_back(showing(path, is_shown));
        }
    }
    make(session, ui, edits);
}

void hide_selected(Session& session, const Selection& selection, Ui& ui) {
    show_things(session, ui, all_selected(selection), false);
}

void solo(Session& session, Ui& ui, std::span<const MovedThing> things) {
    const scene::Scene& scene = session.document.scene();
    std::unordered_set<std::string> kept;
    for (const u32 instance : instances_of(scene, things)) {
        kept.insert(name_of(scene.instances[instance]));
    }
    if (kept.empty()) {
        return;
    }
    Edits edits;
    open_sets(session, edits);
    show_nodes(
        session, [&](const std::string& node) { return kept.contains(node); }, edits);
    make(session, ui, edits);
}

void show_all(Session& session, Ui& ui) {
    const scene::Scene& scene = session.document.scene();
    Edits edits;
    open_sets(session, edits);
    show_nodes(
        session, [](const std::string&) { return true; }, edits);
    for (u32 k = 0; k < scene.lights.size(); ++k) {
        if (is_hidden(session, "lights/" + scene.lights[k].name)) {
            edits.push_back(showing(scene::light_path(scene, k), true));
        }
    }
    make(session, ui, edits);
}

}  // namespace weft::app
