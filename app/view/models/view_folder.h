// view_folder.h — lists a folder for the file chooser.
//
// Pure but for reading the folder; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::app {

// ".png" for "Wood.PNG"; empty if the name has no ending.
std::string ending_of(const std::filesystem::path& file);

struct FolderListing {
    std::filesystem::path folder;      // absolute
    std::vector<std::string> folders;  // sorted by name, without hidden ones
    std::vector<std::string> files;    // sorted by name, with the wanted endings only
    std::string error;                 // why the folder could not be read
};

// `endings` such as ".png", compared ignoring case; empty: all files.
FolderListing list_folder(const std::filesystem::path& folder,
                          const std::vector<std::string>& endings);

}  // namespace weft::app
