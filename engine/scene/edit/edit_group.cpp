// edit_group.cpp — groups: moved and hidden with all that is below them, and named; and where
// nodes, lights and cameras stand in them.
//
// Groups are never added or deleted, so their indices stay. What follows a group has a Hold
// (scene_tree.h); an inverse restores it, so that undoing moves of a group and of what stands in it
// gives the same bits in any order.
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::scene::edits {

namespace {

constexpr const char* kPut = "put";

base::Result<Hold> read_hold(const std::string& place, const Json& value) {
    Hold hold;
    for (const auto& [name, member] : members(value)) {
        const std::string at = place + "/" + name;
        if (name != kPut && name != kGroup) {
            return wrong_value(at, member, "no other member than put and group");
        }
        if (name == kGroup) {
            WEFT_TRY(read_matrix(at, member, hold.group));
        } else {
            WEFT_TRY(read_floats(at, member, {-kHuge, kHuge}, hold.put));
        }
    }
    if (find(value, kPut) == nullptr || find(value, kGroup) == nullptr) {
        return wrong_value(place, value, "an object with put and group");
    }
    return hold;
}

base::Result<u32> show_group(const Scene& scene,
                             EditContext& context,
                             const Address& address,
                             u32 group,
                             const Json& value) {
    const base::Result<bool> visible = read_flag(address.path, value);
    WEFT_TRY(visible);
    set_hidden(context, hidden_name(scene.groups[group]), !visible.value());
    return u32{kEffectLook};
}

base::Result<u32> name_group(Scene& scene, const Address& address, u32 group, const Json& value) {
    base::Result<std::string> name = read_given_name(address.path, value, address.name);
    WEFT_TRY(name);
    scene.groups[group].given_name = std::move(name.value());
    return u32{kEffectTree};
}

// The camera of the file that the camera that renders looks through.
std::optional<std::size_t> camera_seen_through(const Scene& scene, const EditContext& context) {
    for (std::size_t k = 0; k < scene.cameras.size(); ++k) {
        if (scene.cameras[k].to_world == context.camera.to_world) {
            return k;
        }
    }
    return std::nullopt;
}

base::Result<u32> put_group(
    Scene& scene, EditContext& context, const Address& address, u32 group, const Json& value) {
    const std::optional<std::size_t> camera = camera_seen_through(scene, context);
    const Group& now = std::as_const(scene.groups)[group];
    const base::Result<Stance> stance = read_stance(scene, address.path, value, now.parent);
    WEFT_TRY(stance);
    const std::optional<GroupMove> moved = move_group(
        scene, group, stance.value().matrix, stance.value().hold ? &*stance.value().hold : nullptr);
    if (!moved) {
        return wrong_value(address.path,
                           value,
                           "a matrix that leaves all in the group within 1e18 m and invertible");
    }
    if (camera) {
        context.camera.to_world = scene.cameras[*camera].to_world;
    }
    return u32{kEffectTree} | (camera && moved->has_cameras ? u32{kEffectCamera} : 0U) |
           (moved->has_instances ? u32{kEffectPlacement} : 0U) |
           (moved->has_lights ? u32{kEffectShading} : 0U);
}

bool has_group(const Scene& scene, const EditContext& context, const Address& address) {
    return group_at(scene, context, address).has_value();
}

std::vector<EditField> group_fields(const EditContext& /*context*/) {
    return {transform_field(), visible_field("Visible"), name_field()};
}

base::Result<std::string> read_group(const Scene& scene,
                                     const EditContext& context,
                                     const Address& address) {
    const std::optional<u32> group = group_at(scene, context, address);
    if (!group) {
        return no_such_object(scene, address);
    }
    const Group& found = scene.groups[*group];
    if (address.field == kTransform) {
        return floats_text(found.to_world);
    }
    if (address.field == kVisible) {
        return flag_text(!is_hidden(context, hidden_name(found)));
    }
    if (address.field == kName) {
        return given_name_text(found.given_name);
    }
    return no_such_field(address, field_names(group_fields(context)));
}

base::Result<u32> apply_group(Scene& scene,
                              EditContext& context,
                              const Address& address,
                              const Json& value) {
    const std::optional<u32> group = group_at(scene, context, address);
    if (!group) {
        return no_such_object(scene, address);
    }
    if (address.field == kVisible) {
        return show_group(scene, context, address, *group, value);
    }
    if (address.field == kName) {
        return name_group(scene, address, *group, value);
    }
    return address.field == kTransform
               ? put_group(scene, context, address, *group, value)
               : base::Result<u32>(no_such_field(address, field_names(group_fields(context))));
}

base::Result<Edit> inverse_of_group(const Scene& scene,
                                    const EditContext& context,
                                    const Address& address,
                                    const std::string& /*text*/) {
    const base::Result<std::string> value = read_group(scene, context, address);
    WEFT_TRY(value);
    if (address.field != kTransform) {
        return Edit{address.path, value.value()};
    }
    const Group& group = scene.groups[*group_at(scene, context, address)];
    return Edit{address.path, stance_text(scene, group.to_world, group.parent, group.hold)};
}

}  // namespace

base::Result<Stance> read_stance(const Scene& scene,
                                 const std::string& place,
                                 const Json& value,
                                 u32 group) {
    Stance stance;
    if (!is_object(value)) {
        WEFT_TRY(read_matrix(place, value, stance.matrix));
        return stance;
    }
    const base::Result<Hold> hold = read_held(place, value, group);
    WEFT_TRY(hold);
    stance.hold = hold.value();
    stance.matrix = place_in_group(hold.value(), scene.groups[group].to_world);
    if (!can_place(stance.matrix)) {
        return wrong_value(
            place, value, "a place within 1e18 m with a matrix that can be inverted");
    }
    return stance;
}

base::Result<Hold> read_held(const std::string& place, const Json& value, u32 group) {
    if (!is_object(value)) {
        return wrong_value(place, value, "an object with put and group");
    }
    if (group == kNone) {
        return wrong_value(place, value, "12 numbers, since it stands in no group");
    }
    return read_hold(place, value);
}

std::string hold_text(const Hold& hold) {
    return "{\"put\": " + floats_text(hold.put) + ", \"group\": " + floats_text(hold.group) + "}";
}

std::string stance_text(const Scene& scene, const math::Affine& matrix, u32 group, u32 hold) {
    const Hold* const held = maybe_hold(scene, group, hold);
    return held ? hold_text(*held) : floats_text(matrix);
}

u32 keep_hold(Scene& scene, const std::optional<Hold>& hold) {
    if (!hold) {
        return kNone;
    }
    scene.holds.push_back(*hold);
    return static_cast<u32>(scene.holds.size() - 1);
}

EditField transform_field() {
    EditField field = number_field(kTransform, "Transform", "", -kReach, kReach);
    field.kind = EditKind::Vector;
    field.count = 12;
    return field;
}

EditField visible_field(const char* label) {
    EditField field = number_field(kVisible, label, "", 0, 1);
    field.kind = EditKind::Flag;
    return field;
}

constinit const Family kGroupFamily = {
    "groups", has_group, group_fields, read_group, apply_group, inverse_of_group};

}  // namespace weft::scene::edits
