// actions.h — an entry of the table of actions: the menu bar, the keyboard and the help sheet come
// from it.
//
// action_lists.h has the actions themselves. Interface thread only.
#pragma once

#include <functional>
#include <span>
#include <string>

namespace weft::app {

struct KeyboardState;
struct Session;
struct Ui;

// When an action is possible; the menu greys it out otherwise.
enum class ActionNeeds { Nothing, Scene, StepDone, StepUndone };

struct Action {
    const char* menu;   // "File"
    const char* label;  // "Open..."; a script clicks on "File/Open..."
    const char* keys;   // "ctrl+O"; empty: none
    const char* help;   // for the help sheet
    std::function<void()> run;
    std::function<bool()> is_on = nullptr;  // for actions that toggle
    bool has_line_before = false;           // a separator in the menu
    ActionNeeds needs = ActionNeeds::Scene;
};

// The menu lists recent scenes below this one.
inline constexpr const char* kOpenSceneLabel = "Open scene ...";
// The key of this one scrolls the help sheet while that is open.
inline constexpr const char* kFrameAllLabel = "Frame all";

bool is_possible(const Action& action, const Session& session);

// Runs the actions of the keys pressed in this frame, unless text is being typed.
void use_keys(std::span<const Action> actions, const Session& session, Ui& ui);

// Opens the menus for the keyboard.
void enter_menus(KeyboardState& keyboard);

// The keys in readable form: "Ctrl+Shift+Z".
std::string readable_keys(const std::string& keys);

}  // namespace weft::app
