// file_chooser.h — a small window in which a file of the disk is chosen.
//
// Shows the folders and the files of some endings, or takes a path that is typed. One choice at a
// time; whoever opened it asks take() each frame. Interface thread only; reading a folder happens
// when it is entered, not each frame.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/view/view_folder.h"

namespace weft::app {

class WidgetMarks;

class FileChooser {
public:
    // `purpose` tells the one who asks from others; it is the title as well. `endings` are in small
    // letters with their dot; empty: all files.
    void open(std::string purpose, std::vector<std::string> endings, const std::string& near_file);

    // The same for a file that is to be written, with the name of `proposed`.
    void open_to_save(std::string purpose,
                      std::vector<std::string> endings,
                      const std::string& proposed);

    // The window, while it is open. Once per frame.
    void draw(WidgetMarks& marks);

    // What was chosen for this purpose, once.
    std::optional<std::string> take(const std::string& purpose);

    [[nodiscard]] bool is_open() const { return is_open_; }

private:
    void enter(const std::filesystem::path& folder);
    void draw_entries(WidgetMarks& marks);
    void choose(const std::string& file);

    bool is_open_ = false;
    bool is_to_save_ = false;
    bool is_new_ = false;  // since open(): ImGui's popup is yet to be opened
    std::string purpose_;
    std::vector<std::string> endings_;
    FolderListing listing_;
    std::string typed_;
    std::optional<std::string> chosen_;
};

}  // namespace weft::app
