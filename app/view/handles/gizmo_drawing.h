// gizmo_drawing.h — the gizmo of the selected node over the picture: drawn, pulled, made edits.
//
// A pull is one step of undo, however long. Interface thread only.
#pragma once

#include <optional>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// A text on a plate that is seen over any picture: beside a point of the window, or below it where
// the picture ends before.
void tell_beside(ViewState& state,
                 const ScreenPoint& point,
                 const std::string& text,
                 const std::string& mark);

// Whether a held gizmo is pulled in this frame: the mouse moved, or Ctrl went down or up.
bool is_pulled(const Gizmo& gizmo, bool has_moved);

// Draws the handles, and brackets round what is selected, into the current window's list and reacts
// to the mouse. True while the mouse is the gizmo's: over a handle or holding one; the viewport
// then leaves it alone. Call before the viewport uses the mouse.
bool use_gizmo(ViewState& state, bool is_over_picture);

}  // namespace weft::app
