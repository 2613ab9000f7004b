// panel_outliner.cpp — all objects of the scene: search, show, hide, solo, select.
//
// Rows are rebuilt only when the scene's list of objects changed; only visible rows are drawn.
// Interface thread.
#include <algorithm>
#include <array>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/panels/panel_rows.h"
#include "app/view/panels/panels.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/send_edit.h"
#include "app/view/window/theme.h"

namespace weft::app {

namespace {

constexpr std::array<const char*, kOutlinerGroups> kGroupNames = {"Objects", "Lights", "Materials"};

void refresh_rows(Session& session, OutlinerState& outliner) {
    if (outliner.scene == session.document.shared_scene()) {
        return;
    }
    outliner.scene = session.document.shared_scene();
    const u64 stamp = outliner_stamp(*outliner.scene);
    if (stamp != outliner.stamp) {
        outliner.stamp = stamp;
        outliner.rows = outliner_rows(*outliner.scene);
        outliner.searched = "\n";  // not a possible search, so that the rows are searched again
    }
}

void search_again(OutlinerState& outliner) {
    if (outliner.searched != outliner.search) {
        outliner.searched = outliner.search;
        for (u32 group = 0; group < kOutlinerGroups; ++group) {
            outliner.found[group] = search_rows(outliner.rows.groups[group], outliner.search);
        }
    }
}

bool is_hidden(const Session& session, const std::string& node) {
    const std::vector<std::string>& hidden = session.document.context().hidden;
    return std::binary_search(hidden.begin(), hidden.end(), node);
}

// Whether the row's object is shown; materials have no eye.
bool is_shown(const ViewState& state, OutlinerGroup group, const OutlinerRow& row) {
    if (group == OutlinerGroup::Objects) {
        return !is_hidden(state.session, row.node);
    }
    const std::vector<scene::Light>& lights = state.session.document.scene().lights;
    // The row may be of a light deleted in this frame.
    const bool is_lamp = group == OutlinerGroup::Lights && row.first < lights.size();
    return !is_lamp || is_lamp_on(state.session, lights[row.first]);
}

void show_row(Session& session, Ui& ui, const OutlinerRow& row, bool is_shown) {
    session.dragged.clear();
    send_edit(session, ui, row.path + "/visible", is_shown ? "true" : "false");
    session.dragged.clear();
}

void select_row(Session& session,
                Selection& selection,
                OutlinerGroup group,
                const OutlinerRow& row) {
    select_path(session, selection, row.path, group == OutlinerGroup::Objects ? row.first : kNone);
    if (group == OutlinerGroup::Materials) {
        selection.material = row.first;
    }
}

// Shows or hides all nodes of the list that pass the test, as one step of undo; returns whether
// there were any.
template <typename Test>
bool show_where(
    Session& session, Ui& ui, OutlinerState& outliner, bool is_shown, const Test& test) {
    bool continues = false;
    for (const OutlinerRow& row : outliner.rows.groups[0]) {
        if (test(row) && is_hidden(session, row.node) == is_shown) {
            const base::Status done = session.document.edit(
                {row.path + "/visible", is_shown ? "true" : "false"}, continues);
            if (!done.is_ok()) {
                ui.say(done.error());
                return continues;
            }
            continues = true;
        }
    }
    return continues;
}

// Switches all lights on; `continues`: as part of the previous step.
void show_lamps(ViewState& state, bool continues) {
    for (const OutlinerRow& row : state.panels.outliner.rows.groups[1]) {
        if (!is_shown(state, OutlinerGroup::Lights, row)) {
            const base::Status done =
                state.session.document.edit({row.path + "/visible", "true"}, continues);
            continues = continues || done.is_ok();
        }
    }
}

// An item of a row's context menu, marked "Outliner/Menu Title".
bool menu_item(Ui& ui, const char* title) {
    const bool is_clicked = ImGui::MenuItem(title);
    ui.marks.mark(std::string("Outliner/Menu ") + title);
    return is_clicked;
}

// The context menu of the row drawn last. Materials have none.
void draw_context_menu(ViewState& state, OutlinerGroup group, const OutlinerRow& row) {
    if (group == OutlinerGroup::Materials || !ImGui::BeginPopupContextItem("menu")) {
        return;
    }
    if (menu_item(state.ui, "Duplicate")) {
        select_row(state.session, state.selection, group, row);
        duplicate_selected(state);
    }
    if (menu_item(state.ui, "Delete")) {
        select_row(state.session, state.selection, group, row);
        delete_selected(state);
    }
    ImGui::Separator();
    const bool is_open = is_shown(state, group, row);
    if (menu_item(state.ui, is_open ? "Hide" : "Show")) {
        show_row(state.session, state.ui, row, !is_open);
    }
    if (group == OutlinerGroup::Objects && menu_item(state.ui, "Solo")) {
        solo_node(state.session, state.ui, state.panels.outliner, row.node);
    }
    if (menu_item(state.ui, "Show all")) {
        show_all_nodes(state);
    }
    ImGui::EndPopup();
}

void draw_eye(ViewState& state, OutlinerGroup group, const OutlinerRow& row) {
    const bool is_open = is_shown(state, group, row);
    if (eye_button("eye", is_open)) {
        if (group == OutlinerGroup::Objects && ImGui::GetIO().KeyAlt) {
            solo_node(state.session, state.ui, state.panels.outliner, row.node);
        } else {
            show_row(state.session, state.ui, row, !is_open);
        }
    }
    state.ui.marks.mark("Outliner/Eye " + row.name);
    ImGui::SameLine(0, 4);
}

void draw_row(ViewState& state, OutlinerGroup group, const OutlinerRow& row) {
    ImGui::PushID(row.path.c_str());
    const bool is_object = group == OutlinerGroup::Objects;
    if (group == OutlinerGroup::Materials) {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ImGui::GetFontSize() * 1.3F + 4);
    } else {
        draw_eye(state, group, row);
    }
    const bool is_faint = !is_shown(state, group, row);
    if (is_faint) {
        ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    }
    if (ImGui::Selectable(row.name.c_str(), state.selection.path == row.path)) {
        select_row(state.session, state.selection, group, row);
    }
    state.ui.marks.mark("Outliner/" + row.name);
    if (is_faint) {
        ImGui::PopStyleColor();
    }
    draw_context_menu(state, group, row);
    if (is_object && row.instance_count > 1) {
        const std::string count = "×" + std::to_string(row.instance_count);
        ImGui::SameLine(ImGui::GetWindowContentRegionMax().x -
                        ImGui::CalcTextSize(count.c_str()).x);
        ImGui::TextDisabled("%s", count.c_str());
    }
    ImGui::PopID();
}

// Scrolls to an object that was selected elsewhere, such as in the picture. Call before the rows.
void follow_selection(const Selection& selection, const OutlinerState& outliner, u32 group) {
    const std::vector<u32>& found = outliner.found[group];
    const auto row = std::find_if(found.begin(), found.end(), [&](u32 index) {
        return outliner.rows.groups[group][index].path == selection.path;
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

void draw_group(ViewState& state, OutlinerGroup group) {
    OutlinerState& outliner = state.panels.outliner;
    const auto index = static_cast<u32>(group);
    const std::vector<u32>& found = outliner.found[index];
    const std::string title = std::string(kGroupNames[index]) + "  " + std::to_string(found.size());
    const bool is_open =
        ImGui::TreeNodeEx(kGroupNames[index],
                          ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_NoTreePushOnOpen |
                              ImGuiTreeNodeFlags_SpanFullWidth,
                          "%s",
                          title.c_str());
    state.ui.marks.mark(std::string("Outliner/") + kGroupNames[index]);
    if (!is_open) {
        return;
    }
    if (outliner.followed != state.selection.path) {
        follow_selection(state.selection, state.panels.outliner, index);
    }
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(found.size()));
    while (clipper.Step()) {
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
            draw_row(state, group, outliner.rows.groups[index][found[static_cast<std::size_t>(k)]]);
        }
    }
    clipper.End();
}

}  // namespace

void solo_node(Session& session, Ui& ui, OutlinerState& outliner, const std::string& node) {
    refresh_rows(session, outliner);
    show_where(
        session, ui, outliner, false, [&](const OutlinerRow& row) { return row.node != node; });
    show_where(
        session, ui, outliner, true, [&](const OutlinerRow& row) { return row.node == node; });
}

void show_all_nodes(ViewState& state) {
    refresh_rows(state.session, state.panels.outliner);
    const bool has_shown =
        show_where(state.session, state.ui, state.panels.outliner, true, [](const OutlinerRow&) {
            return true;
        });
    show_lamps(state, has_shown);
}

void draw_outliner(ViewState& state) {
    refresh_rows(state.session, state.panels.outliner);
    OutlinerState& outliner = state.panels.outliner;
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "Search", &outliner.search);
    state.ui.marks.mark("Outliner/Search");
    search_again(outliner);
    ImGui::BeginChild("rows");
    for (const OutlinerGroup group :
         {OutlinerGroup::Objects, OutlinerGroup::Lights, OutlinerGroup::Materials}) {
        draw_group(state, group);
    }
    outliner.followed = state.selection.path;
    ImGui::EndChild();
}

}  // namespace weft::app
