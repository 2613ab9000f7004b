// panels.h — the panels that there are, and where each stands.
//
// A panel draws itself from the view state and changes the scene through it alone. To add one:
// declare its function here and put a row into panels.cpp. Interface thread only.
#pragma once

#include <span>

#include "app/view/view_state.h"

namespace weft::app {

enum class PanelSide { Left, Right, Bottom };

struct Panel {
    const char* name;  // on its tab; a script clicks on "Panel/NAME"
    PanelSide side;
    void (*draw)(ViewState& state);
};

std::span<const Panel> panels();

}  // namespace weft::app
