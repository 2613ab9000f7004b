// edit_actions.cpp — actions that change the scene: undo, handles, duplicate, delete, hide.
#include "app/view/models/gizmo.h"
#include "app/view/models/object_name.h"
#include "app/view/panels/panel_outliner.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/step_words.h"
#include "app/view/session/ui.h"
#include "app/view/shell/action_lists.h"

namespace weft::app {

namespace {

void undo(Session& session, Selection& selection, Ui& ui) {
    session.dragged.clear();
    if (session.document.undo()) {
        const Document::Step& step = session.document.undone().back();
        select_added(session, selection, step.inverses);
        say_of_edits(ui, session, "Undone: " + step_words(session.document, step));
    } else {
        ui.say_while("There is nothing to undo",
                     [&session] { return !session.document.can_undo(); });
    }
}

void redo(Session& session, Selection& selection, Ui& ui) {
    session.dragged.clear();
    if (session.document.redo()) {
        const Document::Step& step = session.document.done().back();
        select_added(session, selection, step.edits);
        say_of_edits(ui, session, "Redone: " + step_words(session.document, step));
    } else {
        ui.say_while("There is nothing to redo",
                     [&session] { return !session.document.can_redo(); });
    }
}

void hide_selected(Session& session, const Selection& selection, Ui& ui) {
    const auto node = selected_node(session, selection);
    const bool is_light = family_of(selection.path) == "lights";
    if (node || is_light) {
        send_edit(session, ui, (node ? node->path : selection.path) + "/visible", "false");
    }
}

void solo_selected(const Session& session, const Selection& selection, OutlinerPanel& outliner) {
    if (const auto node = selected_node(session, selection)) {
        outliner.solo(session.document.scene().instances[node->instance].node);
    }
}

// Chooses the tool, or none if it was chosen already.
void toggle(GizmoTool& tool, GizmoTool wanted) {
    tool = tool == wanted ? GizmoTool::None : wanted;
}

}  // namespace

// clang-format off
Actions edit_actions(const EditParts& parts) {
    return {
        {"Edit", "Undo", "ctrl+Z", "reverts the last change",
         [p = parts] { undo(p.session, p.selection, p.ui); },
         nullptr, false, ActionNeeds::StepDone},
        {"Edit", "Redo", "ctrl+shift+Z", "repeats what was undone",
         [p = parts] { redo(p.session, p.selection, p.ui); },
         nullptr, false, ActionNeeds::StepUndone},
        {"Edit", "Move", "G", "handles that move the selection",
         [&tool = parts.tool] { toggle(tool, GizmoTool::Move); },
         [&tool = parts.tool] { return tool == GizmoTool::Move; }, true},
        {"Edit", "Rotate", "T", "handles that rotate the selection",
         [&tool = parts.tool] { toggle(tool, GizmoTool::Turn); },
         [&tool = parts.tool] { return tool == GizmoTool::Turn; }},
        {"Edit", "Scale", "S", "handles that scale the selection",
         [&tool = parts.tool] { toggle(tool, GizmoTool::Scale); },
         [&tool = parts.tool] { return tool == GizmoTool::Scale; }},
        {"Edit", "Duplicate", "ctrl+D", "adds a copy of the selection in the same place",
         [p = parts] { duplicate_selected(p.session, p.selection, p.ui, p.tool); },
         nullptr, true},
        {"Edit", "Delete", "delete", "removes the selected object or light",
         [p = parts] { delete_selected(p.session, p.selection, p.ui); }},
        {"Edit", "Hide", "H", "hides the selected object, switches the selected light off",
         [p = parts] { hide_selected(p.session, p.selection, p.ui); }, nullptr, true},
        {"Edit", "Solo", "shift+H", "draws the selection alone",
         [p = parts] { solo_selected(p.session, p.selection, p.outliner); }},
        {"Edit", "Show all", "alt+H", "draws all objects, switches all lights on",
         [p = parts] { p.outliner.show_all(); }},
    };
}

// clang-format on

}  // namespace weft::app
