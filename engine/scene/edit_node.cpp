// edit_node.cpp — where nodes stand, and whether they are drawn; edit_whole_node.cpp adds and
// deletes them.
//
// A node is the instances of one name and one place. Its children do not follow: the scene model
// has no tree of nodes. Hiding goes by the name alone, as --hide does.
#include <algorithm>
#include <cmath>

#include "engine/scene/edit_parts.h"

namespace weft::scene::edits {

namespace {

bool is_part(const Instance& instance, const Address& address) {
    return instance.place + 1 == address.ordinal && instance.node == address.name;
}

double determinant(const Affine& m) {
    const auto at = [&m](std::size_t i) { return static_cast<double>(m[i]); };
    return at(0) * (at(5) * at(10) - at(6) * at(9)) - at(1) * (at(4) * at(10) - at(6) * at(8)) +
           at(2) * (at(4) * at(9) - at(5) * at(8));
}

base::Result<u32> move_node(Scene& scene, const Address& address, const Json& value) {
    Affine matrix{};
    base::Status read = read_matrix(address.path, value, matrix);
    if (!read.is_ok()) {
        return read.error();
    }
    for (Instance& instance : scene.instances) {
        if (is_part(instance, address)) {
            instance.object_to_world = matrix;
        }
    }
    return u32{kEffectPlacement};
}

base::Result<u32> show_node(EditContext& context, const Address& address, const Json& value) {
    const base::Result<bool> visible = read_flag(address.path, value);
    if (!visible.is_ok()) {
        return visible.error();
    }
    set_hidden(context, address.name, !visible.value());
    return u32{kEffectLook};
}

}  // namespace

base::Status read_matrix(const std::string& place, const Json& value, Affine& matrix) {
    Affine read{};
    base::Status status = read_floats(place, value, {-1e30, 1e30}, read);
    if (!status.is_ok()) {
        return status;
    }
    const float size = static_cast<float>(determinant(read));
    if (!std::isfinite(size) || !std::isnormal(size)) {
        return wrong_value(place, value, "a matrix that can be inverted");
    }
    matrix = read;
    return base::Done{};
}

bool is_hidden(const EditContext& context, const std::string& node) {
    return std::binary_search(context.hidden.begin(), context.hidden.end(), node);
}

bool set_hidden(EditContext& context, const std::string& node, bool is_hidden) {
    const auto at = std::lower_bound(context.hidden.begin(), context.hidden.end(), node);
    const bool was_hidden = at != context.hidden.end() && *at == node;
    if (was_hidden && !is_hidden) {
        context.hidden.erase(at);
    } else if (!was_hidden && is_hidden) {
        context.hidden.insert(at, node);
    }
    return was_hidden;
}

std::vector<EditField> node_fields() {
    EditField transform = number_field("transform", "Transform", "", -1e30, 1e30);
    transform.kind = EditKind::Vector;
    transform.count = 12;
    EditField visible = number_field("visible", "Visible", "", 0, 1);
    visible.kind = EditKind::Flag;
    return {transform, visible};
}

base::Result<std::string> read_node(const Scene& scene,
                                    const EditContext& context,
                                    const Address& address) {
    const auto part =
        std::find_if(scene.instances.begin(), scene.instances.end(), [&](const Instance& instance) {
            return is_part(instance, address);
        });
    if (part == scene.instances.end()) {
        return no_such_object(scene, address);
    }
    if (address.field.empty()) {
        return read_whole_node(scene, context, address);
    }
    if (address.field == "transform") {
        return floats_text(part->object_to_world);
    }
    if (address.field == "visible") {
        return flag_text(!is_hidden(context, address.name));
    }
    return no_such_field(address, field_names(node_fields()));
}

base::Result<u32> apply_node(Scene& scene,
                             EditContext& context,
                             const Address& address,
                             const Json& value) {
    if (address.field.empty()) {
        return apply_whole_node(scene, context, address, value);
    }
    base::Status found = find_object(scene, address);
    if (!found.is_ok()) {
        return found.error();
    }
    if (address.field == "transform") {
        return move_node(scene, address, value);
    }
    if (address.field == "visible") {
        return show_node(context, address, value);
    }
    return no_such_field(address, field_names(node_fields()));
}

}  // namespace weft::scene::edits
