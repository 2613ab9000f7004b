// layout.h — the menu bar, the panels beside and below the picture, and the status line.
//
// This version of ImGui has no docking: panels have fixed places, and the person drags their
// borders; the settings keep the sizes. Interface thread only.
#pragma once

#include <span>

#include "app/view/shell/actions.h"

namespace weft::app {

class PanelTabs;
struct ViewState;

// Draws the whole window. Call once per frame.
void draw_layout(ViewState& state, std::span<const Action> actions, PanelTabs& tabs);

}  // namespace weft::app
