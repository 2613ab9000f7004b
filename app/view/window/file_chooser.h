// file_chooser.h — a small window in which a file or a folder of the disk is chosen.
//
// Shows the folders and the files of some endings, and names that are no files beside them; or
// takes a path that is typed. What cannot be chosen is said in the window, which stays. One choice
// at a time; whoever opened it asks take() each frame. Interface thread only; reading a folder
// happens when it is entered, not each frame.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/view/models/view_folder.h"
#include "scheduler/base/result.h"

namespace weft::app {

class WidgetMarks;

// What is to be chosen.
struct FileWish {
    enum class Kind { Open, Save, Folder };

    std::string purpose;  // the title; take() finds a chosen file by it
    Kind kind = Kind::Open;
    std::string subject;                  // "scene": its last folder is where the choice begins
    std::vector<std::string> endings;     // in small letters with their dot; empty: all files
    std::string near_file;                // where it begins otherwise; the name proposed to save
    std::vector<std::string> names = {};  // that can be chosen although they are no files
    // Why a file cannot be taken, said in the window; empty: it can.
    std::function<base::Status(const std::string&)> check = nullptr;
};

class FileChooser {
public:
    void open(FileWish wish);

    // The window, while it is open. Once per frame. `folders`: where each subject was chosen last.
    void draw(WidgetMarks& marks, std::map<std::string, std::string>& folders);

    // What was chosen for this purpose, once.
    std::optional<std::string> take(const std::string& purpose);

    [[nodiscard]] bool is_open() const { return is_open_; }

private:
    void begin(const std::map<std::string, std::string>& folders);
    void enter(const std::filesystem::path& folder);
    void draw_top(WidgetMarks& marks);
    void draw_names(WidgetMarks& marks);
    void draw_entries(WidgetMarks& marks);
    void draw_typed(WidgetMarks& marks, bool stays);
    void use_typed();
    [[nodiscard]] base::Status refusal(const std::filesystem::path& file) const;
    void finish(const std::string& chosen);
    void close();

    FileWish wish_;
    bool is_open_ = false;
    bool is_new_ = false;  // since open(): ImGui's popup is yet to be opened
    FolderListing listing_;
    std::string typed_;
    std::string error_;  // why what was typed cannot be chosen
    std::optional<std::string> chosen_;
};

}  // namespace weft::app
