// menu_bar.h — the menu bar and the help sheet, both made from the table of actions.
//
// Interface thread only.
#pragma once

#include <span>

#include "app/view/shell/actions.h"

namespace weft::app {

struct RenderLink;

// Draws the menu bar; returns its height.
float draw_menu_bar(std::span<const Action> actions,
                    Session& session,
                    const RenderLink& link,
                    Ui& ui);

// Draws the help sheet if it is open.
void draw_help_sheet(std::span<const Action> actions, Ui& ui);

}  // namespace weft::app
