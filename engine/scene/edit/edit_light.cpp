// edit_light.cpp — lights: changed, added, deleted.
//
// An object at lights/NAME replaces the light of that name or appends one; with "insert_at" it is
// always a new one, in that place of the list, so that a deleted light comes back where it was
// (the order of lights decides which of them a sample picks). Whether a light is on stands in the
// context, by its name alone, as whether a node is drawn does.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/edit/edit_parts.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

constexpr double kHuge = 1.1e30;
constexpr double kLargestRadius = 1e4;  // metres
constexpr double kWidestSun = 90;       // degrees from edge to edge
constexpr double kRadiansPerDegree = shaders::kPi / 180;
constexpr const char* kInsertAt = "insert_at";
constexpr const char* kVisible = "visible";

// In the order of LightKind, as far as lights of a scene go.
const std::array<std::string, 3> kKinds = {"point", "spot", "directional"};

float cosine_of(double degrees) {
    return static_cast<float>(shaders::cos_of(degrees * kRadiansPerDegree));
}

// Degrees that cosine_of() turns back into the same bits.
std::string degrees_text(float cosine) {
    return short_text(shaders::acos_of(static_cast<double>(cosine)) / kRadiansPerDegree,
                      [&](double degrees) { return cosine_of(degrees) == cosine; });
}

base::Status set_angle(const std::string& place, const Json& value, float& cosine) {
    const base::Result<double> degrees = read_number(place, value, {0, 90});
    if (degrees.is_ok()) {
        cosine = cosine_of(degrees.value());
    }
    return degrees.is_ok() ? base::Status(base::Done{}) : degrees.error();
}

base::Status set_size(const std::string& place, const Json& value, double most, float& size) {
    const base::Result<double> read = read_number(place, value, {0, most});
    if (read.is_ok()) {
        size = static_cast<float>(read.value());
    }
    return read.is_ok() ? base::Status(base::Done{}) : read.error();
}

base::Status set_direction(const std::string& place,
                           const Json& value,
                           std::array<float, 3>& direction) {
    std::array<float, 3> read{};
    base::Status status = read_floats(place, value, {-kHuge, kHuge}, read);
    const double length = status.is_ok() ? unit_length(read) : 1;
    if (!(length > 0)) {
        return wrong_value(place, value, "a direction that is not zero");
    }
    for (std::size_t k = 0; k < 3 && status.is_ok(); ++k) {
        direction[k] = static_cast<float>(static_cast<double>(read[k]) / length);
    }
    return status;
}

base::Status set_kind(const std::string& place, const Json& value, shaders::LightKind& kind) {
    const base::Result<u32> choice = read_choice(place, value, kKinds);
    if (choice.is_ok()) {
        kind = static_cast<shaders::LightKind>(choice.value());
    }
    return choice.is_ok() ? base::Status(base::Done{}) : choice.error();
}

// Of the light itself: all but whether it is on.
std::vector<EditField> own_fields() {
    std::vector<EditField> fields = light_fields();
    std::erase_if(fields, [](const EditField& field) { return field.path == kVisible; });
    return fields;
}

// Its name in the list of what is hidden.
std::string hidden_name(const Address& address) {
    return "lights/" + address.name;
}

bool is_light_field(const std::string& name) {
    const std::vector<EditField> fields = own_fields();
    return std::any_of(
        fields.begin(), fields.end(), [&](const EditField& field) { return field.path == name; });
}

// One field; `light` is not touched where the value is wrong.
base::Status set_light_field(Light& light,
                             const std::string& place,
                             const std::string& name,
                             const Json& value) {
    if (name == "kind") {
        return set_kind(place, value, light.kind);
    }
    if (name == "position") {
        return read_floats(place, value, {-kHuge, kHuge}, light.position);
    }
    if (name == "direction") {
        return set_direction(place, value, light.direction);
    }
    if (name == "intensity") {
        return read_floats(place, value, {0, kHuge}, light.intensity);
    }
    if (name == "radius_m") {
        return set_size(place, value, kLargestRadius, light.radius_m);
    }
    if (name == "angle_deg") {
        return set_size(place, value, kWidestSun, light.angle_deg);
    }
    return set_angle(place, value, name == "inner_deg" ? light.cos_inner : light.cos_outer);
}

std::string light_text(const Light& light, const std::string& name) {
    if (name == "kind") {
        return quoted(kKinds[std::min(static_cast<u32>(light.kind), 2U)]);
    }
    if (name == "position") {
        return floats_text(light.position);
    }
    if (name == "direction") {
        return floats_text(light.direction);
    }
    if (name == "intensity") {
        return floats_text(light.intensity);
    }
    if (name == "radius_m" || name == "angle_deg") {
        return float_text(name == "radius_m" ? light.radius_m : light.angle_deg);
    }
    return degrees_text(name == "inner_deg" ? light.cos_inner : light.cos_outer);
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

// One angle that passes the other takes it along.
void keep_cone(Light& light, const std::string& changed) {
    if (light.cos_inner < light.cos_outer) {
        const bool is_outer = changed == "outer_deg";
        (is_outer ? light.cos_inner : light.cos_outer) =
            is_outer ? light.cos_outer : light.cos_inner;
    }
}

// All members of an object into `light`.
base::Status set_members(Light& light, const Address& address, const Json& value) {
    for (const auto& [name, member] : value.items()) {
        const std::string place = address.path + "/" + name;
        if (name == kInsertAt) {
            continue;
        }
        if (!is_light_field(name)) {
            return wrong_value(place, member, "no other member than " + field_names(own_fields()));
        }
        WEFT_TRY(set_light_field(light, place, name, member));
    }
    return check_cone(address.path, light);
}

base::Result<u32> put_light(Scene& scene,
                            const Address& address,
                            const Json& value,
                            std::optional<u32> index) {
    const auto member = value.find(kInsertAt);
    std::optional<u32> insert_at;
    if (member != value.end()) {
        const base::Result<double> place = read_number(
            address.path + "/" + kInsertAt, *member, {0, static_cast<double>(scene.lights.size())});
        WEFT_TRY(place);
        insert_at = static_cast<u32>(place.value());
    } else if (!index) {
        insert_at = static_cast<u32>(scene.lights.size());
    }
    Light light;
    light.name = address.name;
    WEFT_TRY(set_members(light, address, value));
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
    if (value.is_object()) {
        return put_light(scene, address, value, index);
    }
    if (!value.is_null()) {
        return wrong_value(address.path, value, "an object with a light's fields, or null");
    }
    if (!index) {
        return no_such_object(scene, address);
    }
    scene.lights.erase(scene.lights.begin() + static_cast<std::ptrdiff_t>(*index));
    return u32{kEffectShading};
}

}  // namespace

std::vector<EditField> light_fields() {
    EditField kind = number_field("kind", "Kind", "", 0, 0);
    kind.kind = EditKind::Choice;
    kind.choices.assign(kKinds.begin(), kKinds.end());
    EditField position = number_field("position", "Position", "m", -100, 100);
    position.kind = EditKind::Vector;
    position.count = 3;
    position.least = -kHuge;
    position.most = kHuge;
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
    const EditField inner = number_field("inner_deg", "Inner half angle", "°", 0, 90);
    const EditField outer = number_field("outer_deg", "Outer half angle", "°", 0, 90);
    EditField visible = number_field(kVisible, "Switched on", "", 0, 1);
    visible.kind = EditKind::Flag;
    return {kind, position, direction, intensity, radius, angle, inner, outer, visible};
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
        return flag_text(!is_hidden(context, hidden_name(address)));
    }
    if (!address.field.empty()) {
        return is_light_field(address.field)
                   ? base::Result<std::string>(light_text(light, address.field))
                   : no_such_field(address, field_names(light_fields()));
    }
    std::string text;
    for (const EditField& field : own_fields()) {
        text +=
            (text.empty() ? "{\"" : ", \"") + field.path + "\": " + light_text(light, field.path);
    }
    return text + "}";
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
        set_hidden(context, hidden_name(address), !is_on.value());
        return u32{kEffectLook};
    }
    if (!is_light_field(address.field)) {
        return no_such_field(address, field_names(light_fields()));
    }
    Light changed = scene.lights[*index];
    WEFT_TRY(set_light_field(changed, address.path, address.field, value));
    keep_cone(changed, address.field);
    scene.lights[*index] = std::move(changed);
    return u32{kEffectShading};
}

base::Result<Edit> inverse_light(const Scene& scene,
                                 const EditContext& context,
                                 const Address& address,
                                 const Json& value) {
    const std::optional<u32> index = find_named(scene.lights, address);
    const bool is_insertion = value.is_object() && (!index || value.contains(kInsertAt));
    if (is_insertion) {
        const double size = static_cast<double>(scene.lights.size());
        const auto member = value.find(kInsertAt);
        const bool has_place = member != value.end() && member->is_number();
        const u32 end =
            static_cast<u32>(std::clamp(has_place ? member->get<double>() : size, 0.0, size));
        const u32 before = count_named(scene.lights, address.name, end);
        return Edit{object_path("lights", address.name, before + 1), "null"};
    }
    if (!index) {
        return no_such_object(scene, address);
    }
    if (address.field == kVisible) {
        return Edit{address.path, read_light(scene, context, address).value()};
    }
    // One angle of a cone may have taken the other along: the light as a whole comes back.
    Address object = address;
    object.field.clear();
    std::string whole = read_light(scene, context, object).value();
    if (value.is_null() && address.field.empty()) {
        whole.insert(1, "\"insert_at\": " + std::to_string(*index) + ", ");
    }
    return Edit{object_path("lights", address.name, address.ordinal), whole};
}

}  // namespace weft::scene::edits
