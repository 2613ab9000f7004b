#include "app/view/shell/panel_tabs.h"

#include <algorithm>
#include <fmt/format.h>

#include <imgui.h>

#include "app/view/session/ui.h"

namespace weft::app {

namespace {

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

}  // namespace

bool PanelTabs::has(PanelSide side) const {
    return std::any_of(
        panels_.begin(), panels_.end(), [&](const Panel& panel) { return panel.side == side; });
}

// The number of lines that the names of a side's panels need at this width.
u32 PanelTabs::line_count(PanelSide side, float margin, float gap, float end) const {
    u32 lines = 1;
    float used = -gap;
    for (const Panel& panel : panels_) {
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
const Panel* PanelTabs::draw_names(Ui& ui, PanelSide side) {
    constexpr float kGap = 2;
    constexpr float kTightMargin = 4;
    const float end = ImGui::GetContentRegionAvail().x;
    u32& open = open_[static_cast<std::size_t>(side)];
    const Panel* maybe_shown = nullptr;
    u32 number = 0;
    float used = 0;
    const ImVec2 usual = ImGui::GetStyle().FramePadding;
    const bool is_tight = line_count(side, usual.x, kGap, end) > 2;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        is_tight ? ImVec2(kTightMargin, kTightMargin / 2) : usual);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(kGap, kGap));
    for (const Panel& panel : panels_) {
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

void PanelTabs::draw(Ui& ui, PanelSide side) {
    const Panel* const maybe_panel = draw_names(ui, side);
    ImGui::PushStyleColor(ImGuiCol_Separator, ImGui::GetStyleColorVec4(ImGuiCol_TabActive));
    ImGui::Separator();
    ImGui::PopStyleColor();
    if (maybe_panel != nullptr) {
        ImGui::BeginChild(maybe_panel->name);
        maybe_panel->draw();
        ImGui::EndChild();
    }
    if (side == PanelSide::Right) {
        ui.keyboard.is_field_wanted = false;  // if no field took it, the panel has none
    }
}

}  // namespace weft::app
