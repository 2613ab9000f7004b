#include "app/view/models/placement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::app {

namespace {

constexpr float kDegrees = 180.0f / std::numbers::pi_v<float>;

// Least cosine of the Y angle; below it X and Z rotate about the same axis (gimbal lock).
constexpr float kLeastCosine = 1e-3f;

scene::Affine from_columns(const Vec3& x, const Vec3& y, const Vec3& z, const Vec3& t) {
    return {x[0], y[0], z[0], t[0], x[1], y[1], z[1], t[1], x[2], y[2], z[2], t[2]};
}

// Rz · Ry · Rx.
scene::Affine rotation_of(const Vec3& angles_deg) {
    const scene::Affine x = rotation({1, 0, 0}, angles_deg[0] / kDegrees);
    const scene::Affine y = rotation({0, 1, 0}, angles_deg[1] / kDegrees);
    const scene::Affine z = rotation({0, 0, 1}, angles_deg[2] / kDegrees);
    return compose(z, compose(y, x));
}

scene::Affine transposed(const scene::Affine& rotation) {
    return from_columns({rotation[0], rotation[1], rotation[2]},
                        {rotation[4], rotation[5], rotation[6]},
                        {rotation[8], rotation[9], rotation[10]},
                        {});
}

// Orthonormalises the columns (Gram-Schmidt, starting with x), right-handed.
scene::Affine orthonormal(const scene::Affine& matrix) {
    const Vec3 x = normalised(column(matrix, 0), {1, 0, 0});
    const Vec3 raw_y = column(matrix, 1);
    const Vec3 upright = std::abs(x[1]) < 0.9f ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    const Vec3 y = normalised(raw_y - x * dot(raw_y, x), normalised(upright - x * dot(upright, x)));
    return from_columns(x, y, cross(x, y), {});
}

bool is_mirrored(const scene::Affine& matrix) {
    return dot(cross(column(matrix, 0), column(matrix, 1)), column(matrix, 2)) < 0;
}

// The rotation whose angles placement_of() gives, and the object's axes for scaling.
scene::Affine turning_of(const scene::Affine& matrix) {
    scene::Affine right_handed = matrix;
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

float distance(const Vec3& a, const Vec3& b) {
    return std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]);
}

}  // namespace

Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vec3 operator*(const Vec3& a, float scale) {
    return {a[0] * scale, a[1] * scale, a[2] * scale};
}

float dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

float length(const Vec3& a) {
    return std::sqrt(dot(a, a));
}

Vec3 normalised(const Vec3& a, const Vec3& otherwise) {
    const float size = length(a);
    return size > 0 ? a * (1 / size) : otherwise;
}

scene::Affine compose(const scene::Affine& a, const scene::Affine& b) {
    return from_columns(transform_vector(a, column(b, 0)),
                        transform_vector(a, column(b, 1)),
                        transform_vector(a, column(b, 2)),
                        transform_point(a, column(b, 3)));
}

Vec3 transform_point(const scene::Affine& matrix, const Vec3& point) {
    return transform_vector(matrix, point) + column(matrix, 3);
}

Vec3 transform_vector(const scene::Affine& matrix, const Vec3& vector) {
    return column(matrix, 0) * vector[0] + column(matrix, 1) * vector[1] +
           column(matrix, 2) * vector[2];
}

Vec3 column(const scene::Affine& matrix, u32 index) {
    return {matrix[index], matrix[4 + index], matrix[8 + index]};
}

scene::Affine translation(const Vec3& by) {
    return from_columns({1, 0, 0}, {0, 1, 0}, {0, 0, 1}, by);
}

// Rodrigues' formula.
scene::Affine rotation(const Vec3& axis, float angle_rad) {
    const float cosine = std::cos(angle_rad);
    const float sine = std::sin(angle_rad);
    const auto turn = [&](const Vec3& v) {
        return v * cosine + cross(axis, v) * sine + axis * (dot(axis, v) * (1 - cosine));
    };
    return from_columns(turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1}), {});
}

Placement placement_of(const scene::Affine& matrix) {
    Placement placement;
    placement.position_m = column(matrix, 3);
    for (u32 axis = 0; axis < 3; ++axis) {
        placement.scale[axis] = length(column(matrix, axis));
    }
    if (is_mirrored(matrix)) {
        placement.scale[0] = -placement.scale[0];
    }
    // Rz · Ry · Rx has −sin(y) in its lowest left corner.
    const scene::Affine turn = turning_of(matrix);
    const float cosine = std::hypot(turn[0], turn[4]);
    placement.angles_deg[1] = std::atan2(-turn[8], cosine) * kDegrees;
    if (cosine > kLeastCosine) {
        placement.angles_deg[0] = std::atan2(turn[9], turn[10]) * kDegrees;
        placement.angles_deg[2] = std::atan2(turn[4], turn[0]) * kDegrees;
    } else {  // X and Z rotate about one axis: Z takes the whole angle
        placement.angles_deg[2] = std::atan2(-turn[1], turn[5]) * kDegrees;
    }
    for (float& angle : placement.angles_deg) {
        angle += 0.0F;  // −0 becomes 0
    }
    return placement;
}

Placement placement_near(const scene::Affine& matrix, const Vec3& angles_deg) {
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
    angles = is_locked || distance(one, angles_deg) <= distance(two, angles_deg) ? one : two;
    return placement;
}

scene::Affine replaced(const scene::Affine& matrix,
                       const Placement& before,
                       const Placement& after) {
    Vec3 factors{1, 1, 1};
    for (u32 axis = 0; axis < 3; ++axis) {
        if (before.scale[axis] != 0) {
            factors[axis] = after.scale[axis] / before.scale[axis];
        }
    }
    scene::Affine result = from_columns(column(matrix, 0) * factors[0],
                                        column(matrix, 1) * factors[1],
                                        column(matrix, 2) * factors[2],
                                        {});
    if (before.angles_deg != after.angles_deg) {
        result = compose(rotation_of(after.angles_deg),
                         compose(transposed(rotation_of(before.angles_deg)), result));
    }
    return compose(translation(after.position_m), result);
}

scene::Affine turned(const scene::Affine& matrix,
                     const Vec3& pivot,
                     const Vec3& axis,
                     float angle_rad) {
    const scene::Affine about =
        compose(translation(pivot), compose(rotation(axis, angle_rad), translation(pivot * -1.0f)));
    return compose(about, matrix);
}

scene::Affine scaled(const scene::Affine& matrix, const Vec3& pivot, const Vec3& factors) {
    const scene::Affine axes = turning_of(matrix);
    const scene::Affine stretch = from_columns(column(axes, 0) * factors[0],
                                               column(axes, 1) * factors[1],
                                               column(axes, 2) * factors[2],
                                               {});
    const scene::Affine about =
        compose(translation(pivot),
                compose(stretch, compose(transposed(axes), translation(pivot * -1.0f))));
    return compose(about, matrix);
}

}  // namespace weft::app
