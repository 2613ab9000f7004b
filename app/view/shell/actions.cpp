#include "app/view/shell/actions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "app/view/handles/gizmo_drawing.h"
#include "app/view/models/object_name.h"
#include "app/view/models/view_camera.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/script/input_script.h"
#include "app/view/session/choose_files.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/step_words.h"
#include "app/view/session/view_scene.h"
#include "app/view/shell/view_files.h"
#include "app/view/viewport/compare_overlay.h"
#include "app/view/viewport/heat_overlay.h"
#include "app/view/viewport/pivot.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

void change_exposure(Session& session, Ui& ui, float stops) {
    if (session.document.is_open()) {
        send_edit(session,
                  ui,
                  "view/exposure",
                  std::to_string(session.document.context().exposure_stops + stops));
    }
}

// The pivot for a look along an axis: the surface ahead; for consecutive looks, the same point.
Vec3 pivot_to_look_at(Session& session, RenderLink& link, CameraMotion& motion) {
    const bool goes_on = motion.looked_gesture == motion.gesture;
    const bool is_prepared = link.status.prepared_job == link.job;
    return goes_on || !is_prepared ? point_ahead(session.camera(), motion.pivot_m)
                                   : take_pivot_ahead(session, link, motion);
}

template <u32 kAxis>
void look_from(ViewState& state) {
    const Vec3 at = pivot_to_look_at(state.session, state.link, state.motion);
    scene::Camera camera = state.session.camera();
    look_along(camera, kAxis, false, at, state.motion.pivot_m);
    set_camera(state.session, state.link, state.motion, camera);
    state.motion.looked_gesture = state.motion.gesture;
}

void toggle_orthographic(ViewState& state) {
    pivot_to_look_at(state.session, state.link, state.motion);
    scene::Camera camera = state.session.camera();
    set_orthographic(camera, !camera.is_orthographic, state.motion.pivot_m, state.link.aspect());
    replace_camera(state.session, state.ui, state.motion, camera);
}

void toggle_region(ViewState& state) {
    state.motion.tool = state.motion.tool == Tool::Region ? Tool::Orbit : Tool::Region;
    if (state.motion.tool == Tool::Region) {
        state.ui.say_while("Drag a rectangle: only that part will be rendered; Esc cancels",
                           [&state] { return state.motion.tool == Tool::Region; });
    }
}

void toggle_focus(ViewState& state) {
    if (state.motion.tool == Tool::Focus) {
        state.motion.tool = Tool::Orbit;
    } else {
        begin_focus(state.ui, state.motion);
    }
}

void leave_modes(ViewState& state) {
    if (state.ui.is_help_open) {
        state.ui.is_help_open = false;
    } else if (is_compared_large(state.panels.compare)) {
        state.panels.compare.look = CompareLook::Small;
    } else if (state.motion.tool != Tool::Orbit) {
        state.motion.tool = Tool::Orbit;
    } else if (state.link.settings.crop) {
        state.link.settings.crop.reset();
        state.link.effect |= scene::kEffectCamera;
        state.ui.say_while("The whole picture is rendered again",
                           [&state] { return !state.link.settings.crop; });
    } else {
        state.selection = {};
    }
}

// Chooses the next text size above or below the present one; the settings keep it.
template <int kWay>
void change_interface(ViewState& state) {
    constexpr std::array<float, 10> kScales = {
        0.75F, 0.9F, 1.0F, 1.1F, 1.25F, 1.5F, 1.75F, 2.0F, 2.5F, 3.0F};
    const float now = interface_scale();
    float wanted = now;
    for (const float scale : kScales) {
        const bool is_beyond = kWay > 0 ? scale > now * 1.01F : scale < now * 0.99F;
        if (is_beyond && (kWay < 0 || wanted == now)) {
            wanted = scale;
        }
    }
    state.ui.interface_scale = wanted;
    state.session.remembered.interface_scale = wanted;
}

void follow_monitor(ViewState& state) {
    state.ui.interface_scale = 0;
    state.session.remembered.interface_scale = 0;
}

void show_pixels(ViewState& state) {
    const frame::RenderSettings& settings = state.link.settings;
    const float scale = 1 / ImGui::GetIO().DisplayFramebufferScale.x;
    state.sight.zoom.set_scale(state.sight.pane, settings.width, settings.height, scale);
}

void toggle_panels(ViewState& state) {
    const bool has_any = state.session.remembered.has_left || state.session.remembered.has_right;
    state.session.remembered.has_left = !has_any;
    state.session.remembered.has_right = !has_any;
}

void enter_fields(ViewState& state) {
    state.session.remembered.has_right = true;
    state.ui.keyboard.is_field_wanted = true;
    state.ui.keyboard.await_text();
}

void enter_menus(ViewState& state) {
    state.ui.keyboard.is_in_menus = true;
    state.ui.keyboard.wanted_menu = 0;
}

void set_pause(ViewState& state) {
    state.link.is_paused = !state.link.is_paused;
    // A comparison keeps the picture paused.
    state.link.live->set_paused(state.link.is_paused || state.panels.compare.run.is_running());
}

void undo(ViewState& state) {
    state.session.dragged.clear();
    if (state.session.document.undo()) {
        const Document::Step& step = state.session.document.undone().back();
        select_added(state.session, state.selection, step.inverses);
        say_of_edits(
            state.ui, state.session, "Undone: " + step_words(state.session.document, step));
    } else {
        state.ui.say_while("There is nothing to undo",
                           [&state] { return !state.session.document.can_undo(); });
    }
}

void redo(ViewState& state) {
    state.session.dragged.clear();
    if (state.session.document.redo()) {
        const Document::Step& step = state.session.document.done().back();
        select_added(state.session, state.selection, step.edits);
        say_of_edits(
            state.ui, state.session, "Redone: " + step_words(state.session.document, step));
    } else {
        state.ui.say_while("There is nothing to redo",
                           [&state] { return !state.session.document.can_redo(); });
    }
}

void hide_selected(ViewState& state) {
    const auto node = selected_node(state.session, state.selection);
    const bool is_lamp = family_of(state.selection.path) == "lights";
    if (node || is_lamp) {
        send_edit(state.session,
                  state.ui,
                  (node ? node->path : state.selection.path) + "/visible",
                  "false");
    }
}

void solo_selected(ViewState& state) {
    if (const auto node = selected_node(state.session, state.selection)) {
        solo_node(state.session,
                  state.ui,
                  state.panels.outliner,
                  state.session.document.scene().instances[node->instance].node);
    }
}

template <GizmoTool kTool>
void use_tool(ViewState& state) {
    GizmoTool& tool = state.panels.gizmo.gizmo.tool;
    tool = tool == kTool ? GizmoTool::None : kTool;
}

template <GizmoTool kTool>
bool has_tool(const ViewState& state) {
    return state.panels.gizmo.gizmo.tool == kTool;
}

// clang-format off
constexpr std::array kActions = {
    Action{"File", "Open scene ...", "ctrl+O", "glTF, OBJ, PLY, ...", choose_scene,
           nullptr, false, needs_nothing},
    Action{"File", "Open environment ...", "ctrl+E", "lights the scene with a map",
           choose_environment},
    Action{"File", "Save picture as ...", "ctrl+P", ".exr .png .hdr .jpg .tif, when every pixel "
           "has as many samples", choose_picture, nullptr, true},
    Action{"File", "Copy render command", "ctrl+shift+C",
           "the `weft render` line that makes this picture, onto the clipboard", copy_command},
    Action{"File", "Save edits", "ctrl+S", "beside the scene; of examples in your data folder",
           save_edits, nullptr, true},
    Action{"File", "Save edits as ...", "ctrl+shift+S", "in a file of another name",
           choose_edits_name},
    Action{"File", "Read edits ...", "", "makes the changes of a file", choose_edits},
    Action{"File", "Quit", "ctrl+Q", "leaves, and asks where edits are not saved", leave, nullptr,
           true, needs_nothing},
    Action{"Edit", "Undo", "ctrl+Z", "reverts the last change", undo, nullptr, false,
           needs_undo},
    Action{"Edit", "Redo", "ctrl+shift+Z", "repeats what was undone", redo, nullptr, false,
           needs_redo},
    Action{"Edit", "Move", "G", "handles that move the selection", use_tool<GizmoTool::Move>,
           has_tool<GizmoTool::Move>, true},
    Action{"Edit", "Rotate", "T", "handles that rotate the selection", use_tool<GizmoTool::Turn>,
           has_tool<GizmoTool::Turn>},
    Action{"Edit", "Scale", "S", "handles that scale the selection",
           use_tool<GizmoTool::Scale>, has_tool<GizmoTool::Scale>},
    Action{"Edit", "Duplicate", "ctrl+D", "adds a copy of the selection in the same place",
           duplicate_selected, nullptr, true},
    Action{"Edit", "Delete", "delete", "removes the selected object or lamp", delete_selected},
    Action{"Edit", "Hide", "H", "hides the selected object, switches the selected lamp off",
           hide_selected, nullptr, true},
    Action{"Edit", "Solo", "shift+H", "draws the selection alone", solo_selected},
    Action{"Edit", "Show all", "alt+H", "draws all objects, switches all lamps on",
           show_all_nodes},
    Action{"Camera", "Frame selection", "F", "moves back until the selection fits",
           frame_selection},
    Action{"Camera", "Frame all", "home", "moves back until the scene fits", frame_scene},
    Action{"Camera", "Camera of the file", "C", "the next camera of the scene file",
           next_camera},
    Action{"Camera", "Keep this view", "ctrl+B", "as a bookmark of the scene", add_bookmark},
    Action{"Camera", "Next kept view", "V", "goes to the bookmark after this one", next_bookmark},
    Action{"Camera", "From the front", "1", "looks along −Z", look_from<2>, nullptr, true},
    Action{"Camera", "From the right", "3", "looks along −X", look_from<0>},
    Action{"Camera", "From above", "7", "looks down", look_from<1>},
    Action{"Camera", "Orthographic", "5", "without perspective", toggle_orthographic,
           [](const ViewState& s) { return s.session.camera().is_orthographic; }},
    Action{"Camera", "Focus on ...", "alt+F", "the next click sets what is in focus",
           toggle_focus, [](const ViewState& s) { return s.motion.tool == Tool::Focus; }, true},
    Action{"Render", "Region ...", "R", "drag a rectangle: only that part is rendered",
           toggle_region, [](const ViewState& s) { return s.motion.tool == Tool::Region; }},
    Action{"Render", "Whole picture", "escape", "ends a tool, a region, a selection",
           leave_modes, nullptr, false, needs_nothing},
    Action{"Render", "Pause", "P", "no more samples until P is pressed again", set_pause,
           [](const ViewState& s) { return s.link.is_paused; }},
    Action{"View", "Brighter", "]", "a third of a stop more",
           [](ViewState& s) { change_exposure(s.session, s.ui, 1.0F / 3); }},
    Action{"View", "Darker", "[", "a third of a stop less",
           [](ViewState& s) { change_exposure(s.session, s.ui, -1.0F / 3); }},
    Action{"View", "Fit the picture", "0", "shows all of it, as large as there is room",
           [](ViewState& s) { s.sight.zoom.fit(); },
           [](const ViewState& s) { return s.sight.zoom.is_fit(); },
           true},
    Action{"View", "Pixel by pixel", "shift+0",
           "one pixel of the picture for each of the screen; Ctrl and the wheel zoom on",
           show_pixels},
    Action{"View", "Snapshot A", "A", "keeps the picture to compare with",
           [](ViewState& s) { s.sight.is_snapshot_wanted = true; }, nullptr, true},
    Action{"View", "Wipe A | B", "W", "shows the snapshot left of a line that you drag",
           [](ViewState& s) { s.sight.is_wipe_on = !s.sight.is_wipe_on; },
           [](const ViewState& s) { return s.sight.is_wipe_on; }},
    Action{"View", "Hold the pixel", "I", "the panel Pixel stays with the one under the mouse",
           [](ViewState& s) { s.panels.inspector.is_held = !s.panels.inspector.is_held; },
           [](const ViewState& s) { return s.panels.inspector.is_held; }},
    Action{"View", "Panels", "N", "shows or hides all panels", toggle_panels,
           [](const ViewState& s) { 
               return s.session.remembered.has_left || s.session.remembered.has_right;
           },
           true, needs_nothing},
    Action{"View", "Larger interface", "ctrl+=", "text, panels and handles", change_interface<1>,
           nullptr, false, needs_nothing},
    Action{"View", "Smaller interface", "ctrl+-", "text, panels and handles",
           change_interface<-1>, nullptr, false, needs_nothing},
    Action{"View", "Interface as the monitor", "ctrl+0", "the scale that the desktop has set",
           follow_monitor, [](const ViewState& s) { return s.ui.interface_scale == 0; }, false,
           needs_nothing},
    Action{"View", "Number fields", "tab",
           "into the panel on the right: Tab and Shift+Tab go on, Enter ends", enter_fields},
    Action{"View", "Menus", "F10", "opens the menus: arrows and Enter choose, Escape leaves",
           enter_menus, nullptr, false, needs_nothing},
    Action{"View", "Scheduler", "B", "figures and timeline below the picture",
           [](ViewState& s) {
               s.session.remembered.has_bottom = !s.session.remembered.has_bottom;
           },
           [](const ViewState& s) { return s.session.remembered.has_bottom; }, false, needs_nothing},
    Action{"View", "Heat", "K", "what each object costs, over the picture",
           [](ViewState& s) { count_heat(s.link, s.panels.heat, !s.panels.heat.is_on); },
           [](const ViewState& s) { return s.panels.heat.is_on; }},
    Action{"View", "Modes side by side", "M",
           "what is compared over the picture: side by side, parted by two lines, not at all",
           next_compare_look,
           [](const ViewState& s) { return is_compared_large(s.panels.compare); }},
    Action{"Help", "Keys and mouse", "F1", "this sheet",
           [](ViewState& s) { s.ui.is_help_open = !s.ui.is_help_open; },
           [](const ViewState& s) { return s.ui.is_help_open; }, false, needs_nothing},
};

// clang-format on

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
void run_by_key(ViewState& state, const Action& action) {
    if (action.is_possible == needs_scene && !needs_scene(state)) {
        state.ui.say_while("No scene is open", [&state] { return !needs_scene(state); });
    } else {
        action.run(state);
    }
}

}  // namespace

bool needs_nothing(const ViewState& /*state*/) {
    return true;
}

bool needs_scene(const ViewState& state) {
    return state.session.document.is_open();
}

bool needs_undo(const ViewState& state) {
    return state.session.document.can_undo();
}

bool needs_redo(const ViewState& state) {
    return state.session.document.can_redo();
}

std::span<const Action> actions() {
    return kActions;
}

void use_keys(ViewState& state) {
    const ImGuiIO& io = ImGui::GetIO();
    KeyboardState& keyboard = state.ui.keyboard;
    const bool is_tapped = is_alt_tapped(keyboard);
    keyboard.is_leaving_menus = is_tapped && keyboard.is_in_menus;
    // While the right button is down, letter keys fly.
    if (io.WantTextInput || ImGui::IsMouseDown(ImGuiMouseButton_Right) ||
        is_asking(state.session, state.ui) || keyboard.is_in_menus) {
        return;
    }
    if (is_tapped) {
        enter_menus(state);
        return;
    }
    if (is_pressed("escape") && close_popups()) {
        return;
    }
    for (const Action& action : kActions) {
        const bool scrolls_sheet =
            state.ui.is_help_open && action.run == frame_scene;  // its key scrolls the sheet
        if (!scrolls_sheet && is_pressed(action.keys)) {
            run_by_key(state, action);
            return;
        }
    }
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
