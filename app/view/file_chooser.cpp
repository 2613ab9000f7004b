#include "app/view/file_chooser.h"

#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/theme.h"
#include "app/view/widget_marks.h"

namespace weft::app {

void FileChooser::open(std::string purpose,
                       std::vector<std::string> endings,
                       const std::string& near_file) {
    purpose_ = std::move(purpose);
    endings_ = std::move(endings);
    chosen_.reset();
    is_open_ = true;
    is_to_save_ = false;
    is_new_ = true;
    typed_.clear();
    std::error_code error;
    const std::filesystem::path near = std::filesystem::path(near_file).parent_path();
    if (!near.empty() && std::filesystem::is_directory(near, error)) {
        enter(near);
    } else {
        enter(listing_.folder.empty() ? std::filesystem::current_path(error) : listing_.folder);
    }
}

void FileChooser::open_to_save(std::string purpose,
                               std::vector<std::string> endings,
                               const std::string& proposed) {
    open(std::move(purpose), std::move(endings), proposed);
    is_to_save_ = true;
    typed_ = std::filesystem::path(proposed).filename().string();
}

void FileChooser::enter(const std::filesystem::path& folder) {
    listing_ = list_folder(folder, endings_);
}

void FileChooser::choose(const std::string& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) {
        enter(file);
        if (!is_to_save_) {
            typed_.clear();
        }
        return;
    }
    chosen_ = file;
    is_open_ = false;
    ImGui::CloseCurrentPopup();
}

void FileChooser::draw(WidgetMarks& marks) {
    if (!is_open_) {
        return;
    }
    if (std::exchange(is_new_, false)) {
        ImGui::OpenPopup(purpose_.c_str());
    }
    const float letter = ImGui::GetFontSize();
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const ImVec2 most(window.x * 0.96F, window.y * 0.92F);
    ImGui::SetNextWindowPos(
        ImVec2(window.x / 2, window.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
    ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), most);
    ImGui::SetNextWindowSize(ImVec2(letter * 38, letter * 30), ImGuiCond_Appearing);
    bool stays = true;
    if (!ImGui::BeginPopupModal(purpose_.c_str(), &stays, ImGuiWindowFlags_NoMove)) {
        is_open_ = false;
        return;
    }
    if (ImGui::ArrowButton("up", ImGuiDir_Up)) {
        enter(listing_.folder.parent_path());
    }
    marks.mark(purpose_ + "/Up");
    ImGui::SameLine();
    ImGui::TextUnformatted(listing_.folder.c_str());
    ImGui::BeginChild("entries", ImVec2(0, -ImGui::GetFrameHeightWithSpacing() * 1.2F), true);
    draw_entries(marks);
    ImGui::EndChild();
    ImGui::SetNextItemWidth(-letter * 11);
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetKeyboardFocusHere();
    }
    bool is_done = ImGui::InputTextWithHint(
        "##typed", "a path", &typed_, ImGuiInputTextFlags_EnterReturnsTrue);
    marks.mark(purpose_ + "/Path");
    ImGui::SameLine();
    std::error_code error;
    const char* const verb = !is_to_save_ ? "Choose"
                             : std::filesystem::is_regular_file(listing_.folder / typed_, error)
                                 ? "Replace"
                                 : "Save";
    is_done =
        ImGui::Button((std::string(verb) + "###choose").c_str(), ImVec2(letter * 5, 0)) || is_done;
    marks.mark(purpose_ + "/Choose");
    ImGui::SameLine();
    const bool is_left = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
    if (ImGui::Button("Cancel", ImVec2(letter * 5, 0)) || !stays || is_left) {
        is_open_ = false;
        ImGui::CloseCurrentPopup();
    }
    marks.mark(purpose_ + "/Cancel");
    if (is_done && !typed_.empty()) {
        choose((listing_.folder / typed_).string());  // an absolute path takes the folder's place
    }
    ImGui::EndPopup();
}

void FileChooser::draw_entries(WidgetMarks& marks) {
    if (!listing_.error.empty()) {
        ImGui::TextColored(kWarning, "%s", listing_.error.c_str());
    }
    std::string wanted;
    const auto folder_count = static_cast<int>(listing_.folders.size());
    const auto file_count = static_cast<int>(listing_.files.size());
    ImGuiListClipper clipper;
    clipper.Begin(folder_count + file_count);
    while (clipper.Step()) {
        for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
            const bool is_folder = row < folder_count;
            const std::string& name =
                is_folder ? listing_.folders[static_cast<std::size_t>(row)]
                          : listing_.files[static_cast<std::size_t>(row - folder_count)];
            ImGui::PushStyleColor(ImGuiCol_Text,
                                  is_folder ? kFaint : ImGui::GetStyleColorVec4(ImGuiCol_Text));
            if (ImGui::Selectable(
                    (is_folder ? name + '/' : name).c_str(),
                    name == typed_,
                    ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
                if (!is_folder || !is_to_save_) {
                    typed_ = name;
                }
                const bool is_twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
                if (is_folder || (is_twice && !is_to_save_)) {
                    wanted = name;
                }
            }
            marks.mark(purpose_ + '/' + name);
            ImGui::PopStyleColor();
            if (ImGui::CalcTextSize(name.c_str()).x > ImGui::GetItemRectSize().x &&
                ImGui::IsItemHovered()) {
                ImGui::SetTooltip("%s", name.c_str());
            }
        }
    }
    clipper.End();
    if (!wanted.empty()) {
        choose((listing_.folder / wanted).string());
    }
}

std::optional<std::string> FileChooser::take(const std::string& purpose) {
    return purpose == purpose_ ? std::exchange(chosen_, std::nullopt) : std::nullopt;
}

}  // namespace weft::app
