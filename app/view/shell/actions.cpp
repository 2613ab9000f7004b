#include "app/view/shell/actions.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "app/view/script/input_script.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/shell/view_files.h"

namespace weft::app {

namespace {

bool is_modifier(int key) {
    return key == GLFW_KEY_LEFT_CONTROL || key == GLFW_KEY_LEFT_SHIFT || key == GLFW_KEY_LEFT_ALT;
}

bool is_pressed(const std::string& name) {
    const ImGuiIO& io = ImGui::GetIO();
    const std::vector<int> keys = keys_named(name);
    if (keys.empty()) {
        return false;
    }
    const auto wants = [&](int key) {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    return !is_modifier(keys.back()) && io.KeyCtrl == wants(GLFW_KEY_LEFT_CONTROL) &&
           io.KeyShift == wants(GLFW_KEY_LEFT_SHIFT) && io.KeyAlt == wants(GLFW_KEY_LEFT_ALT) &&
           ImGui::IsKeyPressed(keys.back(), false);
}

// Whether Alt was pressed and released and nothing else happened meanwhile.
bool is_alt_tapped(KeyboardState& keyboard) {
    const ImGuiIO& io = ImGui::GetIO();
    const bool is_down = io.KeysDown[GLFW_KEY_LEFT_ALT];
    bool is_alone = !io.KeyCtrl && !io.KeyShift && !io.KeySuper && io.MouseWheel == 0 &&
                    !ImGui::IsAnyMouseDown();
    for (int key = 0; key < IM_ARRAYSIZE(io.KeysDown) && is_alone; ++key) {
        is_alone = !io.KeysDown[key] || key == GLFW_KEY_LEFT_ALT;
    }
    const bool is_tapped = keyboard.is_alt_alone && !is_down && is_alone;
    const bool is_pressed_now = ImGui::IsKeyPressed(GLFW_KEY_LEFT_ALT, false);
    keyboard.is_alt_alone = is_down && is_alone && (keyboard.is_alt_alone || is_pressed_now);
    return is_tapped;
}

// Closes the popup (menu, list or colour picker) that the mouse opened, and those opened from it;
// false: there is none. ImGui does this only while it takes keys itself.
bool close_popups() {
    const bool is_any_open = ImGui::GetCurrentContext()->OpenPopupStack.Size > 0;
    if (is_any_open) {
        ImGui::ClosePopupToLevel(0, true);
    }
    return is_any_open;
}

// Runs the action. Without a scene, the status line says so for all that need one; any other action
// that is not possible says why itself.
void run_by_key(const Action& action, const Session& session, Ui& ui) {
    if (action.needs == ActionNeeds::Scene && !session.document.is_open()) {
        ui.say_while("No scene is open", [&session] { return !session.document.is_open(); });
    } else {
        action.run();
    }
}

}  // namespace

bool is_possible(const Action& action, const Session& session) {
    switch (action.needs) {
        case ActionNeeds::Nothing:
            return true;
        case ActionNeeds::Scene:
            return session.document.is_open();
        case ActionNeeds::StepDone:
            return session.document.can_undo();
        case ActionNeeds::StepUndone:
            return session.document.can_redo();
    }
    return true;
}

void use_keys(std::span<const Action> actions, const Session& session, Ui& ui) {
    const ImGuiIO& io = ImGui::GetIO();
    KeyboardState& keyboard = ui.keyboard;
    const bool is_tapped = is_alt_tapped(keyboard);
    keyboard.is_leaving_menus = is_tapped && keyboard.is_in_menus;
    // While the right button is down, letter keys fly.
    if (io.WantTextInput || ImGui::IsMouseDown(ImGuiMouseButton_Right) || is_asking(session, ui) ||
        keyboard.is_in_menus) {
        return;
    }
    if (is_tapped) {
        enter_menus(keyboard);
        return;
    }
    if (is_pressed("escape") && close_popups()) {
        return;
    }
    for (const Action& action : actions) {
        const bool scrolls_sheet =
            ui.is_help_open && std::string_view(action.label) == kFrameAllLabel;
        if (!scrolls_sheet && is_pressed(action.keys)) {
            run_by_key(action, session, ui);
            return;
        }
    }
}

void enter_menus(KeyboardState& keyboard) {
    keyboard.is_in_menus = true;
    keyboard.wanted_menu = 0;
}

std::string readable_keys(const std::string& keys) {
    std::string text = keys;
    bool is_first = true;
    for (char& letter : text) {
        if (is_first) {
            letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
        }
        is_first = letter == '+';
    }
    return text;
}

}  // namespace weft::app
