#include "app/view/session/settings_keeper.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/view/session/put_aside.h"
#include "engine/scene/files/json_text.h"

namespace weft::app {

namespace {

using Bookmarks = std::vector<Bookmark>;

// Compares ignoring spaces in the JSON, since a file is written without them.
bool is_same(const Bookmark& one, const Bookmark& other) {
    const auto camera = scene::parse_json(one.camera);
    const auto others = scene::parse_json(other.camera);
    return one.name == other.name &&
           (one.camera == other.camera ||
            (camera.is_ok() && others.is_ok() && camera.value() == others.value()));
}

bool has(const Bookmarks& list, const Bookmark& bookmark) {
    return std::any_of(
        list.begin(), list.end(), [&](const Bookmark& other) { return is_same(other, bookmark); });
}

Bookmarks merged(const Bookmarks& before, const Bookmarks& ours, const Bookmarks& theirs) {
    Bookmarks all;
    for (const Bookmark& bookmark : ours) {
        const bool is_removed = has(before, bookmark) && !has(theirs, bookmark);
        if (!is_removed) {
            all.push_back(bookmark);
        }
    }
    for (Bookmark bookmark : theirs) {
        if (has(before, bookmark) || has(all, bookmark)) {
            continue;
        }
        const bool is_name_taken = std::any_of(all.begin(), all.end(), [&](const Bookmark& other) {
            return other.name == bookmark.name;
        });
        bookmark.name = is_name_taken ? free_name(all) : bookmark.name;
        all.push_back(std::move(bookmark));
    }
    return all;
}

void append_others(std::vector<std::string>& ours,
                   const std::vector<std::string>& theirs,
                   std::size_t most) {
    for (const std::string& text : theirs) {
        if (std::find(ours.begin(), ours.end(), text) == ours.end() && ours.size() < most) {
            ours.push_back(text);
        }
    }
}

base::Status write_merged(const ViewSettings& before, const ViewSettings& ours) {
    return write_settings(merged_settings(before, ours, read_settings(before)));
}

}  // namespace

ViewSettings merged_settings(const ViewSettings& before,
                             ViewSettings ours,
                             const ViewSettings& theirs) {
    const auto list_of = [](const ViewSettings& settings, const std::string& scene) {
        const auto found = settings.bookmarks.find(scene);
        return found == settings.bookmarks.end() ? Bookmarks{} : found->second;
    };
    const auto own = ours.bookmarks;
    for (const auto* const all : {&own, &theirs.bookmarks}) {
        for (const auto& [scene, list] : *all) {
            ours.bookmarks[scene] = merged(list_of(before, scene),
                                           own.contains(scene) ? own.at(scene) : Bookmarks{},
                                           list_of(theirs, scene));
        }
    }
    append_others(ours.recent, theirs.recent, kMostRecent);
    append_others(ours.pictures, theirs.pictures, kMostPictures);
    return ours;
}

ViewSettings SettingsKeeper::begin() {
    std::error_code problem;
    const std::string file = settings_file();
    const auto read = std::filesystem::exists(file, problem)
                          ? scene::read_json_file(file, "a file of settings")
                          : base::Result<nlohmann::json>(nlohmann::json());
    if (!read.is_ok()) {
        fault_ = set_aside(file, read.error().sentence);
    }
    before_ = read_settings();
    return before_;
}

base::Status SettingsKeeper::keep(const ViewSettings& now) {
    base::Status written = writing_.poll().value_or(base::Done{});
    if (writing_.is_running()) {
        return base::Done{};
    }
    if (now.bookmarks != before_.bookmarks || now.pictures != before_.pictures) {
        writing_.start(
            [before = std::exchange(before_, now), now] { return write_merged(before, now); });
    }
    return written;
}

base::Status SettingsKeeper::end(const ViewSettings& now) {
    static_cast<void>(writing_.wait());  // a failure there occurs here again
    return write_merged(std::exchange(before_, now), now);
}

}  // namespace weft::app
