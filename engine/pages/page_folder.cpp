#include "engine/pages/page_folder.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>

namespace weft::pages {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "tree-";
constexpr const char* kEnding = ".pages";

}  // namespace

std::string page_file_path(const std::string& folder, const std::string& fingerprint) {
    return (fs::path(folder) / (kPrefix + fingerprint + kEnding)).string();
}

std::vector<FolderFile> page_files(const std::string& folder) {
    std::vector<FolderFile> files;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();

        struct stat status {};

        if (name.starts_with(kPrefix) && name.ends_with(kEnding) &&
            lstat(entry->path().c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
            files.push_back({name, static_cast<u64>(status.st_size), status.st_mtime});
        }
    }
    std::sort(files.begin(), files.end(), [](const FolderFile& a, const FolderFile& b) {
        return a.used_at != b.used_at ? a.used_at < b.used_at : a.name < b.name;
    });
    return files;
}

void note_use(const std::string& path) {
    // A file that cannot be changed keeps its time.
    (void)utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

u64 keep_within(const std::string& folder, u64 limit_bytes, const std::string& kept_path) {
    const std::vector<FolderFile> files = page_files(folder);
    u64 held = 0;
    for (const FolderFile& file : files) {
        held += file.size_bytes;
    }
    u64 removed = 0;
    for (const FolderFile& file : files) {
        const fs::path path = fs::path(folder) / file.name;
        std::error_code failed;
        if (held - removed > limit_bytes && path != fs::path(kept_path) &&
            fs::remove(path, failed)) {
            removed += file.size_bytes;
        }
    }
    return removed;
}

}  // namespace weft::pages
