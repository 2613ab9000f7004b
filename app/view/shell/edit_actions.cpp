// edit_actions.cpp — actions that change the scene: undo, handles, duplicate, delete, select, hide.
#include "app/view/models/gizmo.h"
#include "app/view/session/camera_motion.h"
#include "app/view/session/collections.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/shown_things.h"
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

void toggle_box(CameraMotion& motion, Ui& ui) {
    motion.tool = motion.tool == Tool::Box ? Tool::Orbit : Tool::Box;
    if (motion.tool == Tool::Box) {
        ui.say_while(
            "Drag a rectangle: what is seen in it is selected, with Shift besides; Esc cancels",
            [&motion] { return motion.tool == Tool::Box; });
    }
}

// Asks the tree for a field in place of the selected row.
void rename_selected(Session& session, const Selection& selection, Ui& ui) {
    if (is_placed(selection.path)) {
        session.remembered.has_left = true;
        ui.renamed = selection.path;
        ui.keyboard.await_text();
    } else {
        ui.say_while("Select an object, a group, a light or a camera to rename it",
                     [&selection] { return !is_placed(selection.path); });
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
        {"Edit", "Delete", "delete", "removes the selected objects and lights",
         [p = parts] { delete_selected(p.session, p.selection, p.ui); }},
        {"Edit", "Rename", "F2", "gives the selection a name in the tree; as a double click there",
         [p = parts] { rename_selected(p.session, p.selection, p.ui); }},
        {"Edit", "Select in a box ...", "Q", "drag a rectangle: what is seen in it; Shift adds",
         [p = parts] { toggle_box(p.motion, p.ui); },
         [p = parts] { return p.motion.tool == Tool::Box; }, true},
        {"Edit", "New collection", "ctrl+G", "of the selection; its menu in the outliner changes it",
         [p = parts] { add_collection(p.session, p.ui, all_selected(p.selection)); }},
        {"Edit", "Hide", "H", "hides what is selected, switches selected lights off",
         [p = parts] { hide_selected(p.session, p.selection, p.ui); }, nullptr, true},
        {"Edit", "Solo", "shift+H", "draws the selection alone",
         [p = parts] { solo(p.session, p.ui, moved_things(p.session, p.selection)); }},
        {"Edit", "Show all", "alt+H", "draws all objects, switches all lights on",
         [p = parts] { show_all(p.session, p.ui); }},
    };
}

// clang-format on

}  // namespace weft::app
