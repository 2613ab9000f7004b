// menu_bar.h — the menu bar and the help sheet, both made from the table of actions.
//
// Interface thread only.
#pragma once

#include "app/view/session/view_state.h"

namespace weft::app {

// Draws the menu bar; returns its height.
float draw_menu_bar(ViewState& state);

// Draws the help sheet if it is open.
void draw_help_sheet(ViewState& state);

}  // namespace weft::app
