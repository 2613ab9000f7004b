// object_edits.h — adds, duplicates, deletes and selects objects and lights.
//
// Each edit is one step of undo. Actions, panels and the viewport call these; interface thread
// only.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/scene/edit/edit.h"
#include "engine/scene/model/scene.h"

namespace weft::app {

enum class GizmoTool;
struct Selection;
struct Session;
struct Ui;

struct SelectedNode {
    std::string path;  // "nodes/NAME"
    u32 instance = 0;  // the first one
    math::Affine matrix{};
};

// The node that is selected, if one is.
std::optional<SelectedNode> selected_node(const Session& session, const Selection& selection);

// Selects an object or a light. `instance`: the preferred one among several of the object. Selects
// nothing if the scene has no such object.
void select_path(Session& session,
                 Selection& selection,
                 const std::string& path,
                 u32 instance = kNone);

// Selects the part of the selected object that has this material, if one has.
void prefer_material(Session& session, Selection& selection, u32 material);

// After a change of the scene: finds the new instance number of the selected object, or clears the
// selection if it was deleted.
void renew_selection(Session& session, Selection& selection);

// After a change of materials: shows the material of the selected part, and deselects a material
// that was deleted.
void renew_material(Session& session, Selection& selection);

// Selects what the edits of a step added.
void select_added(Session& session, Selection& selection, std::span<const scene::Edit> edits);

// Adds the object in `json` at a free path and selects it. False: an error, which the status line
// shows.
bool add_object(Session& session,
                Selection& selection,
                Ui& ui,
                const std::string& path,
                const std::string& json);

// Duplicates the selected object or light in place and selects the copy. If no handles are shown,
// a copied object gets those that move it.
void duplicate_selected(Session& session, Selection& selection, Ui& ui, GizmoTool& tool);

// Duplicates the selected light in place and selects the copy.
void duplicate_light(Session& session, Selection& selection, Ui& ui);

void delete_selected(Session& session, Selection& selection, Ui& ui);

// Gives the parts of the selected object that have the shown material a copy of it;
// `is_part_alone`: only the selected part.
void make_own_material(Session& session, Selection& selection, Ui& ui, bool is_part_alone);

// Whether a light is switched on. Like the hiding of nodes, this goes by name.
bool is_light_on(const Session& session, const scene::Light& light);

// The first free name of "Chair", "Chair 2", ...
std::string free_light_name(const scene::Scene& scene, const std::string& name);
std::string free_node_name(const scene::Scene& scene, const std::string& name);
std::string free_material_name(const scene::Scene& scene, const std::string& name);

}  // namespace weft::app
