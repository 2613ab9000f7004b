#include "app/view/window/file_chooser.h"

#include <algorithm>
#include <utility>

#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/view/window/theme.h"
#include "app/view/window/widget_marks.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;
using Kind = FileWish::Kind;

}  // namespace

void FileChooser::open(FileWish wish) {
    wish_ = std::move(wish);
    chosen_.reset();
    error_.clear();
    typed_ = wish_.kind == Kind::Save ? fs::path(wish_.near_file).filename().string() : "";
    is_open_ = true;
    is_new_ = true;
}

// Start in the last folder of this kind of file, else beside the known file, else in the previous
// folder.
void FileChooser::begin(const std::map<std::string, std::string>& folders) {
    ImGui::OpenPopup(wish_.purpose.c_str());
    std::error_code error;
    const auto last = folders.find(wish_.subject);
    const fs::path near = fs::path(wish_.near_file).parent_path();
    if (last != folders.end() && fs::is_directory(last->second, error)) {
        enter(last->second);
    } else if (!near.empty() && fs::is_directory(near, error)) {
        enter(near);
    } else {
        enter(listing_.folder.empty() ? fs::current_path(error) : listing_.folder);
    }
}

void FileChooser::enter(const fs::path& folder) {
    listing_ = list_folder(folder, wish_.endings);
    error_.clear();
}

void FileChooser::close() {
    is_open_ = false;
    ImGui::CloseCurrentPopup();
}

void FileChooser::finish(const std::string& chosen) {
    chosen_ = chosen;
    close();
}

base::Status FileChooser::refusal(const fs::path& file) const {
    std::error_code error;
    if (wish_.kind == Kind::Open && !fs::is_regular_file(file, error)) {
        return base::Error{base::ErrorKind::Usage, file.string() + ": there is no such file"};
    }
    if (wish_.kind == Kind::Folder) {
        return base::Error{base::ErrorKind::Usage, file.string() + ": there is no such folder"};
    }
    if (wish_.kind == Kind::Save && !fs::is_directory(file.parent_path(), error)) {
        return base::Error{base::ErrorKind::Usage,
                           file.parent_path().string() + ": there is no such folder"};
    }
    return wish_.check ? wish_.check(file.string()) : base::Status(base::Done{});
}

// Enters a folder, or chooses a file or a name; anything else leaves the chooser open with an
// error.
void FileChooser::use_typed() {
    std::error_code error;
    fs::path file = listing_.folder / typed_;  // an absolute path replaces the folder
    if (fs::is_directory(file, error)) {
        enter(file);
        if (wish_.kind != Kind::Save) {
            typed_.clear();
        }
        return;
    }
    const bool is_name =
        std::find(wish_.names.begin(), wish_.names.end(), typed_) != wish_.names.end() ||
        (!wish_.names.empty() && typed_.starts_with("procedural:"));
    if (is_name && !fs::is_regular_file(file, error)) {
        finish(typed_);
        return;
    }
    if (wish_.kind == Kind::Save && !file.has_extension() && !wish_.endings.empty()) {
        file += wish_.endings.front();
    }
    const base::Status status = refusal(file);
    if (status.is_ok()) {
        finish(file.string());
    } else {
        error_ = status.error().sentence;
    }
}

void FileChooser::draw(WidgetMarks& marks, std::map<std::string, std::string>& folders) {
    if (!is_open_) {
        return;
    }
    if (std::exchange(is_new_, false)) {
        begin(folders);
    }
    // Open the window in the middle.
    const float letter = ImGui::GetFontSize();
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const ImVec2 most(window.x * 0.96F, window.y * 0.92F);
    ImGui::SetNextWindowPos(
        ImVec2(window.x / 2, window.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
    ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), most);
    const float width = wish_.names.empty() ? 38 : 50;
    ImGui::SetNextWindowSize(ImVec2(letter * width, letter * 30), ImGuiCond_Appearing);
    bool stays = true;
    if (!ImGui::BeginPopupModal(wish_.purpose.c_str(), &stays, ImGuiWindowFlags_NoMove)) {
        is_open_ = false;
        return;
    }
    // Draw places, names, entries and errors.
    draw_top(marks);
    const float below = ImGui::GetFrameHeightWithSpacing() * 1.2F +
                        (error_.empty() ? 0 : 2 * ImGui::GetTextLineHeightWithSpacing());
    if (!wish_.names.empty()) {
        ImGui::BeginChild("names", ImVec2(letter * 13, -below), true);
        draw_names(marks);
        ImGui::EndChild();
        ImGui::SameLine();
    }
    ImGui::BeginChild("entries", ImVec2(0, -below), true);
    draw_entries(marks);
    ImGui::EndChild();
    if (!error_.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, kWarning);
        ImGui::TextWrapped("%s", error_.c_str());
        ImGui::PopStyleColor();
        marks.mark(wish_.purpose + "/Error " + error_);
    }
    // Draw the name that is typed.
    draw_typed(marks, stays);
    // Remember the folder for the next time.
    if (chosen_) {
        std::error_code error;
        const fs::path file = *chosen_;
        const bool is_name = !file.is_absolute();
        if (!is_name && wish_.kind == Kind::Folder) {
            folders[wish_.subject] = *chosen_;
        } else if (!is_name) {
            folders[wish_.subject] = file.parent_path().string();
        }
    }
    ImGui::EndPopup();
}

void FileChooser::draw_top(WidgetMarks& marks) {
    if (ImGui::ArrowButton("up", ImGuiDir_Up)) {
        enter(listing_.folder.parent_path());
    }
    marks.mark(wish_.purpose + "/Up");
    ImGui::SameLine();
    ImGui::TextUnformatted(listing_.folder.c_str());
    marks.mark(wish_.purpose + "/In " + listing_.folder.string());
}

void FileChooser::draw_names(WidgetMarks& marks) {
    ImGui::TextDisabled("Examples");
    bool is_wanted = false;
    for (const std::string& name : wish_.names) {
        if (ImGui::Selectable(
                name.c_str(),
                name == typed_,
                ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
            typed_ = name;
            is_wanted = is_wanted || ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        }
        marks.mark(wish_.purpose + '/' + name);
    }
    if (is_wanted) {
        use_typed();
    }
}

void FileChooser::draw_entries(WidgetMarks& marks) {
    if (!listing_.error.empty()) {
        ImGui::TextColored(kWarning, "%s", listing_.error.c_str());
    }
    std::string wanted;
    const auto folder_count = static_cast<int>(listing_.folders.size());
    const auto file_count = static_cast<int>(listing_.files.size());
    // Draw the rows in sight, folders first.
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
            // A click opens a folder or types a file; a double click opens the file.
            if (ImGui::Selectable(
                    (is_folder ? name + '/' : name).c_str(),
                    name == typed_,
                    ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_DontClosePopups)) {
                const bool is_twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
                if (is_folder || (is_twice && wish_.kind == Kind::Open)) {
                    wanted = name;
                }
                if (!is_folder) {
                    typed_ = name;
                    error_.clear();
                }
            }
            marks.mark(wish_.purpose + '/' + name);
            ImGui::PopStyleColor();
            // Show a name that is cut off.
            if (ImGui::CalcTextSize(name.c_str()).x > ImGui::GetItemRectSize().x &&
                ImGui::IsItemHovered()) {
                ImGui::SetTooltip("%s", name.c_str());
            }
        }
    }
    clipper.End();
    // Enter the folder or take the file.
    if (!wanted.empty()) {
        const std::string before = std::exchange(typed_, wanted);
        use_typed();
        typed_ = wish_.kind == Kind::Save ? before : typed_;
    }
}

void FileChooser::draw_typed(WidgetMarks& marks, bool stays) {
    const float letter = ImGui::GetFontSize();
    ImGui::SetNextItemWidth(-letter * 11);
    if (ImGui::IsWindowAppearing()) {
        ImGui::SetKeyboardFocusHere();
    }
    bool is_done = ImGui::InputTextWithHint("##typed",
                                            wish_.names.empty() ? "a path" : "a path or an example",
                                            &typed_,
                                            ImGuiInputTextFlags_EnterReturnsTrue);
    marks.mark(wish_.purpose + "/Path");
    ImGui::SameLine();
    std::error_code error;
    const bool replaces =
        wish_.kind == Kind::Save && fs::is_regular_file(listing_.folder / typed_, error);
    const char* const verb = replaces ? "Replace" : wish_.kind == Kind::Save ? "Save" : "Choose";
    is_done =
        ImGui::Button((std::string(verb) + "###choose").c_str(), ImVec2(letter * 5, 0)) || is_done;
    marks.mark(wish_.purpose + "/Choose");
    ImGui::SameLine();
    const bool is_left = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape), false);
    if (ImGui::Button("Cancel", ImVec2(letter * 5, 0)) || !stays || is_left) {
        close();
    }
    marks.mark(wish_.purpose + "/Cancel");
    if (is_done && !typed_.empty()) {
        use_typed();
    } else if (is_done && wish_.kind == Kind::Folder) {
        finish(listing_.folder.string());
    }
}

std::optional<std::string> FileChooser::take(const std::string& purpose) {
    return purpose == wish_.purpose ? std::exchange(chosen_, std::nullopt) : std::nullopt;
}

}  // namespace weft::app
