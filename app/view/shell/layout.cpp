#include "app/view/shell/layout.h"

#include <algorithm>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/send_edit.h"
#include "app/view/shell/menu_bar.h"
#include "app/view/shell/missing_pictures.h"
#include "app/view/shell/render_progress.h"
#include "app/view/shell/view_files.h"
#include "app/view/shell/welcome.h"
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

bool has_panels(PanelSide side) {
    const auto all = panels();
    return std::any_of(
        all.begin(), all.end(), [&](const Panel& panel) { return panel.side == side; });
}

bool tab_button(const char* name, bool is_open, float width) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const auto colour = [&style](ImGuiCol which) { return style.Colors[which]; };
    ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, style.TabRounding);
    ImGui::PushStyleColor(ImGuiCol_Button, colour(is_open ? ImGuiCol_TabActive : ImGuiCol_Tab));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered, colour(ImGuiCol_TabHovered));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, colour(ImGuiCol_TabActive));
    const bool is_clicked = ImGui::Button(name, ImVec2(width, 0));
    ImGui::PopStyleColor(3);
    ImGui::PopStyleVar();
    return is_clicked;
}

// The number of lines that the names of a side's panels need at this width.
u32 tab_lines(PanelSide side, float margin, float gap, float end) {
    u32 lines = 1;
    float used = -gap;
    for (const Panel& panel : panels()) {
        const float width = ImGui::CalcTextSize(panel.name).x + 2 * margin;
        if (panel.side == side && used >= 0 && used + gap + width > end) {
            ++lines;
            used = width;
        } else if (panel.side == side) {
            used += gap + width;
        }
    }
    return lines;
}

// Draws the names of the panels, in as many lines as they need, so that all are visible. More than
// two lines are set closer together, to leave room for the panel. Returns the open panel.
const Panel* draw_tab_names(Ui& ui, PanelState& panels, PanelSide side) {
    constexpr float kGap = 2;
    constexpr float kTightMargin = 4;
    const float end = ImGui::GetContentRegionAvail().x;
    u32& open = panels.open_tab[static_cast<std::size_t>(side)];
    const Panel* maybe_shown = nullptr;
    u32 number = 0;
    float used = 0;
    const ImVec2 usual = ImGui::GetStyle().FramePadding;
    const bool is_tight = tab_lines(side, usual.x, kGap, end) > 2;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        is_tight ? ImVec2(kTightMargin, kTightMargin / 2) : usual);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(kGap, kGap));
    for (const Panel& panel : app::panels()) {
        if (panel.side != side) {
            continue;
        }
        const float width =
            std::min(ImGui::CalcTextSize(panel.name).x + 2 * ImGui::GetStyle().FramePadding.x, end);
        if (number > 0 && used + kGap + width <= end) {
            ImGui::SameLine();
            used += kGap + width;
        } else {
            used = width;
        }
        open = tab_button(panel.name, open == number, width) ? number : open;
        ui.marks.mark(fmt::format("Panel/{}", panel.name));
        maybe_shown = open == number || maybe_shown == nullptr ? &panel : maybe_shown;
        ++number;
    }
    ImGui::PopStyleVar(2);
    return maybe_shown;
}

void draw_tabs(ViewState& state, PanelSide side) {
    const Panel* const maybe_panel = draw_tab_names(state.ui, state.panels, side);
    ImGui::PushStyleColor(ImGuiCol_Separator, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
    ImGui::Separator();
    ImGui::PopStyleColor();
    if (maybe_panel != nullptr) {
        ImGui::BeginChild(maybe_panel->name);
        maybe_panel->draw(state);
        ImGui::EndChild();
    }
    if (side == PanelSide::Right) {
        state.ui.keyboard.is_field_wanted = false;  // if no field took it, the panel has none
    }
}

void draw_side(ViewState& state, const char* name, PanelSide side, const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::Begin(name, nullptr, kFixed);
    draw_tabs(state, side);
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

void draw_status(ViewState& state, const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(10, 4));
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_MenuBarBg));
    ImGui::Begin("status", nullptr, kFixed | ImGuiWindowFlags_NoScrollbar);
    const live::LiveStatus& status = state.link.status;
    const ProgressLine progress = progress_line(state.link, place.size.x * 0.6F);
    const float right = ImGui::GetWindowContentRegionMax().x - progress.width;
    const bool has_failed = status.state == live::LiveState::Failed;
    const bool is_error = state.ui.message.is_error && !state.session.picture_reader.is_busy();
    const std::string text = status_text(state.session, state.link, state.ui);
    ImGui::PushClipRect(place.at, {place.at.x + right - 16, place.at.y + place.size.y}, true);
    ImGui::TextColored(has_failed || is_error ? kWarning : kFaint, "%s", text.c_str());
    ImGui::PopClipRect();
    state.ui.marks.mark(is_error ? "Status/error" : "Status/message");
    state.ui.marks.mark("Status/" + text);
    if (state.session.picture_reader.is_busy()) {
        state.ui.marks.mark("Reading/" + state.session.picture_reader.wish().file);
    }
    if (ImGui::IsItemHovered() && !text.empty()) {
        ImGui::SetTooltip("%s", text.c_str());
    }
    ImGui::SameLine(right);
    draw_progress(state.ui, progress);
    state.ui.marks.mark("Selected/" + state.selection.path);
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

void draw_picture_window(ViewState& state, Viewport& viewport, const Place& place) {
    ImGui::SetNextWindowPos(place.at);
    ImGui::SetNextWindowSize(place.size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    ImGui::Begin("viewport",
                 nullptr,
                 kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                     ImGuiWindowFlags_NoBackground);  // the window is cleared to its colour already
    viewport.draw(state);
    ImGui::End();
    ImGui::PopStyleVar(2);
}

}  // namespace

void draw_layout(ViewState& state, Viewport& viewport) {
    ViewSettings& sizes = state.session.remembered;
    const float top = draw_menu_bar(state);
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float status = ImGui::GetFontSize() + 11;
    const float scale = interface_scale();
    const float border = kBorder * scale;
    const bool has_left = sizes.has_left && has_panels(PanelSide::Left);
    const bool has_right = sizes.has_right && has_panels(PanelSide::Right);
    const bool has_bottom = sizes.has_bottom && has_panels(PanelSide::Bottom);
    // Panels leave the picture at least a third of the window.
    const float most = window.x / 3;
    const float left = has_left ? std::min(sizes.left_width * scale, most) : 0;
    const float right = has_right ? std::min(sizes.right_width * scale, most) : 0;
    const float below = has_bottom ? std::min(sizes.bottom_height * scale, window.y / 2) : 0;
    const float x0 = has_left ? left + border : 0;
    const float x1 = window.x - (has_right ? right + border : 0);
    const float y1 = window.y - status - (has_bottom ? below + border : 0);
    const float inner = window.y - status - top;
    if (has_left) {
        draw_side(state, "left", PanelSide::Left, {{0, top}, {left, inner}});
        draw_border("left border", {{left, top}, {border, inner}}, true, 1, sizes.left_width);
    }
    if (has_right) {
        draw_side(state, "right", PanelSide::Right, {{window.x - right, top}, {right, inner}});
        draw_border("right border", {{x1, top}, {border, inner}}, true, -1, sizes.right_width);
    }
    if (has_bottom) {
        draw_side(state, "bottom", PanelSide::Bottom, {{x0, y1 + border}, {x1 - x0, below}});
        draw_border("bottom border", {{x0, y1}, {x1 - x0, border}}, false, -1, sizes.bottom_height);
    }
    const Place middle = {{x0, top}, {x1 - x0, y1 - top}};
    draw_picture_window(state, viewport, middle);
    state.ui.end_message();
    draw_status(state, {{0, window.y - status}, {window.x, status}});
    draw_missing(state.session,
                 state.ui,
                 state.panels,
                 {middle.at.x, middle.at.y, middle.size.x, middle.size.y});
    draw_loading(state.session, state.ui, middle);
    draw_welcome(state, {middle.at.x, middle.at.y, middle.size.x, middle.size.y});
    draw_files(state);
    draw_help_sheet(state);
    end_drags(state.session);
}

}  // namespace weft::app
