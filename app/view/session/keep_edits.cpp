#include "app/view/session/keep_edits.h"

#include <fmt/format.h>
#include <memory>

namespace weft::app {

void look_for_unsaved(ViewState& state) {
    std::string names;
    for (const std::string& scene : state.options.scenes) {
        names += (names.empty() ? "" : "+") + scene;
    }
    state.files.autosave.reset();  // the same scene opened again finds its own
    state.files.autosave = std::make_unique<Autosave>(names);
    state.files.left_behind = state.files.autosave->left_behind().value_or("");
}

void keep_unsaved(ViewState& state) {
    const bool is_held = !state.panels.dragged.empty() || state.panels.gizmo.gizmo.is_held() ||
                         state.panels.lamps.gizmo.is_held();
    if (state.files.autosave == nullptr || !state.files.left_behind.empty() || is_held) {
        return;
    }
    const base::Status kept = state.files.autosave->keep(state.document);
    if (!kept.is_ok()) {
        state.say(kept.error());
    }
}

void keep_bookmarks(ViewState& state) {
    const base::Status kept = state.settings_keeper.keep(state.remembered);
    if (!kept.is_ok()) {
        state.say(kept.error());
    }
}

std::string keep_at_end(ViewState& state, const std::string& reason) {
    if (!state.files.autosave || !state.files.left_behind.empty() || !state.document.is_changed()) {
        return reason;
    }
    Autosave& autosave = *state.files.autosave;
    static_cast<void>(autosave.wait());
    static_cast<void>(autosave.keep(state.document));
    const base::Status kept = autosave.wait();
    return kept.is_ok() ? fmt::format(
                              "{}; edits that are not saved are in {}, and are offered "
                              "when the scene is opened again",
                              reason,
                              autosave.path())
                        : fmt::format("{}, and {}", reason, kept.error().sentence);
}

}  // namespace weft::app
