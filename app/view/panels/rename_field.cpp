#include "app/view/panels/rename_field.h"

#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/models/outliner_rows.h"
#include "app/view/session/ui.h"

namespace weft::app {

void RenameField::begin(Ui& ui, const OutlinerRow& row) {
    path_ = row.path;
    name_ = row.name;
    is_new_ = true;
    unseen_ = 0;
    ui.keyboard.await_text();
}

bool RenameField::is_in(const OutlinerRow& row) const {
    return !path_.empty() && row.path == path_ && !row.is_member;
}

std::optional<std::string> RenameField::draw(Ui& ui) {
    unseen_ = 0;
    const bool was_new = std::exchange(is_new_, false);
    if (was_new) {
        ImGui::SetKeyboardFocusHere();
    }
    ImGui::SetNextItemWidth(-1);
    ImGui::InputText("##renamed", &name_, ImGuiInputTextFlags_AutoSelectAll);
    ui.marks.mark("Outliner/Rename");
    if (was_new || !ImGui::IsItemDeactivated()) {
        return std::nullopt;
    }
    path_.clear();
    return std::exchange(name_, {});
}

void RenameField::end_rows() {
    if (!path_.empty() && ++unseen_ > kMostFramesUnseen) {
        path_.clear();
    }
}

}  // namespace weft::app
