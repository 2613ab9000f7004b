// actions.h — all actions with a menu entry and a key, in one table: the menu bar, the keyboard and
// the help sheet come from it.
//
// Interface thread only.
#pragma once

#include <span>
#include <string>

#include "app/view/session/view_state.h"

namespace weft::app {

// Tests whether an action is possible.
bool needs_nothing(const ViewState& state);
bool needs_scene(const ViewState& state);
bool needs_undo(const ViewState& state);
bool needs_redo(const ViewState& state);

struct Action {
    const char* menu;   // "File"
    const char* label;  // "Open..."; a script clicks on "File/Open..."
    const char* keys;   // "ctrl+O"; empty: none
    const char* help;   // for the help sheet
    void (*run)(ViewState&);
    bool (*is_on)(const ViewState&) = nullptr;  // for actions that toggle
    bool has_line_before = false;               // a separator in the menu
    // Whether it is possible now; the menu greys it out if not.
    bool (*is_possible)(const ViewState&) = needs_scene;
};

std::span<const Action> actions();

// Runs the actions of the keys pressed in this frame, unless text is being typed.
void use_keys(ViewState& state);

// The keys in readable form: "Ctrl+Shift+Z".
std::string readable_keys(const std::string& keys);

}  // namespace weft::app
