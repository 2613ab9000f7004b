#include "engine/scene/parts/placement.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/scene/model/scene_tree.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {

using math::DAffine;
using math::DVec3;

namespace {

// The matrix of an instance; none: it has no inverse.
std::optional<math::Affine> instance_matrix(const DAffine& base, const DAffine& to_world) {
    const math::Affine matrix = math::to_float(math::compose(base, to_world));
    return math::inverse(matrix) ? std::optional(matrix) : std::nullopt;
}

// The index of an asset; instances of one object mostly follow each other.
u32 asset_of(Scene& scene, const std::string& name) {
    if (scene.assets.empty() || scene.assets.back() != name) {
        scene.assets.push_back(name);
    }
    return static_cast<u32>(scene.assets.size() - 1);
}

}  // namespace

DAffine rotation(double degrees, const DVec3& axis) {
    const DVec3 a = math::normalize(axis, DVec3{0, 0, 1});
    const double angle = degrees * shaders::kPi / 180;
    const double s = shaders::sin_of(angle);
    const double c = shaders::cos_of(angle);
    const auto row = [&](std::size_t i, const DVec3& turned) {
        DVec3 unit{};
        unit[static_cast<glm::length_t>(i)] = 1;
        const DVec3 along = a * a[static_cast<glm::length_t>(i)];
        return along + (unit - along) * c + turned * s;
    };
    // Columns of the transpose are the rows.
    const DVec3 x = row(0, cross(DVec3{1, 0, 0}, a));
    const DVec3 y = row(1, cross(DVec3{0, 1, 0}, a));
    const DVec3 z = row(2, cross(DVec3{0, 0, 1}, a));
    return {x.x, x.y, x.z, 0, y.x, y.y, y.z, 0, z.x, z.y, z.z, 0};
}

DAffine upright(const DVec3& camera_up, bool mirrors) {
    const double side = mirrors ? -1 : 1;
    const bool is_z_up =
        std::fabs(camera_up.z) > std::max(std::fabs(camera_up.x), std::fabs(camera_up.y));
    if (is_z_up) {
        const double sign = camera_up.z < 0 ? -1 : 1;
        return {1, 0, 0, 0, 0, 0, sign, 0, 0, -side * sign, 0, 0};
    }
    return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, side, 0};
}

math::Affine camera_matrix(const DVec3& right, const DVec3& ahead, const DVec3& place) {
    const DVec3 back = -math::normalize(ahead, DVec3{0, 0, 1});
    const DVec3 upright =
        math::normalize(cross(back, math::normalize(right, DVec3{1, 0, 0})), DVec3{0, 1, 0});
    return math::to_float(
        math::from_columns(math::normalize(cross(upright, back)), upright, back, place));
}

DVec3 camera_stretch(const DAffine& to_world) {
    constexpr double kRounding = 1e-5;
    DVec3 stretch{1};
    for (glm::length_t k = 0; k < 3; ++k) {
        const double length = math::length(math::column(to_world, static_cast<std::size_t>(k)));
        stretch[k] = length > 0 ? std::clamp(length, 1e-9, 1e9) : 1;
        for (const double equal : {1.0, stretch.x, stretch.y}) {
            const bool is_near = std::fabs(stretch[k] - equal) < kRounding * equal;
            stretch[k] = is_near ? equal : stretch[k];
        }
    }
    return stretch;
}

bool is_skew(const DAffine& to_world) {
    const auto unit = [&](std::size_t k) { return math::normalize(math::column(to_world, k)); };
    constexpr double kRounding = 1e-4;
    return std::fabs(math::dot(unit(0), unit(1))) > kRounding ||
           std::fabs(math::dot(unit(0), unit(2))) > kRounding ||
           std::fabs(math::dot(unit(1), unit(2))) > kRounding;
}

float field_of_view(double tangent_of_half) {
    constexpr double kWidest = 3.141592;
    return static_cast<float>(std::min(2 * shaders::atan2_of(tangent_of_half, 1), kWidest));
}

void stretch_camera(const DVec3& stretch, Camera& camera) {
    const auto scale = [](float& number, double factor, double least, double most) {
        if (factor != 1) {
            number =
                static_cast<float>(std::clamp(static_cast<double>(number) * factor, least, most));
        }
    };
    scale(camera.xmag, stretch.x, 1e-9, 1e9);
    scale(camera.ymag, stretch.y, 1e-9, 1e9);
    scale(camera.pixel_aspect, stretch.x / stretch.y, 1e-3, 1e3);
    scale(camera.lens_radius_m, (stretch.x + stretch.y) / 2, 0, 1e6);
    scale(camera.focus_m, stretch.z, 1e-6, 1e9);
    if (stretch.y != stretch.z) {
        const double tangent = shaders::tan_of(static_cast<double>(camera.yfov_rad) / 2);
        camera.yfov_rad = field_of_view(tangent * stretch.y / stretch.z);
    }
}

bool place_shape(Scene& scene, const DAffine& base, const PlacedShape& shape) {
    const std::optional<math::Affine> matrix = instance_matrix(base, shape.to_world);
    if (matrix) {
        scene.instances.push_back({shape.mesh, shape.material, *matrix, shape.node});
    }
    return matrix.has_value();
}

u64 object_bytes(std::size_t shapes) {
    const u64 of_group = shapes > 1 ? sizeof(Group) : 0;
    return shapes * sizeof(Instance) + sizeof(std::string) + of_group;
}

bool place_object(Scene& scene,
                  const DAffine& base,
                  const ObjectPlace& place,
                  std::span<const PlacedShape> shapes) {
    const bool is_group = shapes.size() > 1;
    const u32 group = is_group ? static_cast<u32>(scene.groups.size()) : kNone;
    std::vector<Instance>& instances = scene.instances.own(shapes.size());
    const std::size_t first = instances.size();
    for (const PlacedShape& shape : shapes) {
        const std::optional<math::Affine> matrix =
            instance_matrix(base, math::compose(place.to_world, shape.to_world));
        if (matrix) {
            Instance& made = instances.emplace_back();
            made.mesh = shape.mesh;
            made.material = shape.material;
            made.object_to_world = *matrix;
            made.node = is_group ? shape.node : place.name;
            made.asset = asset_of(scene, place.name);
            made.group = group;
        }
    }
    if (is_group && instances.size() > first) {
        scene.groups.push_back(
            {place.name, group_matrix(math::compose(base, place.to_world)), kNone});
    }
    return instances.size() - first == shapes.size();
}

}  // namespace weft::scene
