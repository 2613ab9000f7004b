// edit_view.cpp — exposure, view transform and clip planes.
//
// Lives in the EditContext, beside the scene.
#include <array>

#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr const char* kTransform = "transform";

base::Status set_transform(EditContext& context, const std::string& place, const Json& value) {
    const base::Result<u32> choice = read_choice(place, value, context.view_transforms);
    WEFT_TRY(choice);
    context.view_transform = context.view_transforms[choice.value()];
    return base::Done{};
}

base::Result<std::vector<shaders::ClipPlane>> read_planes(const std::string& path,
                                                          const Json& value) {
    const std::string expected = "a list of at most " + std::to_string(shaders::kMaxClipPlanes) +
                                 " planes [nx, ny, nz, d] with normals that are not zero";
    if (!is_list(value) || size_of(value) > shaders::kMaxClipPlanes) {
        return wrong_value(path, value, expected);
    }
    std::vector<shaders::ClipPlane> planes;
    for (std::size_t i = 0; i < size_of(value); ++i) {
        const std::string place = path + "/" + std::to_string(i);
        std::array<float, 4> numbers{};
        WEFT_TRY(read_floats(place, item(value, i), {-kHuge, kHuge}, numbers));
        const double length = unit_length(std::span(numbers).first(3));
        if (!(length > 0)) {
            return wrong_value(place, item(value, i), "a plane with a normal that is not zero");
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

std::string planes_text(const EditContext& context) {
    std::string text = "[";
    for (const shaders::ClipPlane& plane : context.clip_planes) {
        const std::array<float, 4> numbers = {
            plane.normal[0], plane.normal[1], plane.normal[2], plane.offset};
        text += (text.size() == 1 ? "" : ", ") + floats_text(numbers);
    }
    return text + "]";
}

base::Status set_planes(EditContext& context, const std::string& place, const Json& value) {
    base::Result<std::vector<shaders::ClipPlane>> planes = read_planes(place, value);
    WEFT_TRY(planes);
    context.clip_planes = std::move(planes.value());
    return base::Done{};
}

base::Status set_clip_cap(EditContext& context, const std::string& place, const Json& value) {
    const base::Result<bool> flag = read_flag(place, value);
    WEFT_TRY(flag);
    context.has_clip_cap = flag.value();
    return base::Done{};
}

std::vector<FieldRow<EditContext>> make_view_rows() {
    EditField exposure = number_field("exposure", "Exposure", "stops", -10, 10);
    exposure.least = -100;
    exposure.most = 100;
    EditField transform = number_field(kTransform, "View transform", "", 0, 0);
    transform.kind = EditKind::Choice;
    EditField planes = number_field("clip_planes", "Section planes", "", -kHuge, kHuge);
    planes.kind = EditKind::PlaneList;
    planes.count = 4;
    EditField cap = number_field("clip_cap", "Closed", "", 0, 1);
    cap.kind = EditKind::Flag;
    return {{exposure,
             [](const EditContext& context) { return float_text(context.exposure_stops); },
             [](EditContext& context, const std::string& place, const Json& value) {
                 return read_floats(place, value, {-100, 100}, {&context.exposure_stops, 1});
             },
             kEffectView},
            {transform,
             [](const EditContext& context) { return quoted(context.view_transform); },
             set_transform,
             kEffectView},
            {planes, planes_text, set_planes, kEffectLook},
            {cap,
             [](const EditContext& context) { return flag_text(context.has_clip_cap); },
             set_clip_cap,
             kEffectLook}};
}

FieldRows<EditContext> view_rows() {
    static const std::vector<FieldRow<EditContext>> rows = make_view_rows();
    return rows;
}

std::vector<EditField> view_fields(const EditContext& context) {
    std::vector<EditField> fields = fields_of(view_rows());
    for (EditField& field : fields) {
        if (field.path == kTransform) {
            field.choices = context.view_transforms;
        }
    }
    return fields;
}

base::Result<std::string> read_view(const Scene& /*scene*/,
                                    const EditContext& context,
                                    const Address& address) {
    return read_row(view_rows(), context, address);
}

base::Result<u32> apply_view(Scene& /*scene*/,
                             EditContext& context,
                             const Address& address,
                             const Json& value) {
    return apply_row(view_rows(), context, address, value);
}

}  // namespace

constinit const Family kViewFamily = {"view", nullptr, view_fields, read_view, apply_view, nullptr};

}  // namespace weft::scene::edits
