// edit_view.cpp — exposure, view transform, the display and look of a colour config, and clip
// planes.
//
// Lives in the EditContext, beside the scene.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr const char* kDisplay = "display";
constexpr const char* kLook = "look";

using Names = std::vector<std::string>;

// Ours, and those of the display.
Names transforms_of(const EditContext& context) {
    Names names = context.view_transforms;
    if (context.colours) {
        const Names views = context.colours->views(context.display);
        names.insert(names.begin(), views.begin(), views.end());
    }
    return names;
}

Names displays_of(const EditContext& context) {
    return context.colours ? context.colours->displays() : Names();
}

Names looks_of(const EditContext& context) {
    Names names = {colour::kLookOfView, colour::kNoLook};
    if (context.colours) {
        const Names looks = context.colours->looks();
        names.insert(names.end(), looks.begin(), looks.end());
    }
    return names;
}

bool has_name(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Sets one of the names, if the config then has all that the view needs.
base::Status set_name(EditContext& context,
                      std::string EditContext::*field,
                      const Names& names,
                      const std::string& place,
                      const Json& value) {
    const base::Result<u32> choice = read_choice(place, value, names);
    WEFT_TRY(choice);
    std::string former = std::exchange(context.*field, names[choice.value()]);
    const base::Result<std::shared_ptr<const colour::Transform>> view = config_view(context);
    if (!view.is_ok()) {
        context.*field = std::move(former);
        return base::Error{view.error().kind, place + ": " + view.error().sentence};
    }
    return base::Done{};
}

base::Status set_transform(EditContext& context, const std::string& place, const Json& value) {
    return set_name(context, &EditContext::view_transform, transforms_of(context), place, value);
}

base::Status set_display(EditContext& context, const std::string& place, const Json& value) {
    return set_name(context, &EditContext::display, displays_of(context), place, value);
}

base::Status set_look(EditContext& context, const std::string& place, const Json& value) {
    return set_name(context, &EditContext::look, looks_of(context), place, value);
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

EditField choice_field(const char* path, const char* label) {
    EditField field = number_field(path, label, "", 0, 0);
    field.kind = EditKind::Choice;
    return field;
}

FieldRow<EditContext> transform_row() {
    return {choice_field(kTransform, "View transform"),
            [](const EditContext& context) { return quoted(shown_transform(context)); },
            set_transform,
            kEffectView};
}

std::vector<FieldRow<EditContext>> make_view_rows() {
    EditField exposure = number_field("exposure", "Exposure", "stops", -10, 10);
    exposure.least = -100;
    exposure.most = 100;
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
            transform_row(),
            {planes, planes_text, set_planes, kEffectLook},
            {cap,
             [](const EditContext& context) { return flag_text(context.has_clip_cap); },
             set_clip_cap,
             kEffectLook}};
}

// With those of a config, in the order of their choice.
std::vector<FieldRow<EditContext>> make_config_rows() {
    std::vector<FieldRow<EditContext>> rows = make_view_rows();
    rows.insert(rows.begin() + 1,
                {choice_field(kDisplay, "Display device"),
                 [](const EditContext& context) { return quoted(context.display); },
                 set_display,
                 kEffectView});
    rows.insert(rows.begin() + 3,
                {choice_field(kLook, "Look"),
                 [](const EditContext& context) { return quoted(context.look); },
                 set_look,
                 kEffectView});
    return rows;
}

FieldRows<EditContext> view_rows(const EditContext& context) {
    static const std::vector<FieldRow<EditContext>> rows = make_view_rows();
    static const std::vector<FieldRow<EditContext>> config_rows = make_config_rows();
    return context.colours ? config_rows : rows;
}

std::vector<EditField> view_fields(const EditContext& context) {
    std::vector<EditField> fields = fields_of(view_rows(context));
    for (EditField& field : fields) {
        if (field.kind == EditKind::Choice) {
            field.choices = field.path == kTransform ? transforms_of(context)
                            : field.path == kDisplay ? displays_of(context)
                                                     : looks_of(context);
        }
    }
    return fields;
}

base::Result<std::string> read_view(const Scene& /*scene*/,
                                    const EditContext& context,
                                    const Address& address) {
    return read_row(view_rows(context), context, address);
}

base::Result<u32> apply_view(Scene& /*scene*/,
                             EditContext& context,
                             const Address& address,
                             const Json& value) {
    return apply_row(view_rows(context), context, address, value);
}

}  // namespace

constinit const Family kViewFamily = {"view", nullptr, view_fields, read_view, apply_view, nullptr};

}  // namespace weft::scene::edits

namespace weft::scene {

std::string shown_transform(const EditContext& context) {
    const bool is_known =
        !context.colours || edits::has_name(edits::transforms_of(context), context.view_transform);
    return is_known ? context.view_transform : context.colours->default_view(context.display);
}

base::Result<std::shared_ptr<const colour::Transform>> config_view(const EditContext& context) {
    const std::string shown = shown_transform(context);
    if (!context.colours || !edits::has_name(context.colours->views(context.display), shown)) {
        return std::shared_ptr<const colour::Transform>();
    }
    return context.colours->view({context.display, shown, context.look});
}

}  // namespace weft::scene
