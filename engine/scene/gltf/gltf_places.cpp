#include "engine/scene/gltf/gltf_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "engine/math/quaternion.h"
#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_sharing.h"

namespace weft::scene::gltf {

namespace {

using base::Result;

u64 longest_attribute(const Document& document, const Json& extension) {
    u64 most = 0;
    for (const JsonMember& attribute : members(*find(extension, "attributes"))) {
        most = std::max(most, element_count(document, static_cast<int>(count_of(attribute.value))));
    }
    return most;
}

// EXT_mesh_gpu_instancing: one matrix per row of TRANSLATION, ROTATION, SCALE, relative to the
// node. Attributes of another meaning only tell how many places there are.
Result<std::vector<math::DAffine>> placements_of(const Document& document,
                                                 std::size_t node,
                                                 const Json& extension) {
    const std::string pointer =
        "/nodes/" + std::to_string(node) + "/extensions/EXT_mesh_gpu_instancing/attributes";

    struct Row {
        const char* name;
        u32 components;
        std::optional<FloatArray> array;
    };

    // Read the arrays, and check that they fit together.
    std::array<Row, 3> rows = {{{"TRANSLATION", 3, {}}, {"ROTATION", 4, {}}, {"SCALE", 3, {}}}};
    std::optional<std::size_t> count;
    for (Row& row : rows) {
        const Json* accessor = find(*find(extension, "attributes"), row.name);
        if (accessor == nullptr) {
            continue;
        }
        Result<FloatArray> array = read_floats(document, static_cast<int>(count_of(*accessor)));
        WEFT_TRY(array);
        if (array.value().components != row.components ||
            count.value_or(array.value().count) != array.value().count) {
            return scene_error(document.path(),
                               pointer + "/" + row.name,
                               "has " + std::to_string(array.value().count) + " elements of " +
                                   std::to_string(array.value().components) +
                                   " components, as many as the others of " +
                                   std::to_string(row.components) + " expected");
        }
        count = array.value().count;
        row.array = std::move(array.value());
    }
    // Compose a transform of each row; a missing array changes nothing.
    std::vector<math::DAffine> placements;
    const auto at = [&](const Row& row, std::size_t i, std::size_t c, double stand_in) {
        return row.array ? static_cast<double>(row.array->values[i * row.components + c])
                         : stand_in;
    };
    const std::size_t places = count.value_or(longest_attribute(document, extension));
    placements.reserve(places);
    for (std::size_t i = 0; i < places; ++i) {
        const math::DQuat rotation(
            at(rows[1], i, 3, 1), at(rows[1], i, 0, 0), at(rows[1], i, 1, 0), at(rows[1], i, 2, 0));
        placements.push_back(
            math::from_parts({at(rows[0], i, 0, 0), at(rows[0], i, 1, 0), at(rows[0], i, 2, 0)},
                             rotation,
                             {at(rows[2], i, 0, 1), at(rows[2], i, 1, 1), at(rows[2], i, 2, 1)}));
    }
    return placements;
}

}  // namespace

Result<std::vector<math::DAffine>> places_of(const Document& document, const PlacedNode& placed) {
    const tinygltf::Node& node = document.model.nodes[placed.node];
    if (node.skin >= 0) {
        return std::vector<math::DAffine>{math::kDIdentity};  // joints place it in the world
    }
    const Json* extension =
        find_extension(element(document, "nodes", placed.node), "EXT_mesh_gpu_instancing");
    if (extension == nullptr) {
        return std::vector<math::DAffine>{placed.to_world};
    }
    Result<std::vector<math::DAffine>> placements =
        placements_of(document, placed.node, *extension);
    if (placements.is_ok()) {
        for (math::DAffine& matrix : placements.value()) {
            matrix = math::compose(placed.to_world, matrix);
        }
    }
    return placements;
}

u64 count_places(const Document& document, std::size_t node) {
    const Json* extension =
        find_extension(element(document, "nodes", node), "EXT_mesh_gpu_instancing");
    if (extension == nullptr || document.model.nodes[node].skin >= 0) {
        return 1;
    }
    return longest_attribute(document, *extension);
}

std::optional<math::DAffine> invertible(const math::DAffine& m) {
    if (!is_finite(m)) {
        return std::nullopt;
    }
    // The cofactors of a matrix that flattens all to a plane take the axis that it loses to the
    // plane's normal, times the area of what was a unit square of the plane.
    const math::DAffine cofactors = math::normal_matrix(m);
    double squares = 0;
    for (const double entry : cofactors) {
        squares += entry * entry;
    }
    const double area = std::sqrt(squares);
    const double side = std::sqrt(area);
    constexpr double kFlat = 1e-12;  // of the side; such a thickness is lost among rounding errors
    constexpr double kThickness = 1e-5;
    math::DAffine thick = m;
    const double flat_volume = math::determinant(m);
    if (area > 0 && std::fabs(flat_volume) < kFlat * area * side) {
        const double thickness = (flat_volume < 0 ? -kThickness : kThickness) * side;
        for (std::size_t i = 0; i < thick.size(); ++i) {
            thick[i] += thickness * cofactors[i] / area;
        }
    }
    // Its determinant must be a float, as edits expect (scene_tree.h), and squares of its inverse,
    // which transforms normals.
    const double volume = std::fabs(math::determinant(thick));
    constexpr double kLargestInverse = 1e18;
    return volume > double{std::numeric_limits<float>::min()} && volume < 1e30 &&
                   area < kLargestInverse * volume
               ? std::optional(thick)
               : std::nullopt;
}

}  // namespace weft::scene::gltf
