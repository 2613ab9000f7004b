#include "app/view/session/keep_edits.h"

#include <fmt/format.h>
#include <memory>

#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

void look_for_unsaved(Session& session) {
    std::string names;
    for (const std::string& scene : session.options.scenes) {
        names += (names.empty() ? "" : "+") + scene;
    }
    session.files.autosave.reset();  // so that reopening the same scene finds its file
    session.files.autosave = std::make_unique<Autosave>(names);
    session.files.left_behind = session.files.autosave->left_behind().value_or("");
}

void keep_unsaved(Session& session, Ui& ui, bool is_handle_held) {
    const bool is_dragging = is_handle_held || !session.dragged.empty();
    if (session.files.autosave == nullptr || !session.files.left_behind.empty() || is_dragging) {
        return;
    }
    const base::Status kept = session.files.autosave->keep(session.document);
    if (!kept.is_ok()) {
        ui.say(kept.error());
    }
}

void keep_bookmarks(Session& session, Ui& ui) {
    const base::Status kept = session.settings_keeper.keep(session.remembered);
    if (!kept.is_ok()) {
        ui.say(kept.error());
    }
}

std::string keep_at_end(Session& session, const std::string& reason) {
    if (!session.files.autosave || !session.files.left_behind.empty() ||
        !session.document.is_changed()) {
        return reason;
    }
    Autosave& autosave = *session.files.autosave;
    static_cast<void>(autosave.wait());
    static_cast<void>(autosave.keep(session.document));
    const base::Status kept = autosave.wait();
    return kept.is_ok() ? fmt::format(
                              "{}; edits that are not saved are in {}, and are offered "
                              "when the scene is opened again",
                              reason,
                              autosave.path())
                        : fmt::format("{}, and {}", reason, kept.error().sentence);
}

}  // namespace weft::app
