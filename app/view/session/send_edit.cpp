#include "app/view/session/send_edit.h"

#include <imgui.h>

#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

bool send_edit(Session& session, Ui& ui, const std::string& path, const std::string& json) {
    const bool continues = session.dragged == path;
    const base::Status done = session.document.edit({path, json}, continues);
    if (done.is_ok()) {
        session.dragged = path;
    } else {
        // The error shows until the next edit succeeds.
        say_of_edits(ui, session, done.error().sentence);
        ui.message.is_error = true;
    }
    return done.is_ok();
}

void end_drag(Session& session) {
    if (!ImGui::IsAnyItemActive() || ImGui::IsItemDeactivated()) {
        session.dragged.clear();
    }
}

void end_drags(Session& session) {
    if (!ImGui::IsAnyItemActive()) {
        session.dragged.clear();
    }
}

}  // namespace weft::app
