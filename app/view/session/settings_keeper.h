// settings_keeper.h — writes the settings: bookmarks as soon as they change, so that a crash loses
// none, and everything at the end.
//
// Several viewers may run at once: before writing, each merges what the others have written, so
// that no bookmark or recent scene is lost. Interface thread only; while the viewer runs, a thread
// of its own writes, since a disk may be slow.
#pragma once

#include "app/view/background/background.h"
#include "app/view/session/view_settings.h"

namespace weft::app {

// Merges into `ours` the changes between `before` and `theirs` (the file's content): bookmarks that
// others added or removed, and scenes that they opened.
ViewSettings merged_settings(const ViewSettings& before,
                             ViewSettings ours,
                             const ViewSettings& theirs);

class SettingsKeeper {
public:
    // Reads the settings of the last session. Sets an unreadable file aside.
    ViewSettings begin();

    // Why the file was set aside, and its new place; empty: it was not.
    [[nodiscard]] const std::string& fault() const { return fault_; }

    // Starts to write if bookmarks changed. Error: the previous write failed.
    base::Status keep(const ViewSettings& now);

    // Writes everything and waits for it.
    base::Status end(const ViewSettings& now);

private:
    ViewSettings before_;  // as this viewer last read or wrote them
    std::string fault_;
    Background<base::Status> writing_;
};

}  // namespace weft::app
