// edit_light.cpp — lights: changed, added, deleted.
//
// An object at lights/NAME replaces the light of that name or appends one. With "insert_at" it is
// always a new light at that index, so that undo restores a deleted light to its place: the order
// of lights decides which of them a sample picks. "group" is the index of the group that it stands
// in, or null, "held" how (read_held()): the values that are read have both. The context holds
// which lights are off, by name alone, as it does for hidden nodes.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/math/angle.h"
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_boxes.h"
#include "engine/scene/model/scene_tree.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

constexpr double kLargestRadius = 1e4;  // metres
constexpr double kWidestSun = 90;       // degrees from edge to edge
constexpr const char* kInner = "inner_deg";
constexpr const char* kOuter = "outer_deg";
constexpr const char* kHeld = "held";

// In the order of LightKind, whose later kinds are no lights of a scene.
const std::array<std::string, 3> kKinds = {"point", "spot", "directional"};

float cosine_of(double degrees) {
    return static_cast<float>(shaders::cos_of(math::to_radians(degrees)));
}

// Degrees for which cosine_of() gives the same bits.
std::string degrees_text(float cosine) {
    return short_text(math::to_degrees(shaders::acos_of(static_cast<double>(cosine))),
                      [&](double degrees) { return cosine_of(degrees) == cosine; });
}

base::Status set_angle(const std::string& place, const Json& value, float& cosine) {
    const base::Result<double> degrees = read_number(place, value, {0, 90});
    WEFT_TRY(degrees);
    cosine = cosine_of(degrees.value());
    return base::Done{};
}

base::Status set_size(const std::string& place, const Json& value, double most, float& size) {
    const base::Result<double> read = read_number(place, value, {0, most});
    WEFT_TRY(read);
    size = static_cast<float>(read.value());
    return base::Done{};
}

base::Status set_direction(Light& light, const std::string& place, const Json& value) {
    math::Vec3 read{};
    WEFT_TRY(read_floats(place, value, {-kHuge, kHuge}, math::components(read)));
    const double length = unit_length(math::components(read));
    if (!(length > 0)) {
        return wrong_value(place, value, "a direction that is not zero");
    }
    light.direction = math::Vec3(math::DVec3(read) / length);
    return base::Done{};
}

base::Status set_kind(Light& light, const std::string& place, const Json& value) {
    const base::Result<u32> choice = read_choice(place, value, kKinds);
    WEFT_TRY(choice);
    light.kind = static_cast<shaders::LightKind>(choice.value());
    return base::Done{};
}

std::vector<FieldRow<Light>> make_light_rows() {
    EditField kind = number_field("kind", "Kind", "", 0, 0);
    kind.kind = EditKind::Choice;
    kind.choices.assign(kKinds.begin(), kKinds.end());
    EditField position = number_field("position", "Position", "m", -100, 100);
    position.kind = EditKind::Vector;
    position.count = 3;
    position.least = -kReach;
    position.most = kReach;
    EditField direction = number_field("direction", "Direction", "", -1, 1);
    direction.kind = EditKind::Vector;
    direction.count = 3;
    direction.least = -kHuge;
    direction.most = kHuge;
    EditField intensity = number_field("intensity", "Intensity", "cd, lux", 0.01, 100000);
    intensity.kind = EditKind::Colour;
    intensity.count = 3;
    intensity.least = 0;
    intensity.most = kHuge;
    intensity.is_logarithmic = true;
    EditField radius = number_field("radius_m", "Radius", "m", 0, 1);
    radius.most = kLargestRadius;
    EditField angle = number_field("angle_deg", "Angular diameter", "°", 0, 10);
    angle.most = kWidestSun;
    const EditField inner = number_field(kInner, "Inner half angle", "°", 0, 90);
    const EditField outer = number_field(kOuter, "Outer half angle", "°", 0, 90);
    using Place = const std::string&;
    return {
        {kind,
         [](const Light& light) {
             return quoted(kKinds[std::min(static_cast<u32>(light.kind), 2U)]);
         },
         set_kind},
        {position,
         [](const Light& light) { return floats_text(math::components(light.position)); },
         [](Light& light, Place place, const Json& value) {
             return read_floats(place, value, {-kReach, kReach}, math::components(light.position));
         }},
        {direction,
         [](const Light& light) { return floats_text(math::components(light.direction)); },
         set_direction},
        {intensity,
         [](const Light& light) { return floats_text(math::components(light.intensity)); },
         [](Light& light, Place place, const Json& value) {
             return read_floats(place, value, {0, kHuge}, math::components(light.intensity));
         }},
        {radius,
         [](const Light& light) { return float_text(light.radius_m); },
         [](Light& light, Place place, const Json& value) {
             return set_size(place, value, kLargestRadius, light.radius_m);
         }},
        {angle,
         [](const Light& light) { return float_text(light.angle_deg); },
         [](Light& light, Place place, const Json& value) {
             return set_size(place, value, kWidestSun, light.angle_deg);
         }},
        {inner,
         [](const Light& light) { return degrees_text(light.cos_inner); },
         [](Light& light, Place place, const Json& value) {
             return set_angle(place, value, light.cos_inner);
         }},
        {outer,
         [](const Light& light) { return degrees_text(light.cos_outer); },
         [](Light& light, Place place, const Json& value) {
             return set_angle(place, value, light.cos_outer);
         }},
    };
}

// The fields of the light itself: all except whether it is on.
FieldRows<Light> light_rows() {
    static const std::vector<FieldRow<Light>> rows = make_light_rows();
    return rows;
}

// Its name in EditContext::hidden.
std::string hidden_light_name(const Address& address) {
    return "lights/" + address.name;
}

base::Status check_cone(const std::string& place, const Light& light) {
    if (light.cos_inner >= light.cos_outer) {
        return base::Done{};
    }
    return base::Error{base::ErrorKind::Usage,
                       place + ": found inner_deg " + degrees_text(light.cos_inner) +
                           " and outer_deg " + degrees_text(light.cos_outer) +
                           ", expected the inner angle to be the smaller one"};
}

// Where the changed angle passes the other one, sets that to the same angle.
void keep_cone(Light& light, const std::string& changed) {
    if (light.cos_inner < light.cos_outer) {
        const bool is_outer = changed == kOuter;
        (is_outer ? light.cos_inner : light.cos_outer) =
            is_outer ? light.cos_outer : light.cos_inner;
    }
}

base::Status set_name(Light& light, const std::string& place, const Json& value) {
    base::Result<std::string> name = read_given_name(place, value, light.name);
    WEFT_TRY(name);
    light.given_name = std::move(name.value());
    return base::Done{};
}

// Sets all members of an object but those that say where the light stands in the scene.
base::Status set_members(Light& light, const Address& address, const Json& value) {
    for (const auto& [name, member] : members(value)) {
        const std::string place = address.path + "/" + name;
        if (name == kInsertAt || name == kGroup || name == kHeld) {
            continue;
        }
        if (name == kName) {
            WEFT_TRY(set_name(light, place, member));
            continue;
        }
        const FieldRow<Light>* const row = find_row(light_rows(), name);
        if (row == nullptr) {
            return wrong_value(
                place, member, "no other member than " + field_names(fields_of(light_rows())));
        }
        WEFT_TRY(row->set(light, place, member));
    }
    return check_cone(address.path, light);
}

// Puts the light into the group that the object names, where its hold says.
base::Status set_group(Scene& scene, Light& light, const Address& address, const Json& value) {
    if (const Json* const group = find(value, kGroup)) {
        const std::string place = address.path + "/" + kGroup;
        const bool is_index = is_count(*group) && count_of(*group) < scene.groups.size();
        if (!is_index && !is_null(*group)) {
            return wrong_value(
                place,
                *group,
                "null or a whole number below " + std::to_string(scene.groups.size()));
        }
        light.group = is_index ? static_cast<u32>(count_of(*group)) : kNone;
    }
    const Json* const held = find(value, kHeld);
    if (held == nullptr) {
        return base::Done{};
    }
    const std::string place = address.path + "/" + kHeld;
    const base::Result<Hold> hold = read_held(place, *held, light.group);
    WEFT_TRY(hold);
    const math::Affine& group = std::as_const(scene.groups)[light.group].to_world;
    set_light_matrix(light, place_in_group(hold.value(), group), hold.value());
    if (!is_in_reach(light.position)) {
        return wrong_value(place, *held, "a place within 1e18 m");
    }
    light.hold = keep_hold(scene, hold.value());
    return base::Done{};
}

base::Result<u32> put_light(Scene& scene,
                            const Address& address,
                            const Json& value,
                            std::optional<u32> index) {
    const Json* const member = find(value, kInsertAt);
    std::optional<u32> insert_at;
    if (member != nullptr) {
        if (!is_count(*member) || count_of(*member) > scene.lights.size()) {
            return wrong_value(address.path + "/" + kInsertAt,
                               *member,
                               "a whole number from 0 to " + std::to_string(scene.lights.size()));
        }
        insert_at = static_cast<u32>(count_of(*member));
    } else if (!index) {
        insert_at = static_cast<u32>(scene.lights.size());
    }
    Light light;
    light.name = address.name;
    light.group = index && !insert_at ? scene.lights[*index].group : kNone;
    WEFT_TRY(set_members(light, address, value));
    WEFT_TRY(set_group(scene, light, address, value));
    if (insert_at) {
        scene.lights.insert(scene.lights.begin() + static_cast<std::ptrdiff_t>(*insert_at),
                            std::move(light));
    } else {
        scene.lights[*index] = std::move(light);
    }
    return u32{kEffectShading};
}

base::Result<u32> apply_whole(Scene& scene,
                              const Address& address,
                              const Json& value,
                              std::optional<u32> index) {
    if (is_object(value)) {
        return put_light(scene, address, value, index);
    }
    if (!is_null(value)) {
        return wrong_value(address.path, value, "an object with a light's fields, or null");
    }
    if (!index) {
        return no_such_object(scene, address);
    }
    scene.lights.erase(scene.lights.begin() + static_cast<std::ptrdiff_t>(*index));
    return u32{kEffectShading};
}

// The value that restores the light.
std::string whole_text(const Scene& scene, const Light& light) {
    std::string text = object_text(light_rows(), light);
    text.pop_back();
    if (!light.given_name.empty()) {
        text += ", \"name\": " + quoted(light.given_name);
    }
    if (scene.groups.empty()) {
        return text + "}";
    }
    text += ", \"group\": " + (light.group == kNone ? "null" : std::to_string(light.group));
    if (const Hold* const held = maybe_hold(scene, light.group, light.hold)) {
        text += ", \"held\": " + hold_text(*held);
    }
    return text + "}";
}

bool has_light(const Scene& scene, const EditContext& /*context*/, const Address& address) {
    return find_named(scene.lights, address).has_value();
}

std::vector<EditField> light_fields(const EditContext& /*context*/) {
    std::vector<EditField> fields = fields_of(light_rows());
    fields.push_back(visible_field("Switched on"));
    fields.push_back(name_field());
    return fields;
}

base::Result<std::string> read_light(const Scene& scene,
                                     const EditContext& context,
                                     const Address& address) {
    const std::optional<u32> index = find_named(scene.lights, address);
    if (!index) {
        return no_such_object(scene, address);
    }
    const Light& light = scene.lights[*index];
    if (address.field == kVisible) {
        return flag_text(!is_hidden(context, hidden_light_name(address)));
    }
    if (address.field.empty()) {
        return whole_text(scene, light);
    }
    if (address.field == kName) {
        return given_name_text(light.given_name);
    }
    const FieldRow<Light>* const row = find_row(light_rows(), address.field);
    return row ? base::Result<std::string>(row->read(light))
               : no_such_field(address, field_names(light_fields(context)));
}

base::Result<u32> apply_light(Scene& scene,
                              EditContext& context,
                              const Address& address,
                              const Json& value) {
    const std::optional<u32> index = find_named(scene.lights, address);
    if (address.field.empty()) {
        return apply_whole(scene, address, value, index);
    }
    if (!index) {
        return no_such_object(scene, address);
    }
    if (address.field == kVisible) {
        const base::Result<bool> is_on = read_flag(address.path, value);
        WEFT_TRY(is_on);
        set_hidden(context, hidden_light_name(address), !is_on.value());
        return u32{kEffectLook};
    }
    if (address.field == kName) {
        WEFT_TRY(set_name(scene.lights[*index], address.path, value));
        return u32{kEffectShading};  // light groups go by names
    }
    const FieldRow<Light>* const row = find_row(light_rows(), address.field);
    if (row == nullptr) {
        return no_such_field(address, field_names(light_fields(context)));
    }
    Light changed = scene.lights[*index];
    WEFT_TRY(row->set(changed, address.path, value));
    keep_cone(changed, address.field);
    const bool is_put = address.field == "position" || address.field == "direction";
    changed.hold = is_put ? kNone : changed.hold;
    scene.lights[*index] = std::move(changed);
    return u32{kEffectShading};
}

base::Result<Edit> inverse_of_light(const Scene& scene,
                                    const EditContext& context,
                                    const Address& address,
                                    const std::string& text) {
    const auto parsed = parse_value(address.path, text);
    WEFT_TRY(parsed);
    const Json& value = *parsed.value();
    const std::optional<u32> index = find_named(scene.lights, address);
    const bool is_insertion = is_object(value) && (!index || find(value, kInsertAt) != nullptr);
    if (is_insertion) {
        const double size = static_cast<double>(scene.lights.size());
        const Json* const member = find(value, kInsertAt);
        const bool has_place = member != nullptr && is_number(*member);
        const u32 end =
            static_cast<u32>(std::clamp(has_place ? number_of(*member) : size, 0.0, size));
        const u32 before = count_named(scene.lights, address.name, end);
        return Edit{object_path("lights", address.name, before + 1), "null"};
    }
    if (!index) {
        return no_such_object(scene, address);
    }
    if (address.field == kVisible) {
        return Edit{address.path, read_light(scene, context, address).value()};
    }
    // One angle of a cone may change the other (keep_cone()), so the inverse sets the whole light.
    Address object = address;
    object.field.clear();
    std::string whole = read_light(scene, context, object).value();
    if (is_null(value) && address.field.empty()) {
        whole.insert(1, "\"insert_at\": " + std::to_string(*index) + ", ");
    }
    return Edit{object_path("lights", address.name, address.ordinal), whole};
}

}  // namespace

constinit const Family kLightFamily = {
    "lights", has_light, light_fields, read_light, apply_light, inverse_of_light};

}  // namespace weft::scene::edits
