// view_folder.h — what lies in a folder, as the file chooser lists it.
//
// Pure but for reading the folder; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::app {

// ".png" of "Wood.PNG"; empty where a name has none.
std::string ending_of(const std::filesystem::path& file);

struct FolderListing {
    std::filesystem::path folder;      // absolute
    std::vector<std::string> folders;  // by name, hidden ones left out
    std::vector<std::string> files;    // by name, of the endings that are wanted
    std::string error;                 // why it could not be read
};

// `endings` as ".png", compared without regard to capital letters; empty: all files.
FolderListing list_folder(const std::filesystem::path& folder,
                          const std::vector<std::string>& endings);

}  // namespace weft::app
