// actions.h — everything that has a name in the menu and a key: one table, from which the menu bar,
// the keyboard and the help sheet are made.
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
    bool (*is_on)(const ViewState&) = nullptr;  // for what is either on or off
    bool has_line_before = false;               // in the menu
    // Whether it can be done now; the menu shows it grey where it cannot.
    bool (*is_possible)(const ViewState&) = needs_scene;
};

std::span<const Action> actions();

// Runs what the keys pressed in this frame stand for; not while text is typed.
void use_keys(ViewState& state);

// The keys as people read them: "Ctrl+Shift+Z".
std::string readable_keys(const std::string& keys);

}  // namespace weft::app
