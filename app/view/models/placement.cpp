#include "app/view/models/placement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::app {

namespace {

using math::column;
using math::compose;
using math::from_columns;
using math::translation;

constexpr float kDegrees = 180.0f / std::numbers::pi_v<float>;

// Least cosine of the Y angle; below it X and Z rotate about the same axis (gimbal lock).
constexpr float kLeastCosine = 1e-3f;

// Rz · Ry · Rx.
math::Affine rotation_of(const Vec3& angles_deg) {
    const math::Affine x = rotation({1, 0, 0}, angles_deg[0] / kDegrees);
    const math::Affine y = rotation({0, 1, 0}, angles_deg[1] / kDegrees);
    const math::Affine z = rotation({0, 0, 1}, angles_deg[2] / kDegrees);
    return compose(z, compose(y, x));
}

math::Affine transposed(const math::Affine& rotation) {
    return from_columns(math::vec3_at(&rotation[0]),
                        math::vec3_at(&rotation[4]),
                        math::vec3_at(&rotation[8]),
                        Vec3{});
}

// Orthonormalises the columns (Gram-Schmidt, starting with x), right-handed.
math::Affine orthonormal(const math::Affine& matrix) {
    const Vec3 x = math::normalize(column(matrix, 0), {1, 0, 0});
    const Vec3 raw_y = column(matrix, 1);
    const Vec3 upright = std::abs(x[1]) < 0.9f ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    const Vec3 y =
        math::normalize(raw_y - x * dot(raw_y, x), math::normalize(upright - x * dot(upright, x)));
    return from_columns(x, y, cross(x, y), Vec3{});
}

bool is_mirrored(const math::Affine& matrix) {
    return math::determinant(math::to_double(matrix)) < 0;
}

// The rotation whose angles placement_of() gives, and the object's axes for scaling.
math::Affine turning_of(const math::Affine& matrix) {
    math::Affine right_handed = matrix;
    if (is_mirrored(matrix)) {
        for (const std::size_t row : {0u, 4u, 8u}) {
            right_handed[row] = -right_handed[row];
        }
    }
    return orthonormal(right_handed);
}

// Adds to each angle the whole turns that bring it nearest to the other.
Vec3 with_whole_turns(Vec3 angles_deg, const Vec3& nearest_to) {
    for (u32 axis = 0; axis < 3; ++axis) {
        angles_deg[axis] -= 360 * std::round((angles_deg[axis] - nearest_to[axis]) / 360);
    }
    return angles_deg;
}

float sum_of_differences(const Vec3& a, const Vec3& b) {
    const Vec3 apart = glm::abs(a - b);
    return apart.x + apart.y + apart.z;
}

}  // namespace

// Rodrigues' formula.
math::Affine rotation(const Vec3& axis, float angle_rad) {
    const float cosine = std::cos(angle_rad);
    const float sine = std::sin(angle_rad);
    const auto turn = [&](const Vec3& v) {
        return v * cosine + cross(axis, v) * sine + axis * (dot(axis, v) * (1 - cosine));
    };
    return from_columns(turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1}), Vec3{});
}

Placement placement_of(const math::Affine& matrix) {
    Placement placement;
    placement.position_m = column(matrix, 3);
    for (u32 axis = 0; axis < 3; ++axis) {
        placement.scale[axis] = length(column(matrix, axis));
    }
    if (is_mirrored(matrix)) {
        placement.scale[0] = -placement.scale[0];
    }
    // Rz · Ry · Rx has −sin(y) in its lowest left corner.
    const math::Affine turn = turning_of(matrix);
    const float cosine = std::hypot(turn[0], turn[4]);
    placement.angles_deg[1] = std::atan2(-turn[8], cosine) * kDegrees;
    if (cosine > kLeastCosine) {
        placement.angles_deg[0] = std::atan2(turn[9], turn[10]) * kDegrees;
        placement.angles_deg[2] = std::atan2(turn[4], turn[0]) * kDegrees;
    } else {  // X and Z rotate about one axis: Z takes the whole angle
        placement.angles_deg[2] = std::atan2(-turn[1], turn[5]) * kDegrees;
    }
    placement.angles_deg += 0.0F;  // −0 becomes 0
    return placement;
}

Placement placement_near(const math::Affine& matrix, const Vec3& angles_deg) {
    Placement placement = placement_of(matrix);
    Vec3& angles = placement.angles_deg;
    const bool is_locked = std::cos(angles[1] / kDegrees) <= kLeastCosine;
    if (is_locked) {
        angles[2] += angles[1] > 0 ? angles_deg[0] : -angles_deg[0];
        angles[0] = angles_deg[0];
    }
    const Vec3 other = {angles[0] + 180, 180 - angles[1], angles[2] + 180};
    const Vec3 one = with_whole_turns(angles, angles_deg);
    const Vec3 two = with_whole_turns(other, angles_deg);
    angles = is_locked || sum_of_differences(one, angles_deg) <= sum_of_differences(two, angles_deg)
                 ? one
                 : two;
    return placement;
}

math::Affine replaced(const math::Affine& matrix, const Placement& before, const Placement& after) {
    Vec3 factors{1, 1, 1};
    for (u32 axis = 0; axis < 3; ++axis) {
        if (before.scale[axis] != 0) {
            factors[axis] = after.scale[axis] / before.scale[axis];
        }
    }
    math::Affine result = from_columns(column(matrix, 0) * factors[0],
                                       column(matrix, 1) * factors[1],
                                       column(matrix, 2) * factors[2],
                                       {});
    if (before.angles_deg != after.angles_deg) {
        result = compose(rotation_of(after.angles_deg),
                         compose(transposed(rotation_of(before.angles_deg)), result));
    }
    return compose(translation(after.position_m), result);
}

math::Affine turned(const math::Affine& matrix,
                    const Vec3& pivot,
                    const Vec3& axis,
                    float angle_rad) {
    const math::Affine about =
        compose(translation(pivot), compose(rotation(axis, angle_rad), translation(pivot * -1.0f)));
    return compose(about, matrix);
}

math::Affine scaled(const math::Affine& matrix, const Vec3& pivot, const Vec3& factors) {
    const math::Affine axes = turning_of(matrix);
    const math::Affine stretch = from_columns(column(axes, 0) * factors[0],
                                              column(axes, 1) * factors[1],
                                              column(axes, 2) * factors[2],
                                              {});
    const math::Affine about =
        compose(translation(pivot),
                compose(stretch, compose(transposed(axes), translation(pivot * -1.0f))));
    return compose(about, matrix);
}

}  // namespace weft::app
