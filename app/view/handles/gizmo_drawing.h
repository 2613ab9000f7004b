// gizmo_drawing.h — draws the gizmo of the selected node and turns drags of its handles into edits.
//
// One drag is one step of undo. Interface thread only.
#pragma once

#include <optional>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws a text on a plate that is legible over any picture: beside a point of the window, or below
// it if the picture ends first.
void tell_beside(ViewState& state,
                 const ScreenPoint& point,
                 const std::string& text,
                 const std::string& mark);

// Whether a held gizmo moves in this frame: the mouse moved, or Ctrl went down or up.
bool is_pulled(const Gizmo& gizmo, bool has_moved);

// Draws the handles and the brackets round the selection into the current window's list, and reacts
// to the mouse. True while the mouse is over a handle or holds one; the viewport must then ignore
// the mouse. Call before the viewport uses the mouse.
bool use_gizmo(ViewState& state, bool is_over_picture);

}  // namespace weft::app
