#include "app/view/shell/menu_bar.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include <GLFW/glfw3.h>
#include <imgui.h>

#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_scene.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr std::array kMenus = {"File", "Edit", "Camera", "Render", "View", "Help"};

struct Gesture {
    const char* hands;
    const char* what;
};

constexpr std::array kGestures = {
    Gesture{"Drag", "orbits about what is under the mouse"},
    Gesture{"Click", "selects what is there"},
    Gesture{"Shift + drag, middle drag", "moves sideways"},
    Gesture{"Wheel", "moves towards what is under the mouse, or away from it"},
    Gesture{"Ctrl + wheel, middle drag", "enlarges and moves the picture as it is"},
    Gesture{"Right drag", "looks around; with W A S D Q E: flies, Shift faster"},
    Gesture{"Space + drag", "this part is refined first, the rest goes on; a click ends it"},
    Gesture{"Ctrl + click", "brings what is there into focus"},
    Gesture{"Ctrl while a handle is pulled", "goes in whole steps"},
    Gesture{"Drag over compared modes", "moves a line, or the strips of all three"},
    Gesture{"Alt alone", "opens the menus as F10 does, and closes them"},
    Gesture{"Drop a file",
            "opens a scene; .json: makes its edits; a picture: goes on the object there, or on the "
            "background as the environment"},
};

void draw_recent(Session& session, const RenderLink& link, Ui& ui) {
    const bool is_open = ImGui::BeginMenu("Open recent", !session.remembered.recent.empty());
    ui.keyboard.is_beside_submenu = is_open || ImGui::IsItemFocused();
    if (!is_open) {
        ui.marks.mark("File/Open recent");
        return;
    }
    ui.marks.mark("File/Open recent");
    std::string wanted;
    for (const std::string& scene : session.remembered.recent) {
        if (ImGui::MenuItem(scene.c_str())) {
            wanted = scene;
        }
        ui.marks.mark("File/Open recent/" + scene);
    }
    ImGui::EndMenu();
    if (!wanted.empty()) {
        open_scene(session, link, {wanted});
    }
}

void draw_items(std::span<const Action> actions,
                Session& session,
                const RenderLink& link,
                Ui& ui,
                const std::string& menu) {
    for (const Action& action : actions) {
        if (action.menu != menu) {
            continue;
        }
        if (action.has_line_before) {
            ImGui::Separator();
        }
        const std::string keys = readable_keys(action.keys);
        const bool is_on = action.is_on != nullptr && action.is_on();
        const bool is_now = is_possible(action, session);
        if (ImGui::MenuItem(action.label, keys.c_str(), is_on, is_now)) {
            action.run();
        }
        ui.marks.mark(fmt::format("{}/{}{}", menu, action.label, is_now ? "" : " (not now)"));
        if (std::string_view(action.label) == kOpenSceneLabel) {
            draw_recent(session, link, ui);
        }
    }
}

// Navigates menus by keys. Turns on ImGui's keyboard navigation only while a menu is open;
// otherwise keys go to the picture.
void go_through_menus(KeyboardState& keyboard, const std::optional<u32>& open) {
    ImGuiIO& io = ImGui::GetIO();
    keyboard.is_in_menus = keyboard.is_in_menus && open.has_value();
    // In menus Enter does what Space does in ImGui.
    io.KeyMap[ImGuiKey_Space] = keyboard.is_in_menus ? GLFW_KEY_ENTER : GLFW_KEY_SPACE;
    if (!keyboard.is_in_menus) {
        io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
        return;
    }
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    constexpr u32 kCount = kMenus.size();
    if (!keyboard.is_beside_submenu && ImGui::IsKeyPressed(GLFW_KEY_RIGHT)) {
        keyboard.wanted_menu = (*open + 1) % kCount;
    } else if (!keyboard.is_beside_submenu && ImGui::IsKeyPressed(GLFW_KEY_LEFT)) {
        keyboard.wanted_menu = (*open + kCount - 1) % kCount;
    }
}

// The help sheet may be taller than the window.
void scroll_by_keys() {
    const float page = ImGui::GetWindowHeight() * 0.8F;
    const float line = ImGui::GetTextLineHeightWithSpacing() * 2;
    const std::array steps = {std::pair{GLFW_KEY_PAGE_DOWN, page},
                              std::pair{GLFW_KEY_PAGE_UP, -page},
                              std::pair{GLFW_KEY_DOWN, line},
                              std::pair{GLFW_KEY_UP, -line},
                              std::pair{GLFW_KEY_END, ImGui::GetScrollMaxY()},
                              std::pair{GLFW_KEY_HOME, -ImGui::GetScrollMaxY()}};
    for (const auto& [key, by] : steps) {
        if (ImGui::IsKeyPressed(key)) {
            ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0F, ImGui::GetScrollMaxY()));
        }
    }
}

void draw_help_rows(std::span<const Action> actions, Ui& ui) {
    if (!ImGui::BeginTable("keys", 2)) {
        return;
    }
    const float widest = ImGui::CalcTextSize("Drag over compared modes").x;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, widest);
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    const auto row = [&ui](const std::string& keys, const std::string& what) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextColored(kAccent, "%s", keys.c_str());
        ImGui::TableNextColumn();
        ImGui::TextWrapped("%s", what.c_str());
        ui.marks.mark("Help/" + keys);
    };
    for (const Gesture& gesture : kGestures) {
        row(gesture.hands, gesture.what);
    }
    for (const Action& action : actions) {
        if (*action.keys != '\0') {
            row(readable_keys(action.keys), fmt::format("{}: {}", action.label, action.help));
        }
    }
    ImGui::EndTable();
}

}  // namespace

float draw_menu_bar(std::span<const Action> actions,
                    Session& session,
                    const RenderLink& link,
                    Ui& ui) {
    float height = 0;
    if (!ImGui::BeginMainMenuBar()) {
        return height;
    }
    KeyboardState& keyboard = ui.keyboard;
    keyboard.is_beside_submenu = false;
    std::optional<u32> open;
    for (u32 number = 0; number < kMenus.size(); ++number) {
        const char* const menu = kMenus[number];
        if (keyboard.wanted_menu == number) {
            ImGui::OpenPopup(menu);  // BeginMenu's popup has the name of the menu
        }
        const bool is_open = ImGui::BeginMenu(menu);
        ui.marks.mark(menu);
        if (is_open) {
            open = number;
            draw_items(actions, session, link, ui, menu);
            if (keyboard.is_leaving_menus) {
                ImGui::CloseCurrentPopup();
            }
            ImGui::EndMenu();
        }
    }
    height = ImGui::GetWindowSize().y;
    ImGui::EndMainMenuBar();
    keyboard.wanted_menu.reset();
    go_through_menus(keyboard, open);
    return height;
}

void draw_help_sheet(std::span<const Action> actions, Ui& ui) {
    if (!ui.is_help_open) {
        return;
    }
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float letter = ImGui::GetFontSize();
    const float width = std::min(52 * letter, window.x - letter);
    ImGui::SetNextWindowPos({window.x / 2, window.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, window.y - letter});
    ImGui::Begin("Keys and mouse",
                 &ui.is_help_open,
                 ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_AlwaysAutoResize);
    const ImVec2 at = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    ui.marks.mark("Help sheet", {at, {at.x + size.x, at.y + size.y}});
    scroll_by_keys();
    draw_help_rows(actions, ui);
    ImGui::End();
}

}  // namespace weft::app
