// panel_table.h — the table of panels: the name and the side of the window of each.
//
// To add a panel: write it in panels/, and put a row here. Interface thread only.
#pragma once

#include <vector>

#include "app/view/shell/panel_tabs.h"

namespace weft::app {

struct ViewState;

// The panels draw parts of `state`, which must outlive them.
std::vector<Panel> panel_table(ViewState& state);

}  // namespace weft::app
