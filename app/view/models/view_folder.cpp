#include "app/view/models/view_folder.h"

#include <algorithm>
#include <cctype>

namespace weft::app {

std::string ending_of(const std::filesystem::path& file) {
    std::string ending = file.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char letter) {
        return static_cast<char>(std::tolower(letter));
    });
    return ending;
}

FolderListing list_folder(const std::filesystem::path& folder,
                          const std::vector<std::string>& endings) {
    FolderListing listing;
    std::error_code error;
    listing.folder = std::filesystem::absolute(folder, error).lexically_normal();
    for (std::filesystem::directory_iterator entry(listing.folder, error), end;
         !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::error_code unreadable;
        if (name.starts_with('.')) {
            continue;
        }
        if (entry->is_directory(unreadable)) {
            listing.folders.push_back(name);
        } else if (endings.empty() ||
                   std::find(endings.begin(), endings.end(), ending_of(entry->path())) !=
                       endings.end()) {
            listing.files.push_back(name);
        }
    }
    if (error) {
        listing.error = listing.folder.string() + ": " + error.message();
    }
    std::sort(listing.folders.begin(), listing.folders.end());
    std::sort(listing.files.begin(), listing.files.end());
    return listing;
}

}  // namespace weft::app
