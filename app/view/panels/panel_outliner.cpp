#include "app/view/panels/panel_outliner.h"

#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/models/object_name.h"
#include "app/view/panels/panel_rows.h"
#include "app/view/panels/row_icons.h"
#include "app/view/session/collections.h"
#include "app/view/session/given_names.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/object_edits.h"
#include "app/view/session/selection.h"
#include "app/view/session/session.h"
#include "app/view/session/shown_things.h"
#include "app/view/session/ui.h"
#include "app/view/session/view_cameras.h"
#include "app/view/window/theme.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::app {

namespace {

bool is_hidden(const Session& session, const std::string& name) {
    const std::vector<std::string>& hidden = session.document.context().hidden;
    return std::binary_search(hidden.begin(), hidden.end(), name);
}

bool has_eye(RowKind kind) {
    return kind == RowKind::Collection || kind == RowKind::Group || kind == RowKind::Object ||
           kind == RowKind::Light;
}

bool can_fold(const OutlinerRow& row, u32 index) {
    return row.kind == RowKind::Section || row.end > index + 1;
}

// What a section counts.
RowKind counted_kind(std::string_view title) {
    return title == "Collections" ? RowKind::Collection
           : title == "Objects"   ? RowKind::Object
           : title == "Lights"    ? RowKind::Light
           : title == "Cameras"   ? RowKind::Camera
                                  : RowKind::Material;
}

// How scripts name a row: of a group apart from an object of its name, and of a member apart from
// its own row.
std::string mark_of(const OutlinerRow& row) {
    const char* const kind = row.kind == RowKind::Group        ? "Group "
                             : row.kind == RowKind::Collection ? "Collection "
                                                               : "";
    return (row.is_member ? "Member " : "") + (kind + row.name);
}

// An item of a row's context menu, marked "Outliner/Menu Title".
bool menu_item(Ui& ui, const char* title) {
    const bool is_clicked = ImGui::MenuItem(title);
    ui.marks.mark(std::string("Outliner/Menu ") + title);
    return is_clicked;
}

}  // namespace

void OutlinerPanel::refresh_rows() {
    const scene::EditContext& context = session_.document.context();
    hidden_ = scene::hidden_groups(session_.document.scene().groups,
                                   scene::hidden_names(session_.document.scene(), context));
    if (scene_ == session_.document.shared_scene() && state_ == session_.document.state_number()) {
        return;
    }
    const bool is_other =
        scene_ == nullptr || scene_->name != session_.document.shared_scene()->name;
    scene_ = session_.document.shared_scene();
    state_ = session_.document.state_number();
    const u64 stamp = outliner_stamp(*scene_, context.collections);
    if (stamp != stamp_ || is_other) {
        stamp_ = stamp;
        rows_ = outliner_rows(*scene_, context.collections);
        is_list_old_ = true;
        if (is_other) {
            folds_.begin(rows_.size());
        }
    }
}

void OutlinerPanel::list_again() {
    if (!is_list_old_ && searched_ == search) {
        return;
    }
    is_list_old_ = false;
    searched_ = search;
    listed_ = listed_rows(rows_, folds_, search);
    // Count what matches in each section.
    counts_.assign(rows_.size(), 0);
    u32 section = 0;
    const std::vector<u32> matches = search_rows(rows_, search);
    for (const u32 row : matches) {
        while (rows_[section].end <= row) {
            section = rows_[section].end;
        }
        const bool is_counted =
            rows_[row].kind == counted_kind(rows_[section].name) && !rows_[row].is_member;
        counts_[section] += is_counted ? 1 : 0;
    }
}

bool OutlinerPanel::is_eye_open(const OutlinerRow& row) const {
    const scene::Scene& scene = session_.document.scene();
    switch (row.kind) {
        case RowKind::Object:
            // The row may be of a node deleted in this frame.
            return row.first >= scene.instances.size() ||
                   !is_hidden(session_,
                              scene::hidden_name(scene.instances[row.first].node,
                                                 scene.instances[row.first].place));
        case RowKind::Group:
            return row.first >= scene.groups.size() ||
                   !is_hidden(session_, scene::hidden_name(scene.groups[row.first]));
        case RowKind::Light:
            return row.first >= scene.lights.size() ||
                   is_light_on(session_, scene.lights[row.first]);
        case RowKind::Collection: {
            const auto shown = scene::read_value(
                session_.document.scene(), session_.document.context(), row.path + "/visible");
            return !shown.is_ok() || shown.value() == "true";
        }
        default:
            return true;
    }
}

// Whether the thing is not drawn: by its own eye, or by that of a group around it.
bool OutlinerPanel::is_faint(const OutlinerRow& row) const {
    const scene::Scene& scene = session_.document.scene();
    u32 group = kNone;
    if (row.kind == RowKind::Group) {
        group = row.first;
    } else if (row.kind == RowKind::Object && row.first < scene.instances.size()) {
        group = scene.instances[row.first].group;
    } else if (row.kind == RowKind::Light && row.first < scene.lights.size()) {
        group = scene.lights[row.first].group;
    }
    return !is_eye_open(row) || scene::is_in(hidden_, group);
}

void OutlinerPanel::select_row(const OutlinerRow& row) {
    select_path(session_, selection_, row.path, row.kind == RowKind::Object ? row.first : kNone);
    if (row.kind == RowKind::Material) {
        selection_.material = row.first;
    }
}

// The selection, if the row belongs to it; else the row.
std::vector<std::string> OutlinerPanel::chosen(const OutlinerRow& row) const {
    return is_selected(selection_, row.path) ? all_selected(selection_)
                                             : std::vector<std::string>{row.path};
}

// Ctrl adds a row or takes it out; shift adds all from the last click to here.
void OutlinerPanel::click_row(u32 place, const OutlinerRow& row) {
    const ImGuiIO& io = ImGui::GetIO();
    if (row.kind == RowKind::Collection) {
        const auto known = std::find_if(session_.document.context().collections.begin(),
                                        session_.document.context().collections.end(),
                                        [&](const scene::Collection& each) {
                                            return scene::edits::object_path(
                                                       "collections", each.name, 1) == row.path;
                                        });
        if (known != session_.document.context().collections.end()) {
            select_all(session_, selection_, known->members, io.KeyCtrl || io.KeyShift);
        }
        return;
    }
    const auto from = std::find_if(listed_.begin(), listed_.end(), [&](u32 index) {
        return rows_[index].path == anchor_ && rows_[index].is_member == row.is_member;
    });
    if (io.KeyShift && is_placed(row.path) && from != listed_.end()) {
        const auto anchor = static_cast<u32>(from - listed_.begin());
        std::vector<std::string> paths;
        for (u32 k = std::min(anchor, place); k <= std::max(anchor, place); ++k) {
            paths.push_back(rows_[listed_[k]].path);
        }
        if (anchor > place) {
            std::reverse(paths.begin(), paths.end());  // the clicked one last: panels show it
        }
        select_all(session_, selection_, paths, io.KeyCtrl);
    } else {
        anchor_ = row.path;
        if (io.KeyCtrl) {
            toggle_selected(session_, selection_, row.path);
        } else {
            select_row(row);
        }
    }
    followed_ = selection_.path;
}

// A double click: looks through a camera, folds a group, renames anything else.
void OutlinerPanel::open_row(const OutlinerRow& row) {
    const std::vector<scene::Camera>& cameras = session_.document.scene().cameras;
    if (row.kind == RowKind::Camera && row.first < cameras.size()) {
        go_to_camera(session_, ui_, motion_, scene::Camera(cameras[row.first]));
    } else if (row.kind == RowKind::Group) {
        folds_.turn(row);
        is_list_old_ = true;
    } else if (has_eye(row.kind) && !row.is_member) {
        rename_.begin(ui_, row);
    }
}

void OutlinerPanel::draw_rename(const OutlinerRow& row) {
    if (const std::optional<std::string> name = rename_.draw(ui_)) {
        rename_thing(session_, ui_, row.path, *name);
    }
}

void OutlinerPanel::draw_collection_menu(const OutlinerRow& row) {
    if (menu_item(ui_, "Rename")) {
        rename_.begin(ui_, row);
    }
    if (menu_item(ui_, "Add the selection")) {
        add_members(session_, ui_, row.path, all_selected(selection_));
    }
    if (menu_item(ui_, "Take the selection out")) {
        remove_members(session_, ui_, row.path, all_selected(selection_));
    }
    if (menu_item(ui_, "Dissolve")) {
        delete_collection(session_, ui_, row.path);
    }
}

// The context menu of the row drawn last; it concerns the selection if the row belongs to it.
void OutlinerPanel::draw_context_menu(const OutlinerRow& row) {
    const bool has_menu = row.kind == RowKind::Collection || is_placed(row.path);
    if (!has_menu || !ImGui::BeginPopupContextItem("menu")) {
        return;
    }
    if (row.kind == RowKind::Collection) {
        draw_collection_menu(row);
        ImGui::EndPopup();
        return;
    }
    const bool is_lone = row.kind == RowKind::Object || row.kind == RowKind::Light;
    if (is_lone && menu_item(ui_, "Duplicate")) {
        select_row(row);
        duplicate_selected(session_, selection_, ui_, tool_);
    }
    if (row.kind != RowKind::Camera && menu_item(ui_, "Delete")) {
        if (!is_selected(selection_, row.path)) {
            select_row(row);
        }
        delete_selected(session_, selection_, ui_);
    }
    if (row.kind == RowKind::Camera && menu_item(ui_, "Look through")) {
        open_row(row);
    }
    if (!row.is_member && menu_item(ui_, "Rename")) {
        rename_.begin(ui_, row);
    }
    ImGui::Separator();
    const std::vector<std::string> paths = chosen(row);
    if (menu_item(ui_, "New collection")) {
        add_collection(session_, ui_, paths);
    }
    if (has_eye(row.kind)) {
        const bool is_open = is_eye_open(row);
        if (menu_item(ui_, is_open ? "Hide" : "Show")) {
            show_things(session_, ui_, paths, !is_open);
        }
        if (row.kind != RowKind::Light && menu_item(ui_, "Solo")) {
            Selection alone;
            select_all(session_, alone, paths, false);
            solo(session_, ui_, moved_things(session_, alone));
        }
        if (menu_item(ui_, "Show all")) {
            show_all(session_, ui_);
        }
    }
    ImGui::EndPopup();
}

void OutlinerPanel::draw_eye(const OutlinerRow& row) {
    const bool is_open = is_eye_open(row);
    if (eye_button("eye", is_open)) {
        if (row.kind == RowKind::Object && ImGui::GetIO().KeyAlt) {
            Selection alone;
            select_path(session_, alone, row.path, row.first);
            solo(session_, ui_, moved_things(session_, alone));
        } else {
            show_things(session_, ui_, chosen(row), !is_open);
        }
    }
    ui_.marks.mark("Outliner/Eye " + mark_of(row));
    ImGui::SameLine(0, 4);
}

// A triangle that folds the row.
void OutlinerPanel::draw_fold(const OutlinerRow& row) {
    const float side = ImGui::GetFontSize();
    const ImVec2 low = ImGui::GetCursorScreenPos();
    if (ImGui::InvisibleButton("fold", ImVec2(side * 0.9F, side))) {
        folds_.turn(row);
        is_list_old_ = true;
    }
    ui_.marks.mark("Outliner/Fold " + row.name);
    const float grey = ImGui::IsItemHovered() ? 1.0F : 0.65F;
    const ImU32 colour = ImGui::GetColorU32(ImVec4(grey, grey, grey, 1));
    const auto at = [&](float x, float y) { return ImVec2(low.x + x * side, low.y + y * side); };
    const bool is_folded = folds_.is_folded(row) && searched_.empty();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    if (is_folded) {
        list.AddTriangleFilled(at(0.25F, 0.2F), at(0.25F, 0.8F), at(0.65F, 0.5F), colour);
    } else {
        list.AddTriangleFilled(at(0.1F, 0.3F), at(0.7F, 0.3F), at(0.4F, 0.7F), colour);
    }
    ImGui::SameLine(0, 2);
}

// The heading of a section; a click folds it.
void OutlinerPanel::draw_section(u32 index, const OutlinerRow& row) {
    draw_fold(row);
    const std::string title = row.name + "  " + std::to_string(counts_[index]);
    ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    if (ImGui::Selectable(title.c_str())) {
        folds_.turn(row);
        is_list_old_ = true;
    }
    ImGui::PopStyleColor();
    ui_.marks.mark("Outliner/" + row.name);
}

void OutlinerPanel::draw_row(u32 place, u32 index) {
    const OutlinerRow row = rows_[index];  // a copy: what is drawn may change the list
    ImGui::PushID(static_cast<int>(index));
    if (row.kind == RowKind::Section) {
        draw_section(index, row);
        ImGui::PopID();
        return;
    }
    const float letter = ImGui::GetFontSize();
    if (has_eye(row.kind)) {
        draw_eye(row);
    } else {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + letter * 1.3F + 4);
    }
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() +
                         letter * 0.8F * static_cast<float>(std::min(row.depth, 40U) - 1));
    if (can_fold(row, index)) {
        draw_fold(row);
    } else {
        ImGui::SetCursorPosX(ImGui::GetCursorPosX() + letter * 0.9F + 2);
    }
    const bool is_dim = is_faint(row);
    draw_row_icon(row.kind, ImGui::GetColorU32(is_dim ? kFaint : ImVec4(0.75F, 0.75F, 0.77F, 1)));
    ImGui::SameLine(0, 5);
    if (rename_.is_in(row)) {
        draw_rename(row);
        ImGui::PopID();
        return;
    }
    if (is_dim) {
        ImGui::PushStyleColor(ImGuiCol_Text, kFaint);
    }
    if (ImGui::Selectable(row.name.c_str(),
                          row.kind != RowKind::Collection && is_selected(selection_, row.path),
                          ImGuiSelectableFlags_AllowDoubleClick)) {
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
            open_row(row);
        } else {
            click_row(place, row);
        }
    }
    ui_.marks.mark("Outliner/" + mark_of(row));
    if (is_dim) {
        ImGui::PopStyleColor();
    }
    draw_context_menu(row);
    if (row.instance_count > 1) {
        const std::string count = "×" + std::to_string(row.instance_count);
        ImGui::SameLine(ImGui::GetWindowContentRegionMax().x -
                        ImGui::CalcTextSize(count.c_str()).x);
        ImGui::TextDisabled("%s", count.c_str());
    }
    ImGui::PopID();
}

// Unfolds and scrolls to what was selected elsewhere, such as in the picture. Call before the rows.
void OutlinerPanel::follow_selection() {
    if (followed_ == selection_.path) {
        return;
    }
    followed_ = selection_.path;
    const auto known = std::find_if(rows_.begin(), rows_.end(), [&](const OutlinerRow& row) {
        return row.path == selection_.path && !row.is_member;
    });
    if (known == rows_.end()) {
        return;
    }
    const auto index = static_cast<u32>(known - rows_.begin());
    if (unfold_to(rows_, index, folds_)) {
        is_list_old_ = true;
        list_again();
    }
    const auto row = std::lower_bound(listed_.begin(), listed_.end(), index);
    if (row == listed_.end() || *row != index) {
        return;
    }
    const float height = ImGui::GetTextLineHeightWithSpacing();
    const float y = ImGui::GetCursorPosY() + height * static_cast<float>(row - listed_.begin());
    const float top = ImGui::GetScrollY();
    const float room = ImGui::GetWindowHeight();
    if (y < top || y + height > top + room) {
        ImGui::SetScrollY(y - (room - height) / 2);
    }
}

// Of the selected thing, as a key asks for.
void OutlinerPanel::begin_wanted_rename() {
    const std::string path = std::exchange(ui_.renamed, {});
    const auto row = std::find_if(rows_.begin(), rows_.end(), [&](const OutlinerRow& each) {
        return each.path == path && !each.is_member;
    });
    if (path == selection_.path && row != rows_.end()) {
        rename_.begin(ui_, *row);
        followed_.clear();  // scrolls to it
    }
}

void OutlinerPanel::draw() {
    refresh_rows();
    if (!ui_.renamed.empty()) {
        begin_wanted_rename();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputTextWithHint("##search", "Search", &search);
    ui_.marks.mark("Outliner/Search");
    list_again();
    ImGui::BeginChild("rows");
    follow_selection();
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(listed_.size()));
    while (clipper.Step()) {
        for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
            draw_row(static_cast<u32>(k), listed_[static_cast<std::size_t>(k)]);
        }
    }
    clipper.End();
    rename_.end_rows();
    ImGui::EndChild();
}

}  // namespace weft::app
