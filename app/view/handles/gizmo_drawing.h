// gizmo_drawing.h — draws the gizmo of what is selected and turns drags of its handles into edits.
//
// Several things have one gizmo in their middle. A single light has handles of its own
// (light_handles.h). One drag is one step of undo. Interface thread only.
#pragma once

#include <string>

#include "app/view/handles/set_handles.h"
#include "app/view/models/gizmo.h"
#include "app/view/models/selection_box.h"

namespace weft::app {

struct PictureSight;
struct Selection;
struct Session;
struct Ui;

// Draws a text on a plate that is legible over any picture: beside a point of the window, or below
// it if the picture ends first.
void tell_beside(Ui& ui,
                 const PictureSight& sight,
                 const ScreenPoint& point,
                 const std::string& text,
                 const std::string& mark);

// Whether a held gizmo moves in this frame: the mouse moved, or Ctrl went down or up.
bool is_pulled(const Gizmo& gizmo, bool has_moved);

class NodeHandles {
public:
    NodeHandles(Session& session, const Selection& selection, const PictureSight& sight, Ui& ui)
        : session_(session), selection_(selection), sight_(sight), ui_(ui) {}

    // Draws the handles and the brackets round the selection into the current window's list, and
    // reacts to the mouse. True while the mouse is over a handle or holds one; the viewport must
    // then ignore the mouse. Call before the viewport uses the mouse.
    bool use(bool is_over_picture);

    // The boxes of what is selected.
    [[nodiscard]] std::vector<BoxCorners> selected_boxes();

    Gizmo gizmo;  // its tool is what the person chose, also for lights
    SelectionBoxes boxes;

private:
    [[nodiscard]] const HandledSet* find_set();
    void pull(const ScreenPoint& mouse);

    Session& session_;
    const Selection& selection_;
    const PictureSight& sight_;
    Ui& ui_;
    HandledSets sets_;
    HandledSet node_;         // a single node
    HandledSet held_;         // as it was when the gizmo was grabbed
    bool has_moved_ = false;  // an edit was made since the grab
};

}  // namespace weft::app
