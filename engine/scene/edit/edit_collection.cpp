// edit_collection.cpp — collections: named sets of objects, kept with the edits and hidden as one.
//
// Lives in the EditContext, beside the scene. Members are paths; one whose object is gone stays in
// its collection, so that an undo finds it there.
#include <algorithm>
#include <utility>

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::scene::edits {

namespace {

constexpr const char* kMembers = "members";

using Members = std::vector<std::string>;

std::vector<Collection>::const_iterator place_of_name(const EditContext& context,
                                                      const std::string& name) {
    return std::lower_bound(
        context.collections.begin(),
        context.collections.end(),
        name,
        [](const Collection& each, const std::string& other) { return each.name < other; });
}

const Collection* maybe_collection(const EditContext& context, const std::string& name) {
    const auto at = place_of_name(context, name);
    return at != context.collections.end() && at->name == name ? &*at : nullptr;
}

base::Error no_such_collection(const EditContext& context, const Address& address) {
    std::string names;
    for (const Collection& each : context.collections) {
        names += (names.empty() ? "" : ", ") + object_path("collections", each.name, 1);
    }
    return {
        base::ErrorKind::Usage,
        address.path + ": there is no such collection; expected " +
            (names.empty() ? std::string("a list of members, which makes it") : "one of " + names)};
}

base::Result<Members> read_members(const Scene& scene,
                                   const EditContext& context,
                                   const std::string& place,
                                   const Json& value) {
    if (!is_list(value)) {
        return wrong_value(place, value, "a list of paths");
    }
    Members read;
    for (std::size_t k = 0; k < size_of(value); ++k) {
        const std::string at = place + "/" + std::to_string(k);
        const base::Result<std::string> text = read_text(at, item(value, k));
        WEFT_TRY(text);
        const base::Result<Address> member = parse_path(text.value());
        const bool is_object =
            member.is_ok() && member.value().field.empty() &&
            (member.value().family == "nodes" || member.value().family == "groups" ||
             member.value().family == "lights" || member.value().family == "cameras");
        if (!is_object) {
            return wrong_value(
                at, item(value, k), "the path of a node, a group, a light or a camera");
        }
        WEFT_TRY(find_object(scene, context, member.value()));
        read.push_back(text.value());
    }
    std::sort(read.begin(), read.end());
    read.erase(std::unique(read.begin(), read.end()), read.end());
    return read;
}

std::string members_text(const Collection& collection) {
    std::string text;
    for (const std::string& member : collection.members) {
        text += (text.empty() ? "[" : ", ") + quoted(member);
    }
    return text.empty() ? "[]" : text + "]";
}

std::string collection_text(const Collection& collection) {
    return "{\"members\": " + members_text(collection) +
           (collection.is_hidden ? ", \"visible\": false}" : "}");
}

// An object adds or replaces the collection, null deletes it.
base::Result<u32> put_collection(const Scene& scene,
                                 EditContext& context,
                                 const Address& address,
                                 const Json& value) {
    Collection put{address.name};
    for (const auto& [name, member] : members(value)) {
        const std::string place = address.path + "/" + name;
        if (name == kMembers) {
            base::Result<Members> read = read_members(scene, context, place, member);
            WEFT_TRY(read);
            put.members = std::move(read.value());
        } else if (name == kVisible) {
            const base::Result<bool> visible = read_flag(place, member);
            WEFT_TRY(visible);
            put.is_hidden = !visible.value();
        } else {
            return wrong_value(place, member, "no other member than members and visible");
        }
    }
    const Collection* const known = maybe_collection(context, address.name);
    const bool shows = put.is_hidden || (known != nullptr && known->is_hidden);
    const auto at = context.collections.begin() +
                    (place_of_name(context, address.name) - context.collections.cbegin());
    if (known != nullptr) {
        *at = std::move(put);
    } else {
        context.collections.insert(at, std::move(put));
    }
    return shows ? u32{kEffectLook} : u32{kEffectNone};
}

base::Result<u32> delete_collection(EditContext& context, const Address& address) {
    const Collection* const known = maybe_collection(context, address.name);
    if (known == nullptr) {
        return no_such_collection(context, address);
    }
    const bool shows = known->is_hidden;
    context.collections.erase(place_of_name(context, address.name));
    return shows ? u32{kEffectLook} : u32{kEffectNone};
}

bool has_collection(const Scene& /*scene*/, const EditContext& context, const Address& address) {
    return maybe_collection(context, address.name) != nullptr;
}

std::vector<EditField> collection_fields(const EditContext& /*context*/) {
    EditField listed = number_field(kMembers, "Members", "", 0, 1);
    listed.kind = EditKind::PathList;
    return {listed, visible_field("Visible")};
}

base::Result<std::string> read_collection(const Scene& /*scene*/,
                                          const EditContext& context,
                                          const Address& address) {
    const Collection* const known = maybe_collection(context, address.name);
    if (known == nullptr) {
        return no_such_collection(context, address);
    }
    if (address.field.empty()) {
        return collection_text(*known);
    }
    if (address.field == kMembers) {
        return members_text(*known);
    }
    return address.field == kVisible
               ? base::Result<std::string>(flag_text(!known->is_hidden))
               : no_such_field(address, field_names(collection_fields(context)));
}

base::Result<u32> apply_collection(Scene& scene,
                                   EditContext& context,
                                   const Address& address,
                                   const Json& value) {
    if (address.field.empty()) {
        if (is_null(value)) {
            return delete_collection(context, address);
        }
        return is_object(value)
                   ? put_collection(scene, context, address, value)
                   : wrong_value(address.path, value, "an object with members, or null");
    }
    const Collection* const known = maybe_collection(context, address.name);
    if (known == nullptr) {
        return no_such_collection(context, address);
    }
    Collection changed = *known;
    if (address.field == kMembers) {
        base::Result<Members> read = read_members(scene, context, address.path, value);
        WEFT_TRY(read);
        changed.members = std::move(read.value());
    } else if (address.field == kVisible) {
        const base::Result<bool> visible = read_flag(address.path, value);
        WEFT_TRY(visible);
        changed.is_hidden = !visible.value();
    } else {
        return no_such_field(address, field_names(collection_fields(context)));
    }
    const bool shows = known->is_hidden || changed.is_hidden;
    context.collections[static_cast<std::size_t>(known - context.collections.data())] =
        std::move(changed);
    return shows ? u32{kEffectLook} : u32{kEffectNone};
}

base::Result<Edit> inverse_of_collection(const Scene& scene,
                                         const EditContext& context,
                                         const Address& address,
                                         const std::string& text) {
    const auto value = parse_value(address.path, text);
    WEFT_TRY(value);
    const bool is_new = address.field.empty() && !has_collection(scene, context, address);
    if (is_new && !is_null(*value.value())) {
        return Edit{address.path, "null"};
    }
    return present_value(address.path, read_collection(scene, context, address));
}

// The hidden name of a member; empty for a camera, which is not drawn.
std::string hidden_name_of(const Scene& scene,
                           const EditContext& context,
                           const std::string& member) {
    const base::Result<Address> parsed = parse_path(member);
    if (!parsed.is_ok()) {
        return "";
    }
    const Address& address = parsed.value();
    if (address.family == "nodes") {
        return has_node(scene, context, address) ? hidden_name(address.name, address.ordinal - 1)
                                                 : "";
    }
    if (address.family == "lights") {
        return find_named(scene.lights, address) ? "lights/" + address.name : "";
    }
    const std::optional<u32> group =
        address.family == "groups" ? group_at(scene, context, address) : std::nullopt;
    return group ? hidden_name(scene.groups[*group]) : "";
}

}  // namespace

constinit const Family kCollectionFamily = {"collections",
                                            has_collection,
                                            collection_fields,
                                            read_collection,
                                            apply_collection,
                                            inverse_of_collection};

}  // namespace weft::scene::edits

namespace weft::scene {

std::vector<std::string> hidden_names(const Scene& scene, const EditContext& context) {
    std::vector<std::string> names = context.hidden;
    EditContext known;
    known.names = std::make_shared<edits::NameTables>();
    for (const Collection& collection : context.collections) {
        for (const std::string& member :
             collection.is_hidden ? collection.members : std::vector<std::string>()) {
            names.push_back(edits::hidden_name_of(scene, known, member));
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::erase(names, "");
    return names;
}

}  // namespace weft::scene
