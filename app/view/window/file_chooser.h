// file_chooser.h — a small window to choose a file or a folder.
//
// Lists the folders and the files with the wanted endings, and beside them names that are not
// files; it also accepts a typed path. If the choice is invalid, the window shows why and stays
// open. One choice at a time; the caller of open() polls take() each frame. Interface thread only;
// a folder is read when it is entered, not each frame.
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

// What the person is to choose.
struct FileWish {
    enum class Kind { Open, Save, Folder };

    std::string purpose;  // the title; take() identifies the choice by it
    Kind kind = Kind::Open;
    std::string subject;  // kind of file ("scene"); the chooser starts in its last folder
    std::vector<std::string> endings;  // in lower case with the dot; empty: all files
    std::string near_file;             // where it starts otherwise; the proposed name when saving
    std::vector<std::string> names = {};  // extra choices that are not files
    // Returns why a file is not acceptable; empty: every file is.
    std::function<base::Status(const std::string&)> check = nullptr;
};

class FileChooser {
public:
    void open(FileWish wish);

    // Draws the window while it is open. Call once per frame. `folders`: the last folder of each
    // kind.
    void draw(WidgetMarks& marks, std::map<std::string, std::string>& folders);

    // The choice made for this purpose, once.
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
    bool is_new_ = false;  // open() was called, but ImGui's popup is not open yet
    FolderListing listing_;
    std::string typed_;
    std::string error_;  // why the typed path is not acceptable
    std::optional<std::string> chosen_;
};

}  // namespace weft::app
