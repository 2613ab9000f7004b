// edit_camera.cpp — the camera that renders the picture.
//
// Lives in the EditContext, beside the scene.
#include "engine/math/angle.h"
#include "engine/scene/edit/edit_parts.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::edits {

namespace {

constexpr double kTiny = 1e-30;
constexpr Range kDegrees = {0.01, 179};
constexpr const char* kFocus = "focus_m";
constexpr double kMostShift = 1e3;  // in widths and heights of the picture
constexpr Range kPixelAspects = {1e-3, 1e3};

std::string yfov_text(const EditContext& context) {
    const float yfov_rad = context.camera.yfov_rad;
    return short_text(math::to_degrees(static_cast<double>(yfov_rad)), [=](double degrees) {
        return static_cast<float>(math::to_radians(degrees)) == yfov_rad;
    });
}

base::Status set_yfov(EditContext& context, const std::string& place, const Json& value) {
    const base::Result<double> degrees = read_number(place, value, kDegrees);
    WEFT_TRY(degrees);
    context.camera.yfov_rad = static_cast<float>(math::to_radians(degrees.value()));
    return base::Done{};
}

base::Status set_flag(const std::string& place, const Json& value, bool& flag) {
    const base::Result<bool> read = read_flag(place, value);
    WEFT_TRY(read);
    flag = read.value();
    return base::Done{};
}

// A distance set by hand ends the autofocus.
base::Status set_focus(EditContext& context, const std::string& place, const Json& value) {
    WEFT_TRY(read_floats(place, value, {kTiny, kHuge}, {&context.camera.focus_m, 1}));
    context.has_autofocus = false;
    return base::Done{};
}

std::vector<FieldRow<EditContext>> make_camera_rows() {
    EditField to_world = transform_field();
    to_world.path = "to_world";
    to_world.label = "Place and direction";
    const EditField yfov = number_field("yfov_deg", "Vertical field of view", "°", 0.01, 179);
    EditField lens = number_field("lens_radius_m", "Lens radius", "m", 0.0001, 1);
    lens.least = 0;
    EditField focus = number_field(kFocus, "Distance in focus", "m", 0.01, 1000);
    EditField xmag = number_field("xmag", "Half width (orthographic)", "m", 0.01, 1000);
    EditField ymag = number_field("ymag", "Half height (orthographic)", "m", 0.01, 1000);
    for (EditField* field : {&lens, &focus, &xmag, &ymag}) {
        field->is_logarithmic = true;
        field->least = field == &lens ? 0 : kTiny;
        field->most = kHuge;
    }
    EditField aspect = number_field("aspect", "Width over height", "", 0, 4);
    aspect.most = 1e6;
    EditField shift_x = number_field("shift_x", "Shift to the right", "", -1, 1);
    EditField shift_y = number_field("shift_y", "Shift upwards", "", -1, 1);
    for (EditField* field : {&shift_x, &shift_y}) {
        field->least = -kMostShift;
        field->most = kMostShift;
    }
    EditField pixel_aspect = number_field("pixel_aspect", "Pixel's width over height", "", 0.5, 2);
    pixel_aspect.least = kPixelAspects.least;
    pixel_aspect.most = kPixelAspects.most;
    EditField orthographic = number_field("orthographic", "Orthographic", "", 0, 1);
    orthographic.kind = EditKind::Flag;
    EditField autofocus = number_field("autofocus", "Focus on the middle", "", 0, 1);
    autofocus.kind = EditKind::Flag;
    using Place = const std::string&;
    return {
        {to_world,
         [](const EditContext& context) { return floats_text(context.camera.to_world); },
         [](EditContext& context, Place place, const Json& value) {
             return read_matrix(place, value, context.camera.to_world);
         },
         kEffectCamera},
        {yfov, yfov_text, set_yfov, kEffectCamera},
        {lens,
         [](const EditContext& context) { return float_text(context.camera.lens_radius_m); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(place, value, {0, kHuge}, {&context.camera.lens_radius_m, 1});
         },
         kEffectCamera},
        {focus,
         [](const EditContext& context) { return float_text(context.camera.focus_m); },
         set_focus,
         kEffectCamera},
        {autofocus,
         [](const EditContext& context) { return flag_text(context.has_autofocus); },
         [](EditContext& context, Place place, const Json& value) {
             return set_flag(place, value, context.has_autofocus);
         },
         kEffectCamera},
        {orthographic,
         [](const EditContext& context) { return flag_text(context.camera.is_orthographic); },
         [](EditContext& context, Place place, const Json& value) {
             return set_flag(place, value, context.camera.is_orthographic);
         },
         kEffectCamera},
        {xmag,
         [](const EditContext& context) { return float_text(context.camera.xmag); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(place, value, {kTiny, kHuge}, {&context.camera.xmag, 1});
         },
         kEffectCamera},
        {ymag,
         [](const EditContext& context) { return float_text(context.camera.ymag); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(place, value, {kTiny, kHuge}, {&context.camera.ymag, 1});
         },
         kEffectCamera},
        {aspect,
         [](const EditContext& context) { return float_text(context.camera.aspect); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(place, value, {0, 1e6}, {&context.camera.aspect, 1});
         },
         kEffectCamera},
        {shift_x,
         [](const EditContext& context) { return float_text(context.camera.shift_x); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(
                 place, value, {-kMostShift, kMostShift}, {&context.camera.shift_x, 1});
         },
         kEffectCamera},
        {shift_y,
         [](const EditContext& context) { return float_text(context.camera.shift_y); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(
                 place, value, {-kMostShift, kMostShift}, {&context.camera.shift_y, 1});
         },
         kEffectCamera},
        {pixel_aspect,
         [](const EditContext& context) { return float_text(context.camera.pixel_aspect); },
         [](EditContext& context, Place place, const Json& value) {
             return read_floats(place, value, kPixelAspects, {&context.camera.pixel_aspect, 1});
         },
         kEffectCamera},
    };
}

FieldRows<EditContext> camera_rows() {
    static const std::vector<FieldRow<EditContext>> rows = make_camera_rows();
    return rows;
}

std::vector<EditField> camera_fields(const EditContext& /*context*/) {
    return fields_of(camera_rows());
}

base::Result<std::string> read_camera(const Scene& /*scene*/,
                                      const EditContext& context,
                                      const Address& address) {
    return address.field.empty() ? object_text(camera_rows(), context)
                                 : read_row(camera_rows(), context, address);
}

// Several fields at once, or none where one of them is wrong.
base::Result<u32> apply_object(EditContext& context, const Address& address, const Json& value) {
    if (!is_object(value)) {
        return wrong_value(address.path, value, "an object with fields of a camera");
    }
    EditContext changed = context;
    // The focus goes first, since setting it ends the autofocus that the object may ask for.
    for (const bool is_focus_turn : {true, false}) {
        for (const auto& [name, member] : members(value)) {
            const std::string place = address.path + "/" + name;
            const FieldRow<EditContext>* const row = find_row(camera_rows(), name);
            if (row == nullptr) {
                return wrong_value(
                    place, member, "no other field than " + field_names(camera_fields(context)));
            }
            if ((name == kFocus) == is_focus_turn) {
                WEFT_TRY(row->set(changed, place, member));
            }
        }
    }
    context = std::move(changed);
    return u32{kEffectCamera};
}

base::Result<u32> apply_camera(Scene& /*scene*/,
                               EditContext& context,
                               const Address& address,
                               const Json& value) {
    return address.field.empty() ? apply_object(context, address, value)
                                 : apply_row(camera_rows(), context, address, value);
}

// The whole camera, since a focus ends the autofocus and --camera sets every field.
base::Result<Edit> inverse_of_camera(const Scene& scene,
                                     const EditContext& context,
                                     const Address& /*address*/,
                                     const std::string& /*text*/) {
    return present_value("camera", read_camera(scene, context, Address()));
}

}  // namespace

constinit const Family kCameraFamily = {
    "camera", nullptr, camera_fields, read_camera, apply_camera, inverse_of_camera};

}  // namespace weft::scene::edits
