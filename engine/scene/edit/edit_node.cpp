// edit_node.cpp — transforms, materials, visibility and names of nodes; edit_whole_node.cpp adds
// and deletes them.
//
// A node is the instances of one name and one place. What is below it in the file does not follow:
// groups do that (edit_group.cpp).
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/math/affine.h"
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_boxes.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::scene::edits {

namespace {

static_assert(static_cast<float>(kReach) == kReach_m);

std::string read_transform(const Scene& scene, const EditContext& context, const Address& address) {
    return floats_text(
        scene.instances[instances_of(scene, context, address).front()].object_to_world);
}

base::Result<u32> move_node(Scene& scene,
                            EditContext& context,
                            const Address& address,
                            const Json& value) {
    const std::vector<u32> parts = instances_of(scene, context, address);
    const u32 group = std::as_const(scene.instances)[parts.front()].group;
    const base::Result<Stance> stance = read_stance(scene, address.path, value, group);
    WEFT_TRY(stance);
    const u32 hold = keep_hold(scene, stance.value().hold);
    for (const u32 part : parts) {
        scene.instances[part].object_to_world = stance.value().matrix;
        scene.instances[part].hold = hold;
    }
    return u32{kEffectPlacement};
}

// One material for all parts, or a list with one for each, in their order.
base::Result<u32> dress_node(Scene& scene,
                             EditContext& context,
                             const Address& address,
                             const Json& value) {
    const std::vector<u32> parts = instances_of(scene, context, address);
    if (is_list(value) && size_of(value) != parts.size()) {
        return wrong_value(
            address.path,
            value,
            "a material, or a list of " + std::to_string(parts.size()) + ", one for each part");
    }
    std::vector<u32> materials;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const base::Result<u32> material =
            is_list(value)
                ? read_material_path(
                      scene, context, address.path + "/" + std::to_string(k), item(value, k))
                : read_material_path(scene, context, address.path, value);
        WEFT_TRY(material);
        materials.push_back(material.value());
    }
    for (std::size_t k = 0; k < parts.size(); ++k) {
        scene.instances[parts[k]].material = materials[k];
    }
    return u32{kEffectShading};
}

std::string read_materials(const Scene& scene, const EditContext& context, const Address& address) {
    std::vector<std::string> paths;
    for (const u32 part : instances_of(scene, context, address)) {
        const u32 material = scene.instances[part].material;
        const std::string& name = scene.materials[material].name;
        paths.push_back(quoted(
            object_path("materials", name, count_materials(scene, context, name, material) + 1)));
    }
    if (std::all_of(
            paths.begin(), paths.end(), [&](const auto& path) { return path == paths[0]; })) {
        return paths[0];
    }
    std::string text;
    for (const std::string& path : paths) {
        text += (text.empty() ? "[" : ",") + path;
    }
    return text + "]";
}

std::string read_visible(const Scene& /*scene*/,
                         const EditContext& context,
                         const Address& address) {
    return flag_text(!is_hidden(context, hidden_name(address.name, address.ordinal - 1)));
}

base::Result<u32> show_node(Scene& /*scene*/,
                            EditContext& context,
                            const Address& address,
                            const Json& value) {
    const base::Result<bool> visible = read_flag(address.path, value);
    WEFT_TRY(visible);
    set_hidden(context, hidden_name(address.name, address.ordinal - 1), !visible.value());
    return u32{kEffectLook};
}

std::string read_name(const Scene& scene, const EditContext& context, const Address& address) {
    const Instance& first = scene.instances[instances_of(scene, context, address).front()];
    return given_name_text(first.given_name == kNone ? "" : present_name(scene, first));
}

// Light groups go by names.
base::Result<u32> name_node(Scene& scene,
                            EditContext& context,
                            const Address& address,
                            const Json& value) {
    base::Result<std::string> name = read_given_name(address.path, value, address.name);
    WEFT_TRY(name);
    const u32 given = keep_given_name(scene, std::move(name.value()));
    for (const u32 part : instances_of(scene, context, address)) {
        scene.instances[part].given_name = given;
    }
    return u32{kEffectShading};
}

}  // namespace

u32 keep_given_name(Scene& scene, std::string name) {
    if (name.empty()) {
        return kNone;
    }
    scene.given_names.push_back(std::move(name));
    return static_cast<u32>(scene.given_names.size() - 1);
}

base::Status read_matrix(const std::string& place, const Json& value, math::Affine& matrix) {
    math::Affine read{};
    WEFT_TRY(read_floats(place, value, {-kReach, kReach}, read));
    const float size = static_cast<float>(math::determinant(math::to_double(read)));
    if (!std::isfinite(size) || !std::isnormal(size)) {
        return wrong_value(place, value, "a matrix that can be inverted");
    }
    matrix = read;
    return base::Done{};
}

bool is_hidden(const EditContext& context, const std::string& name) {
    return std::binary_search(context.hidden.begin(), context.hidden.end(), name);
}

bool set_hidden(EditContext& context, const std::string& name, bool is_hidden) {
    const auto at = std::lower_bound(context.hidden.begin(), context.hidden.end(), name);
    const bool was_hidden = at != context.hidden.end() && *at == name;
    if (was_hidden && !is_hidden) {
        context.hidden.erase(at);
    } else if (!was_hidden && is_hidden) {
        context.hidden.insert(at, name);
    }
    return was_hidden;
}

namespace {

struct NodeRow {
    EditField field;
    std::string (*read)(const Scene& scene, const EditContext& context, const Address& address);
    base::Result<u32> (*apply)(Scene& scene,
                               EditContext& context,
                               const Address& address,
                               const Json& value);
};

std::span<const NodeRow> node_rows() {
    static const std::vector<NodeRow> rows = [] {
        EditField material = number_field("material", "Material", "", 0, 1);
        material.kind = EditKind::Materials;
        return std::vector<NodeRow>{{transform_field(), read_transform, move_node},
                                    {visible_field("Visible"), read_visible, show_node},
                                    {material, read_materials, dress_node},
                                    {name_field(), read_name, name_node}};
    }();
    return rows;
}

std::vector<EditField> node_fields(const EditContext& /*context*/) {
    return fields_of(node_rows());
}

base::Result<std::string> read_node(const Scene& scene,
                                    const EditContext& context,
                                    const Address& address) {
    WEFT_TRY(find_object(scene, context, address));
    if (address.field.empty()) {
        return read_whole_node(scene, context, address);
    }
    const base::Result<const NodeRow*> row = row_at(node_rows(), address);
    WEFT_TRY(row);
    return row.value()->read(scene, context, address);
}

base::Result<u32> apply_node(Scene& scene,
                             EditContext& context,
                             const Address& address,
                             const Json& value) {
    if (address.field.empty()) {
        return apply_whole_node(scene, context, address, value);
    }
    WEFT_TRY(find_object(scene, context, address));
    const base::Result<const NodeRow*> row = row_at(node_rows(), address);
    WEFT_TRY(row);
    return row.value()->apply(scene, context, address, value);
}

base::Result<Edit> inverse_of_node(const Scene& scene,
                                   const EditContext& context,
                                   const Address& address,
                                   const std::string& text) {
    if (!address.field.empty()) {
        const base::Result<std::string> value = read_node(scene, context, address);
        WEFT_TRY(value);
        if (address.field != kTransform) {
            return Edit{address.path, value.value()};
        }
        const Instance& now = scene.instances[instances_of(scene, context, address).front()];
        return Edit{address.path, stance_text(scene, now.object_to_world, now.group, now.hold)};
    }
    const auto value = parse_value(address.path, text);
    WEFT_TRY(value);
    if (is_null(*value.value())) {
        WEFT_TRY(find_object(scene, context, address));
    }
    return inverse_of_whole_node(scene, context, address, *value.value());
}

}  // namespace

constinit const Family kNodeFamily = {
    "nodes", has_node, node_fields, read_node, apply_node, inverse_of_node};

}  // namespace weft::scene::edits
