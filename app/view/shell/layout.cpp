#include "app/view/shell/layout.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

#include <imgui.h>

#include "app/view/session/send_edit.h"
#include "app/view/shell/menu_bar.h"
#include "app/view/shell/panel_tabs.h"
#include "app/view/shell/picture_pane.h"
#include "app/view/shell/render_progress.h"
#include "app/view/shell/view_files.h"
#include "app/view/shell/view_state.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr ImGuiWindowFlags kFixed =
    ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus;
constexpr float kBorder = 5;  // between panels and picture; the mouse drags it

struct Place {
    ImVec2 at;
    ImVec2 size;
};

void draw_side(PanelTabs& tabs, Ui& ui, const char* name, PanelSide side, const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::Begin(name, nullptr, kFixed);
    tabs.draw(ui, side);
    ImGui::End();
}

// Draws a border that the mouse drags to change a size; `sign`: the direction that enlarges it.
void draw_border(const char* name, const Place& place, bool is_upright, float sign, float& size) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_MenuBarBg));
    ImGui::Begin(name, nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
    ImGui::InvisibleButton("border", place.size);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(is_upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    }
    if (ImGui::IsItemActive()) {
        const ImVec2 moved = ImGui::GetIO().MouseDelta;
        const float pulled = sign * (is_upright ? moved.x : moved.y) / interface_scale();
        size = std::clamp(size + pulled, 120.0F, 900.0F);
    }
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
}

// The text of the status line: an error, the current work, or the last result.
std::string status_text(const Session& session, const RenderLink& link, const Ui& ui) {
    if (link.status.state == live::LiveState::Failed) {
        return link.status.error;
    }
    const PictureReader& reader = session.picture_reader;
    return reader.is_busy()
               ? fmt::format("Reading {}, {:.1f} s", reader.wish().file, reader.elapsed_s())
               : ui.message.text;
}

void draw_status(Ui& ui,
                 const Session& session,
                 const RenderLink& link,
                 const Selection& selection,
                 const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 4));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_MenuBarBg));
    ImGui::Begin("status", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
    const live::LiveStatus& status = link.status;
    const ProgressLine progress = progress_line(link, place.size.x * 0.6F);
    const float right = ImGui::GetWindowContentRegionMax().x - progress.width;
    const bool has_failed = status.state == live::LiveState::Failed;
    const bool is_error = ui.message.is_error && !session.picture_reader.is_busy();
    const std::string text = status_text(session, link, ui);
    ImGui::PushClipRect(place.at, {place.at.x + right - 16, place.at.y + place.size.y}, true);
    ImGui::TextColored(has_failed || is_error ? kWarning : kFaint, "%s", text.c_str());
    ImGui::PopClipRect();
    ui.marks.mark(is_error ? "Status/error" : "Status/message");
    ui.marks.mark("Status/" + text);
    if (session.picture_reader.is_busy()) {
        ui.marks.mark("Reading/" + session.picture_reader.wish().file);
    }
    if (ImGui::IsItemHovered() && !text.empty()) {
        ImGui::SetTooltip("%s", text.c_str());
    }
    ImGui::SameLine(right);
    draw_progress(ui, progress);
    ui.marks.mark("Selected/" + selection.path);
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

// Draws the progress over the picture while a scene loads.
void draw_loading(Session& session, Ui& ui, const Place& place) {
    if (!session.loader.is_loading() && !session.loader.is_ending()) {
        return;
    }
    ImGui::SetNextWindowPos({place.at.x + place.size.x / 2, place.at.y + place.size.y / 2},
                            ImGuiCond_Always,
                            {0.5F, 0.5F});
    const float window = ImGui::GetIO().DisplaySize.x;
    ImGui::SetNextWindowSize({std::min(380 * ImGui::GetFontSize() / 14, window * 0.96F), 0});
    ImGui::Begin("loading",
                 nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
    if (!session.loader.is_loading()) {
        ImGui::TextUnformatted("Ending what was cancelled");
        ui.marks.mark("Loading/Ending");
        ImGui::End();
        return;
    }
    ImGui::TextUnformatted(fmt::format("Opening {}", session.loader.source()).c_str());
    ImGui::TextColored(
        kFaint,
        "%s",
        fmt::format("{}, {:.1f} s", session.loader.stage(), session.loader.elapsed_s()).c_str());
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - 70 * ImGui::GetFontSize() / 14);
    if (ImGui::Button("Cancel", {70 * ImGui::GetFontSize() / 14, 0})) {
        ui.say("Opening " + session.loader.source() + " was cancelled");
        session.loader.cancel();
    }
    ui.marks.mark("Loading/Cancel");
    ImGui::End();
}

void draw_picture_window(ViewState& state, const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::Begin("viewport",
                 nullptr,
                 kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                     ImGuiWindowFlags_NoBackground);  // the window is cleared to its colour already
    draw_picture_pane(state);
    ImGui::End();
    ImGui::PopStyleVar(2);
}

}  // namespace

void draw_layout(ViewState& state, std::span<const Action> actions, PanelTabs& tabs) {
    ViewSettings& sizes = state.session.remembered;
    const float top = draw_menu_bar(actions, state.session, state.link, state.ui);
    // Measure the window, and find the panels that are open.
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float status = ImGui::GetFontSize() + 11;
    const float scale = interface_scale();
    const float border = kBorder * scale;
    const bool has_left = sizes.has_left && tabs.has(PanelSide::Left);
    const bool has_right = sizes.has_right && tabs.has(PanelSide::Right);
    const bool has_bottom = sizes.has_bottom && tabs.has(PanelSide::Bottom);
    // Panels leave the picture at least a third of the window.
    const float most = window.x / 3;
    const float left = has_left ? std::min(sizes.left_width * scale, most) : 0;
    const float right = has_right ? std::min(sizes.right_width * scale, most) : 0;
    const float below = has_bottom ? std::min(sizes.bottom_height * scale, window.y / 2) : 0;
    // Place the picture between them.
    const float x0 = has_left ? left + border : 0;
    const float x1 = window.x - (has_right ? right + border : 0);
    const float y1 = window.y - status - (has_bottom ? below + border : 0);
    const float inner = window.y - status - top;
    // Draw the panels and the borders that change their sizes.
    if (has_left) {
        draw_side(tabs, state.ui, "left", PanelSide::Left, {{0, top}, {left, inner}});
        draw_border("left border", {{left, top}, {border, inner}}, true, 1, sizes.left_width);
    }
    if (has_right) {
        draw_side(
            tabs, state.ui, "right", PanelSide::Right, {{window.x - right, top}, {right, inner}});
        draw_border("right border", {{x1, top}, {border, inner}}, true, -1, sizes.right_width);
    }
    if (has_bottom) {
        draw_side(
            tabs, state.ui, "bottom", PanelSide::Bottom, {{x0, y1 + border}, {x1 - x0, below}});
        draw_border("bottom border", {{x0, y1}, {x1 - x0, border}}, false, -1, sizes.bottom_height);
    }
    // Draw the picture and the status line.
    const Place middle = {{x0, top}, {x1 - x0, y1 - top}};
    draw_picture_window(state, middle);
    state.ui.end_message();
    draw_status(state.ui,
                state.session,
                state.link,
                state.selection,
                {{0, window.y - status}, {window.x, status}});
    // Draw what lies over the picture.
    const PicturePlace pane = {middle.at.x, middle.at.y, middle.size.x, middle.size.y};
    state.missing.draw(state.session, state.ui, pane);
    draw_loading(state.session, state.ui, middle);
    state.welcome.draw(state.session, state.link, state.ui, pane);
    // Draw choosers, questions and help.
    state.picture_rows.draw_chooser();
    state.dropped.draw_menu();
    take_chosen(state.session, state.link, state.ui);
    draw_questions(state.session, state.ui);
    draw_help_sheet(actions, state.ui);
    end_drags(state.session);
}

}  // namespace weft::app
