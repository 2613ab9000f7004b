// edit_view.cpp — the camera that is rendered from, and how its picture is shown and cut.
//
// These live in the EditContext, beside the scene.
#include <algorithm>
#include <array>

#include "engine/scene/edit/edit_parts.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

constexpr double kRadiansPerDegree = shaders::kPi / 180;
constexpr double kHuge = 1.1e30;
constexpr double kTiny = 1e-30;

// One field of the camera by its name; writes nothing where the value is wrong.
base::Status set_camera_field(EditContext& context,
                              const std::string& place,
                              const std::string& name,
                              const Json& value) {
    Camera& camera = context.camera;
    const auto set_float = [&](Range range, float& to) {
        return read_floats(place, value, range, {&to, 1});
    };
    if (name == "to_world") {
        return read_floats(place, value, {-kHuge, kHuge}, camera.to_world);
    }
    if (name == "yfov_deg") {
        const base::Result<double> degrees = read_number(place, value, {0.01, 179});
        if (degrees.is_ok()) {
            camera.yfov_rad = static_cast<float>(degrees.value() * kRadiansPerDegree);
        }
        return degrees.is_ok() ? base::Status(base::Done{}) : degrees.error();
    }
    if (name == "orthographic" || name == "autofocus") {
        const base::Result<bool> flag = read_flag(place, value);
        if (flag.is_ok()) {
            (name == "autofocus" ? context.has_autofocus : camera.is_orthographic) = flag.value();
        }
        return flag.is_ok() ? base::Status(base::Done{}) : flag.error();
    }
    if (name == "xmag") {
        return set_float({kTiny, kHuge}, camera.xmag);
    }
    if (name == "ymag") {
        return set_float({kTiny, kHuge}, camera.ymag);
    }
    if (name == "aspect") {
        return set_float({0, 1e6}, camera.aspect);
    }
    if (name == "lens_radius_m") {
        return set_float({0, kHuge}, camera.lens_radius_m);
    }
    base::Status set = set_float({kTiny, kHuge}, camera.focus_m);
    context.has_autofocus = context.has_autofocus && !set.is_ok();
    return set;
}

bool is_camera_field(const std::string& name) {
    const std::vector<EditField> fields = camera_fields();
    return std::any_of(
        fields.begin(), fields.end(), [&](const EditField& field) { return field.path == name; });
}

base::Result<std::string> camera_text(const EditContext& context, const Address& address) {
    const Camera& camera = context.camera;
    const std::string& name = address.field;
    if (name == "to_world") {
        return floats_text(camera.to_world);
    }
    if (name == "yfov_deg") {
        return short_text(
            static_cast<double>(camera.yfov_rad) / kRadiansPerDegree, [&](double degrees) {
                return static_cast<float>(degrees * kRadiansPerDegree) == camera.yfov_rad;
            });
    }
    if (name == "orthographic" || name == "autofocus") {
        return flag_text(name == "autofocus" ? context.has_autofocus : camera.is_orthographic);
    }
    if (!is_camera_field(name)) {
        return no_such_field(address, field_names(camera_fields()));
    }
    return float_text(name == "xmag"            ? camera.xmag
                      : name == "ymag"          ? camera.ymag
                      : name == "aspect"        ? camera.aspect
                      : name == "lens_radius_m" ? camera.lens_radius_m
                                                : camera.focus_m);
}

base::Result<std::vector<shaders::ClipPlane>> read_planes(const Address& address,
                                                          const Json& value) {
    const std::string expected = "a list of at most " + std::to_string(shaders::kMaxClipPlanes) +
                                 " planes [nx, ny, nz, d] with normals that are not zero";
    if (!value.is_array() || value.size() > shaders::kMaxClipPlanes) {
        return wrong_value(address.path, value, expected);
    }
    std::vector<shaders::ClipPlane> planes;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const std::string place = address.path + "/" + std::to_string(i);
        std::array<float, 4> numbers{};
        WEFT_TRY(read_floats(place, value[i], {-kHuge, kHuge}, numbers));
        const double length = unit_length(std::span(numbers).first(3));
        if (!(length > 0)) {
            return wrong_value(place, value[i], "a plane with a normal that is not zero");
        }
        shaders::ClipPlane plane{};
        for (std::size_t k = 0; k < 3; ++k) {
            plane.normal[k] = static_cast<float>(static_cast<double>(numbers[k]) / length);
        }
        plane.offset = static_cast<float>(static_cast<double>(numbers[3]) / length);
        planes.push_back(plane);
    }
    return planes;
}

std::string planes_text(const std::vector<shaders::ClipPlane>& planes) {
    std::string text = "[";
    for (const shaders::ClipPlane& plane : planes) {
        const std::array<float, 4> numbers = {
            plane.normal[0], plane.normal[1], plane.normal[2], plane.offset};
        text += (text.size() == 1 ? "" : ", ") + floats_text(numbers);
    }
    return text + "]";
}

base::Result<u32> set_exposure(EditContext& context, const Address& address, const Json& value) {
    float stops = 0;
    WEFT_TRY(read_floats(address.path, value, {-100, 100}, {&stops, 1}));
    context.exposure_stops = stops;
    return u32{kEffectView};
}

base::Result<u32> set_transform(EditContext& context, const Address& address, const Json& value) {
    const base::Result<u32> choice = read_choice(address.path, value, context.view_transforms);
    WEFT_TRY(choice);
    context.view_transform = context.view_transforms[choice.value()];
    return u32{kEffectView};
}

base::Result<u32> set_clip_cap(EditContext& context, const Address& address, const Json& value) {
    const base::Result<bool> flag = read_flag(address.path, value);
    WEFT_TRY(flag);
    context.has_clip_cap = flag.value();
    return u32{kEffectLook};
}

}  // namespace

std::vector<EditField> camera_fields() {
    EditField to_world = number_field("to_world", "Place and direction", "", -kHuge, kHuge);
    to_world.kind = EditKind::Vector;
    to_world.count = 12;
    const EditField yfov = number_field("yfov_deg", "Vertical field of view", "°", 0.01, 179);
    EditField lens = number_field("lens_radius_m", "Lens radius", "m", 0.0001, 1);
    lens.least = 0;
    EditField focus = number_field("focus_m", "Distance in focus", "m", 0.01, 1000);
    EditField xmag = number_field("xmag", "Half width (orthographic)", "m", 0.01, 1000);
    EditField ymag = number_field("ymag", "Half height (orthographic)", "m", 0.01, 1000);
    for (EditField* field : {&lens, &focus, &xmag, &ymag}) {
        field->is_logarithmic = true;
        field->least = field == &lens ? 0 : kTiny;
        field->most = kHuge;
    }
    EditField aspect = number_field("aspect", "Width over height", "", 0, 4);
    aspect.most = 1e6;
    EditField orthographic = number_field("orthographic", "Orthographic", "", 0, 1);
    orthographic.kind = EditKind::Flag;
    EditField autofocus = number_field("autofocus", "Focus on the middle", "", 0, 1);
    autofocus.kind = EditKind::Flag;
    return {to_world, yfov, lens, focus, autofocus, orthographic, xmag, ymag, aspect};
}

base::Result<std::string> read_camera(const EditContext& context, const Address& address) {
    if (!address.field.empty()) {
        return camera_text(context, address);
    }
    std::string text;
    for (const EditField& field : camera_fields()) {
        Address member = address;
        member.field = field.path;
        text += (text.empty() ? "{\"" : ", \"") + field.path +
                "\": " + camera_text(context, member).value();
    }
    return text + "}";
}

base::Result<u32> apply_camera(EditContext& context, const Address& address, const Json& value) {
    if (!address.field.empty()) {
        if (!is_camera_field(address.field)) {
            return no_such_field(address, field_names(camera_fields()));
        }
        base::Status set = set_camera_field(context, address.path, address.field, value);
        return set.is_ok() ? base::Result<u32>(u32{kEffectCamera}) : base::Result<u32>(set.error());
    }
    if (!value.is_object()) {
        return wrong_value(address.path, value, "an object with fields of a camera");
    }
    EditContext changed = context;
    // The focus goes first, since setting it ends the autofocus that the object may ask for.
    for (const bool is_focus_turn : {true, false}) {
        for (const auto& [name, member] : value.items()) {
            const std::string place = address.path + "/" + name;
            if (!is_camera_field(name)) {
                return wrong_value(
                    place, member, "no other field than " + field_names(camera_fields()));
            }
            WEFT_TRY((name == "focus_m") == is_focus_turn
                         ? set_camera_field(changed, place, name, member)
                         : base::Status(base::Done{}));
        }
    }
    context = std::move(changed);
    return u32{kEffectCamera};
}

std::vector<EditField> view_fields(const EditContext& context) {
    EditField exposure = number_field("exposure", "Exposure", "stops", -10, 10);
    exposure.least = -100;
    exposure.most = 100;
    EditField transform = number_field("transform", "View transform", "", 0, 0);
    transform.kind = EditKind::Choice;
    transform.choices = context.view_transforms;
    EditField planes = number_field("clip_planes", "Section planes", "", -kHuge, kHuge);
    planes.kind = EditKind::PlaneList;
    planes.count = 4;
    EditField cap = number_field("clip_cap", "Closed", "", 0, 1);
    cap.kind = EditKind::Flag;
    return {exposure, transform, planes, cap};
}

base::Result<std::string> read_view(const EditContext& context, const Address& address) {
    if (address.field == "exposure") {
        return float_text(context.exposure_stops);
    }
    if (address.field == "transform") {
        return quoted(context.view_transform);
    }
    if (address.field == "clip_planes") {
        return planes_text(context.clip_planes);
    }
    if (address.field == "clip_cap") {
        return flag_text(context.has_clip_cap);
    }
    return no_such_field(address, field_names(view_fields(context)));
}

base::Result<u32> apply_view(EditContext& context, const Address& address, const Json& value) {
    if (address.field == "exposure") {
        return set_exposure(context, address, value);
    }
    if (address.field == "transform") {
        return set_transform(context, address, value);
    }
    if (address.field == "clip_planes") {
        base::Result<std::vector<shaders::ClipPlane>> planes = read_planes(address, value);
        WEFT_TRY(planes);
        context.clip_planes = std::move(planes.value());
        return u32{kEffectLook};
    }
    if (address.field == "clip_cap") {
        return set_clip_cap(context, address, value);
    }
    return no_such_field(address, field_names(view_fields(context)));
}

}  // namespace weft::scene::edits
