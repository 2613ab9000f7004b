#include "app/view/panels/panel_outliner.h"

#include <algorithm>
#include <array>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr std::array<const char*, kOutlinerGroups> kGroupNames = {"Objects", "Lights", "Materials"};

bool is_hidden(const Session& session, const std::string& node) {
    const std::vector<std::string>& hidden = session.document.context().hidden;
    return std::binary_search(hidden.begin(), hidden.end(), node);
}

// Whether the row's object is shown; materials have no eye.
bool is_shown(const Session& session, OutlinerGroup group, const OutlinerRow& row) {
    if (group == OutlinerGroup::Objects) {
        return !is_hidden(session, row.node);
    }
    const std::vector<scene::Light>& lights = session.document.scene().lights;
    // The row may be of a light deleted in this frame.
    const bool is_light = group == OutlinerGroup::Lights && row.first < lights.size();
    return !is_light || is_light_on(session, lights[row.first]);
}

// An item of a row's context menu, marked "Outliner/Menu Title".
bool menu_item(Ui& ui, const char* title) {
    const bool is_clicked = ImGui::MenuItem(title);
    ui.marks.mark(std::string("Outliner/Menu ") + title);
    return is_clicked;
}

}  // namespace

void OutlinerPanel::refresh_rows() {
    if (scene_ == session_.document.shared_scene()) {
        return;
    }
    scene_ = session_.document.shared_scene();
    const u64 stamp = outliner_stamp(*scene_);
    if (stamp != stamp_) {
        stamp_ = stamp;
        rows_ = outliner_rows(*scene_);
        searched_ = "\n";  // not a possible search, so that the rows are searched again
    }
}

void OutlinerPanel::search_again() {
    if (searched_ != search) {
        searched_ = search;
        for (u32 group = 0; group < kOutlinerGroups; ++group) {
            found_[group] = search_rows(rows_.groups[group], search);
        }
    }
}

void OutlinerPanel::show_row(const OutlinerRow& row, bool is_shown) {
    session_.dragged.clear();
    send_edit(session_, ui_, row.path + "/visible", is_shown ? "true" : "false");
    session_.dragged.clear();
}

void OutlinerPanel::select_row(OutlinerGroup group, const OutlinerRow& row) {
    select_path(
        session_, selection_, row.path, group == OutlinerGroup::Objects ? row.first : kNone);
    if (group == OutlinerGroup::Materials) {
        selection_.material = row.first;
    }
}

// Shows or hides all nodes of the list that pass the test, as one step of undo; returns whether
// there were any.
template <typename Test>
bool OutlinerPanel::show_where(bool is_shown, const Test& test) {
    bool continues = false;
    for (const OutlinerRow& row : rows_.groups[0]) {
        if (test(row) && is_hidden(session_, row.node) == is_shown) {
            const base::Status done = session_.document.edit(
                {row.path + "/visible", is_shown ? "true" : "false"}, continues);
            if (!done.is_ok()) {
                ui_.say(done.error());
                return continues;
            }
            continues = true;
        }
    }
    return continues;
}

// Switches all lights on; `continues`: as part of the previous step.
void OutlinerPanel::show_lights(bool continues) {
    for (const OutlinerRow& row : rows_.groups[1]) {
        if (!is_shown(session_, OutlinerGroup::Lights, row)) {
            const base::Status done =
                session_.document.edit({row.path + "/visible", "true"}, continues);
            continues = continues || done.is_ok();
        }
    }
}

// The context menu of the row drawn last. Materials have none.
void OutlinerPanel::draw_context_menu(OutlinerGroup group, const OutlinerRow& row) {
    if (group == OutlinerGroup::Materials || !ImGui::BeginPopupContextItem("menu")) {
        return;
    }
    if (menu_item(ui_, "Duplicate")) {
        select_row(group, row);
        duplicate_selected(session_, selection_, ui_, tool_);
    }
    if (menu_item(ui_, "Delete")) {
        select_row(group, row);
        delete_selected(session_, selection_, ui_);
    }
    ImGui::Separator();
    const bool is_open = is_shown(session_, group, row);
    if (menu_item(ui_, is_open ? "Hide" : "Show")) {
        show_row(row, !is_open);
    }
    if (group == OutlinerGroup::Objects && menu_item(ui_, "Solo")) {
        solo(row.node);
    }
    if (menu_item(ui_, "Show all")) {
        show_all();
    }
    ImGui::EndPopup();
}

void OutlinerPanel::draw_eye(OutlinerGroup group, const OutlinerRow& row) {
    const bool is_open = is_shown(session_, group, row);
    if (eye_button("eye", is_open)) {
        if (group == OutlinerGroup::Objects && ImGui::GetIO().KeyAlt) {
            solo(row.node);
        } else {
            show_row(row, !is_open);
        }
    }
    ui_.marks.mark("Outliner/Eye " + row.name);
    ImGui::SameLine(0, 4);
}

void OutlinerPanel::draw_row(OutlinerGroup group, const OutlinerRow& row) {
    ImGui::PushID(row.path.c_str());
    const bool is_object = group == OutlinerGroup::Objects;
    if (group == OutlinerGroup::Materials) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetFontSize() * 1.3F + 4);
    } else {
        draw_eye(group, row);
    }
    const bool is_faint = !is_shown(session_, group, row);
    if (is_faint) {
        ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    }
    if (ImGui::Selectable(row.name.c_str(), selection_.path == row.path)) {
        select_row(group, row);
    }
    ui_.marks.mark("Outliner/" + row.name);
    if (is_faint) {
        ImGui::PopStyleColor();
    }
    draw_context_menu(group, row);
    if (is_object && row.instance_count > 1) {
        const std::string count = "×" + std::to_string(row.instance_count);
        ImGui::SameLine(ImGui::GetWindowContentRegionMax().x -
                        ImGui::CalcTextSize(count.c_str()).x);
        ImGui::TextDisabled("%s", count.c_str());
    }
    ImGui::PopID();
}

// Scrolls to an object that was selected elsewhere, such as in the picture. Call before the rows.
void OutlinerPanel::follow_selection(u32 group) {
    const std::vector<u32>& found = found_[group];
    const auto row = std::find_if(found.begin(), found.end(), [&](u32 index) {
        return rows_.groups[group][index].path == selection_.path;
    });
    if (row == found.end()) {
        return;
    }
    const float height = ImGui::GetTextLineHeightWithSpacing();
    const float y = ImGui::GetCursorPosY() + height * static_cast<float>(row - found.begin());
    const float top = ImGui::GetScrollY();
    const float room = ImGui::GetWindowHeight();
    if (y < top || y + height > top + room) {
        ImGui::SetScrollY(y - (room - height) / 2);
    }
}

void OutlinerPanel::draw_group(OutlinerGroup group) {
    const auto index = static_cast<u32>(group);
    const std::vector<u32>& found = found_[index];
    const std::string title = std::string(kGroupNames[index]) + "  " + std::to_string(found.size());
    const bool is_open =
        ImGui::TreeNodeEx(kGroupNames[index],
                          ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_NoTreePushOnOpen |
                              ImGuiTreeNodeFlags_SpanFullWidth,
                          "%s",
                          title.c_str());
    ui_.marks.mark(std::string("Outliner/") + kGroupNames[index]);
    if (!is_open) {
        return;
    }
    if (followed_ != selection_.path) {
        follow_selection(index);
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(found.size()));
    while (clipper.Step()) {
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
            draw_row(group, rows_.groups[index][found[static_cast<std::size_t>(k)]]);
        }
    }
    clipper.End();
}

void OutlinerPanel::solo(const std::string& node) {
    refresh_rows();
    show_where(false, [&](const OutlinerRow& row) { return row.node != node; });
    show_where(true, [&](const OutlinerRow& row) { return row.node == node; });
}

void OutlinerPanel::show_all() {
    refresh_rows();
    const bool has_shown = show_where(true, [](const OutlinerRow&) { return true; });
    show_lights(has_shown);
}

void OutlinerPanel::draw() {
    refresh_rows();
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "Search", &search);
    ui_.marks.mark("Outliner/Search");
    search_again();
    ImGui::BeginChild("rows");
    for (const OutlinerGroup group :
         {OutlinerGroup::Objects, OutlinerGroup::Lights, OutlinerGroup::Materials}) {
        draw_group(group);
    }
    followed_ = selection_.path;
    ImGui::EndChild();
}

}  // namespace weft::app
