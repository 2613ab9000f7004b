// object_edits.h — objects and lamps that come and go: duplicated, deleted, selected again.
//
// Each is one step of undo. Called by actions, panels and the viewport; interface thread only.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

struct SelectedNode {
    std::string path;  // "nodes/NAME"
    u32 instance = 0;  // its first one
    scene::Affine matrix{};
};

// The node that is selected, if one is.
std::optional<SelectedNode> selected_node(const Session& session, const Selection& selection);

// Selects an object or a lamp. `instance`: of several that the object has, this one, where it is
// one of them. Nothing is selected where the scene has no such object.
void select_path(Session& session,
                 Selection& selection,
                 const std::string& path,
                 u32 instance = kNone);

// Of the selected object the part that has this material, where one has.
void prefer_material(Session& session, Selection& selection, u32 material);

// After a change of the scene: finds the new number of the selected object, or selects
// nothing where it was deleted.
void renew_selection(Session& session, Selection& selection);

// After a change of materials: the material shown is that of the part that is selected; a material
// that is selected itself may be deleted.
void renew_material(Session& session, Selection& selection);

// Of the edits of a step: what they added is selected.
void select_added(Session& session, Selection& selection, std::span<const scene::Edit> edits);

// Adds what `json` says at a path that is free, and selects it. False: an error, which is said.
bool add_object(Session& session,
                Selection& selection,
                Ui& ui,
                const std::string& path,
                const std::string& json);

// The selected object or lamp once more, in its place; the copy is selected, an object with handles
// to move it away.
void duplicate_selected(ViewState& state);

void delete_selected(ViewState& state);

// The parts of the selected object that have the material shown get a copy of it; `is_part_alone`:
// the part that is selected does.
void make_own_material(Session& session, Selection& selection, Ui& ui, bool is_part_alone);

// Whether a lamp of this scene is switched on. It goes by its name, as whether nodes are drawn.
bool is_lamp_on(const Session& session, const scene::Light& lamp);

// "Chair", "Chair 2", ...: the first name after this one that nothing has.
std::string free_light_name(const scene::Scene& scene, const std::string& name);
std::string free_node_name(const scene::Scene& scene, const std::string& name);
std::string free_material_name(const scene::Scene& scene, const std::string& name);

}  // namespace weft::app
