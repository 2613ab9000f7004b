// page_folder.h — the page files of a folder: how they are named, which there are, and how old ones
// are removed.
//
// The time of a file's last change is that of its last use. A file that is removed while a program
// renders from it stays readable to that program. Any thread; several programs at once.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::pages {

// The file of a fingerprint.
std::string page_file_path(const std::string& folder, const std::string& fingerprint);

struct FolderFile {
    std::string name;
    u64 size_bytes = 0;
    std::time_t used_at = 0;
};

// The page files of the folder, the one used longest ago first; empty if it cannot be read.
std::vector<FolderFile> page_files(const std::string& folder);

// Notes that a file is used now.
void note_use(const std::string& path);

// Removes files that were used longest ago until the others take at most `limit_bytes`; never the
// file of `kept_path`. Returns the bytes removed.
u64 keep_within(const std::string& folder, u64 limit_bytes, const std::string& kept_path);

}  // namespace weft::pages
