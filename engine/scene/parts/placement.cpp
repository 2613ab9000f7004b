#include "engine/scene/parts/placement.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::scene {

using math::DAffine;
using math::DVec3;

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

}  // namespace weft::scene
