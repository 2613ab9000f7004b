#include "app/view/session/collections.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/view/models/object_name.h"
#include "app/view/session/multi_selection.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"
#include "engine/scene/edit/edit_path.h"

namespace weft::app {

namespace {

using Json = nlohmann::json;
using Members = std::vector<std::string>;

const scene::Collection* maybe_collection(const Session& session, const std::string& path) {
    for (const scene::Collection& each : session.document.context().collections) {
        if (scene::edits::object_path("collections", each.name, 1) == path) {
            return &each;
        }
    }
    return nullptr;
}

// What can be in a collection and is in the scene.
Members kept(const Session& session, std::span<const std::string> members) {
    Members known;
    for (const std::string& member : members) {
        if (is_placed(member) &&
            !scene::editable_fields(session.document.scene(), session.document.context(), member)
                 .empty()) {
            known.push_back(member);
        }
    }
    return known;
}

std::string value_of(const Members& members, bool is_hidden) {
    Json value = {{"members", members}};
    if (is_hidden) {
        value["visible"] = false;
    }
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void make(Session& session, Ui& ui, std::span<const scene::Edit> edits) {
    session.dragged.clear();
    const base::Status done = session.document.edit_all(edits);
    if (!done.is_ok()) {
        ui.say(done.error());
    }
}

void set_members(Session& session, Ui& ui, const std::string& path, const Members& members) {
    const std::array<scene::Edit, 1> edit = {
        {{path + "/members",
          Json(kept(session, members)).dump(-1, ' ', false, Json::error_handler_t::replace)}}};
    make(session, ui, edit);
}

}  // namespace

void add_collection(Session& session, Ui& ui, std::span<const std::string> members) {
    std::string path;
    u32 number = 0;
    do {
        ++number;
        path = "collections/Collection" + (number == 1 ? "" : " " + std::to_string(number));
    } while (maybe_collection(session, path) != nullptr);
    const std::array<scene::Edit, 1> edit = {{{path, value_of(kept(session, members), false)}}};
    make(session, ui, edit);
}

void add_members(Session& session,
                 Ui& ui,
                 const std::string& path,
                 std::span<const std::string> members) {
    if (const scene::Collection* const known = maybe_collection(session, path)) {
        Members all = known->members;
        all.insert(all.end(), members.begin(), members.end());
        set_members(session, ui, path, all);
    }
}

void remove_members(Session& session,
                    Ui& ui,
                    const std::string& path,
                    std::span<const std::string> members) {
    if (const scene::Collection* const known = maybe_collection(session, path)) {
        Members left = known->members;
        std::erase_if(left, [&](const std::string& member) {
            return std::find(members.begin(), members.end(), member) != members.end();
        });
        set_members(session, ui, path, left);
    }
}

void rename_collection(Session& session, Ui& ui, const std::string& path, const std::string& name) {
    const scene::Collection* const known = maybe_collection(session, path);
    const std::string renamed = scene::edits::object_path("collections", name, 1);
    if (known == nullptr || name.empty() || renamed == path) {
        return;
    }
    if (maybe_collection(session, renamed) != nullptr) {
        ui.say("There is a collection " + name + " already");
        return;
    }
    const std::array<scene::Edit, 2> edits = {
        {{path, "null"}, {renamed, value_of(kept(session, known->members), known->is_hidden)}}};
    make(session, ui, edits);
}

void delete_collection(Session& session, Ui& ui, const std::string& path) {
    const std::array<scene::Edit, 1> edit = {{{path, "null"}}};
    make(session, ui, edit);
}

}  // namespace weft::app
