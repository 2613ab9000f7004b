// settings_keeper.h — writes what is to be remembered: bookmarks as soon as they change, so that a
// crash loses none, and everything at the end.
//
// Several viewers may run at once: before it is written, what another one has written meanwhile is
// brought in, so that none takes bookmarks or recent scenes away from another. Interface thread
// only; while the viewer runs a thread of its own writes, since a disk may take its time.
#pragma once

#include "app/view/background/background.h"
#include "app/view/session/view_settings.h"

namespace weft::app {

// `ours` with what others have done since `before`, as `theirs` in the file says: views that they
// have kept or removed, scenes that they have opened.
ViewSettings merged_settings(const ViewSettings& before,
                             ViewSettings ours,
                             const ViewSettings& theirs);

class SettingsKeeper {
public:
    // Those of the last time. A file that cannot be read is set aside.
    ViewSettings begin();

    // What was wrong with the file, and where it is now; empty: nothing.
    [[nodiscard]] const std::string& fault() const { return fault_; }

    // Begins to write where bookmarks have changed. Error: of what was begun before.
    base::Status keep(const ViewSettings& now);

    // Writes everything, to its end.
    base::Status end(const ViewSettings& now);

private:
    ViewSettings before_;  // as read or last written by this viewer
    std::string fault_;
    Background<base::Status> writing_;
};

}  // namespace weft::app
