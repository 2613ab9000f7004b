// edit.cpp — finds the family that a path belongs to and lets it answer.
#include "engine/scene/edit/edit.h"

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene {

namespace {

using edits::Address;
using edits::Json;

base::Result<std::string> read_at(const Scene& scene,
                                  const EditContext& context,
                                  const Address& address) {
    if (address.family == "materials") {
        return edits::read_material(scene, context, address);
    }
    if (address.family == "nodes") {
        return edits::read_node(scene, context, address);
    }
    if (address.family == "environment") {
        return edits::read_environment_value(scene, address);
    }
    if (address.family == "camera") {
        return edits::read_camera(context, address);
    }
    if (address.family == "frame") {
        return edits::read_frame(context, address);
    }
    if (address.family == "view") {
        return edits::read_view(context, address);
    }
    return edits::read_light(scene, context, address);
}

base::Result<u32> apply_at(Scene& scene,
                           EditContext& context,
                           const Address& address,
                           const Json& value) {
    if (address.family == "materials") {
        return edits::apply_material(scene, context, address, value);
    }
    if (address.family == "nodes") {
        return edits::apply_node(scene, context, address, value);
    }
    if (address.family == "environment") {
        return edits::apply_environment(scene, context, address, value);
    }
    if (address.family == "camera") {
        return edits::apply_camera(context, address, value);
    }
    if (address.family == "frame") {
        return edits::apply_frame(context, address, value);
    }
    if (address.family == "view") {
        return edits::apply_view(context, address, value);
    }
    return edits::apply_light(scene, context, address, value);
}

std::vector<EditField> fields_at(const EditContext& context, const Address& address) {
    if (address.family == "materials") {
        return edits::material_fields();
    }
    if (address.family == "nodes") {
        return edits::node_fields();
    }
    if (address.family == "environment") {
        return edits::environment_fields();
    }
    if (address.family == "camera") {
        return edits::camera_fields();
    }
    if (address.family == "frame") {
        return edits::frame_fields();
    }
    return address.family == "view" ? edits::view_fields(context) : edits::light_fields();
}

}  // namespace

namespace edits {

base::Status find_object(const Scene& scene, const EditContext& context, const Address& address) {
    bool is_there = true;
    if (address.family == "materials") {
        is_there = material_at(scene, context, address).has_value();
    } else if (address.family == "lights") {
        is_there = find_named(scene.lights, address).has_value();
    } else if (address.family == "nodes") {
        is_there = has_node(scene, context, address);
    }
    return is_there ? base::Status(base::Done{}) : no_such_object(scene, address);
}

}  // namespace edits

std::vector<EditField> editable_fields(const Scene& scene,
                                       const EditContext& context,
                                       const std::string& object_path) {
    const base::Result<Address> address = edits::parse_path(object_path);
    if (!address.is_ok() || !edits::find_object(scene, context, address.value()).is_ok()) {
        return {};
    }
    std::vector<EditField> fields = fields_at(context, address.value());
    for (EditField& field : fields) {
        field.path = object_path + "/" + field.path;
    }
    return fields;
}

base::Result<std::string> read_value(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& path) {
    const base::Result<Address> address = edits::parse_path(path);
    return address.is_ok() ? read_at(scene, context, address.value())
                           : base::Result<std::string>(address.error());
}

base::Result<Edit> inverse_edit(const Scene& scene, const EditContext& context, const Edit& edit) {
    const base::Result<Address> address = edits::parse_path(edit.path);
    WEFT_TRY(address);
    if (address.value().family == "lights") {
        const base::Result<Json> value = edits::parse_value(edit.path, edit.value);
        return value.is_ok() ? edits::inverse_light(scene, context, address.value(), value.value())
                             : base::Result<Edit>(value.error());
    }
    const bool is_material = address.value().family == "materials";
    if ((is_material || address.value().family == "nodes") && address.value().field.empty()) {
        const base::Result<Json> value = edits::parse_value(edit.path, edit.value);
        WEFT_TRY(value);
        if (is_material) {
            return edits::inverse_of_whole_material(scene, context, address.value(), value.value());
        }
        base::Status found = value.value().is_null()
                                 ? edits::find_object(scene, context, address.value())
                                 : base::Status(base::Done{});
        return found.is_ok() ? base::Result<Edit>(edits::inverse_of_whole_node(
                                   scene, context, address.value(), value.value()))
                             : found.error();
    }
    const bool is_map = address.value().family == "environment" &&
                        (address.value().field == "file" || address.value().field == "color");
    if (is_map) {
        return edits::environment_map_edit(scene);
    }
    // A camera is taken whole: choosing one by name sets all of it, a focus the autofocus, too.
    const std::string path = address.value().family == "camera" ? "camera" : edit.path;
    base::Result<std::string> value = read_value(scene, context, path);
    return value.is_ok() ? base::Result<Edit>(Edit{path, std::move(value.value())})
                         : base::Result<Edit>(value.error());
}

base::Result<u32> apply_edit(Scene& scene, EditContext& context, const Edit& edit) {
    const base::Result<Address> address = edits::parse_path(edit.path);
    WEFT_TRY(address);
    const base::Result<Json> value = edits::parse_value(edit.path, edit.value);
    WEFT_TRY(value);
    return apply_at(scene, context, address.value(), value.value());
}

EditsMade apply_edits(Scene& scene,
                      EditContext& context,
                      std::span<const Edit> edits,
                      OnFault on_fault,
                      bool has_inverses) {
    context.names = std::make_shared<edits::NameTables>();
    EditsMade made;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        base::Result<Edit> inverse = Edit{};
        if (has_inverses) {
            inverse = inverse_edit(scene, context, edits[i]);
        }
        const base::Result<u32> applied = inverse.is_ok() ? apply_edit(scene, context, edits[i])
                                                          : base::Result<u32>(inverse.error());
        if (!applied.is_ok()) {
            made.faults.push_back({i, applied.error()});
            if (on_fault == OnFault::Stop) {
                break;
            }
            continue;
        }
        made.effect |= applied.value();
        if (has_inverses) {
            made.inverses.push_back(std::move(inverse.value()));
        }
    }
    context.names.reset();
    return made;
}

EditContext with_names(EditContext context) {
    context.names = std::make_shared<edits::NameTables>();
    return context;
}

}  // namespace weft::scene
