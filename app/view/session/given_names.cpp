#include "app/view/session/given_names.h"

#include "app/view/models/object_name.h"
#include "app/view/session/collections.h"
#include "app/view/session/send_edit.h"
#include "app/view/session/session.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::app {

void rename_thing(Session& session, Ui& ui, const std::string& path, const std::string& name) {
    if (family_of(path) == "collections") {
        rename_collection(session, ui, path, name);
        return;
    }
    // Nothing and the name of the file are the same.
    const std::string value =
        name.empty() || name == shown_name(path) ? "null" : scene::edits::quoted(name);
    const auto now =
        scene::read_value(session.document.scene(), session.document.context(), path + "/name");
    if (now.is_ok() && now.value() != value) {
        session.dragged.clear();
        send_edit(session, ui, path + "/name", value);
        session.dragged.clear();
    }
}

}  // namespace weft::app
