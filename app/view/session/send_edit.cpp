#include "app/view/session/send_edit.h"

#include <imgui.h>

namespace weft::app {

bool send_edit(ViewState& state, const std::string& path, const std::string& json) {
    const bool continues = state.panels.dragged == path;
    const base::Status done = state.document.edit({path, json}, continues);
    if (done.is_ok()) {
        state.panels.dragged = path;
    } else {
        // Until an edit is made after all.
        state.say_of_edits(done.error().sentence);
        state.message.is_error = true;
    }
    return done.is_ok();
}

void end_drag(ViewState& state) {
    if (!ImGui::IsAnyItemActive() || ImGui::IsItemDeactivated()) {
        state.panels.dragged.clear();
    }
}

void end_drags(ViewState& state) {
    if (!ImGui::IsAnyItemActive()) {
        state.panels.dragged.clear();
    }
}

}  // namespace weft::app
