#include "app/view/models/view_camera.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::app {

namespace {

constexpr double kSteepest = 0.9998;  // sine of the steepest pitch: up stays defined
constexpr float kMostOfWay = 0.5F;    // largest share of the way that one frame flies

Vec3 column(const scene::Camera& camera, std::size_t k) {
    return {camera.to_world[k], camera.to_world[4 + k], camera.to_world[8 + k]};
}

void set_column(scene::Camera& camera, std::size_t k, const Vec3& v) {
    for (std::size_t row = 0; row < 3; ++row) {
        camera.to_world[4 * row + k] = v[row];
    }
}

Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

float dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vec3 along(const Vec3& from, const Vec3& direction, float length) {
    return {from[0] + direction[0] * length,
            from[1] + direction[1] * length,
            from[2] + direction[2] * length};
}

Vec3 minus(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

// `v` at unit length; the fallback if its length is 0.
Vec3 unit(const Vec3& v, const Vec3& fallback) {
    const float length = std::sqrt(dot(v, v));
    return length > 1e-20F ? Vec3{v[0] / length, v[1] / length, v[2] / length} : fallback;
}

// Rotates v about a unit axis (Rodrigues' formula).
Vec3 turned(const Vec3& v, const Vec3& axis, double angle_rad) {
    const auto s = static_cast<float>(shaders::sin_of(angle_rad));
    const auto c = static_cast<float>(shaders::cos_of(angle_rad));
    const Vec3 side = cross(axis, v);
    const float rest = dot(axis, v) * (1 - c);
    return {v[0] * c + side[0] * s + axis[0] * rest,
            v[1] * c + side[1] * s + axis[1] * rest,
            v[2] * c + side[2] * s + axis[2] * rest};
}

// Sets the camera's axes from its backward direction, Y up.
void set_axes(scene::Camera& camera, const Vec3& back, const Vec3& fallback_right) {
    const Vec3 right = unit(cross({0, 1, 0}, back), fallback_right);
    set_column(camera, 0, right);
    set_column(camera, 1, cross(back, right));
    set_column(camera, 2, back);
}

// The camera's backward direction after a rotation.
Vec3 turned_back(const scene::Camera& camera, float yaw_rad, float pitch_rad) {
    const Vec3 back = unit(column(camera, 2), {0, 0, 1});
    const double now = shaders::asin_of(static_cast<double>(back[1]));
    const double most = shaders::asin_of(kSteepest);
    const double wanted = std::clamp(now - static_cast<double>(pitch_rad), -most, most);
    const Vec3 pitched = turned(back, unit(column(camera, 0), {1, 0, 0}), now - wanted);
    return unit(turned(pitched, {0, 1, 0}, static_cast<double>(yaw_rad)), back);
}

float tan_half_fov(const scene::Camera& camera) {
    return static_cast<float>(shaders::tan_of(static_cast<double>(camera.yfov_rad) / 2));
}

}  // namespace

Vec3 eye_of(const scene::Camera& camera) {
    return column(camera, 3);
}

Vec3 forward_of(const scene::Camera& camera) {
    const Vec3 back = unit(column(camera, 2), {0, 0, 1});
    return {-back[0], -back[1], -back[2]};
}

Vec3 point_ahead(const scene::Camera& camera, float distance) {
    return along(eye_of(camera), forward_of(camera), distance);
}

void look_around(scene::Camera& camera, float yaw_rad, float pitch_rad) {
    set_axes(camera, turned_back(camera, yaw_rad, pitch_rad), column(camera, 0));
}

void orbit(scene::Camera& camera, const Vec3& pivot, float yaw_rad, float pitch_rad) {
    // The pivot keeps its place in the picture: keep its coordinates along the camera's axes.
    const Vec3 to_pivot = minus(pivot, eye_of(camera));
    const Vec3 own = {dot(to_pivot, unit(column(camera, 0), {1, 0, 0})),
                      dot(to_pivot, unit(column(camera, 1), {0, 1, 0})),
                      dot(to_pivot, unit(column(camera, 2), {0, 0, 1}))};
    look_around(camera, yaw_rad, pitch_rad);
    Vec3 eye = pivot;
    for (std::size_t k = 0; k < 3; ++k) {
        eye = along(eye, column(camera, k), -own[k]);
    }
    set_column(camera, 3, eye);
}

float depth_of(const scene::Camera& camera, const Vec3& point) {
    return std::max(dot(minus(point, eye_of(camera)), forward_of(camera)), kLeastDepthM);
}

float flight_step_m(float depth_m, float share) {
    return std::max(depth_m - kLeastDepthM, 0.0F) * std::min(share, kMostOfWay);
}

bool is_same_view(const scene::Camera& a, const scene::Camera& b) {
    return a.to_world == b.to_world && a.is_orthographic == b.is_orthographic &&
           (a.is_orthographic ? a.ymag == b.ymag : a.yfov_rad == b.yfov_rad);
}

void move_by(scene::Camera& camera, float right_m, float up_m, float forward_m) {
    Vec3 eye = along(eye_of(camera), unit(column(camera, 0), {1, 0, 0}), right_m);
    eye = along(eye, unit(column(camera, 1), {0, 1, 0}), up_m);
    set_column(camera, 3, along(eye, forward_of(camera), forward_m));
}

void pan(scene::Camera& camera, float distance, float dx, float dy) {
    const float height =
        camera.is_orthographic ? 2 * camera.ymag : 2 * distance * tan_half_fov(camera);
    move_by(camera, -dx * height, dy * height, 0);
}

void dolly(scene::Camera& camera, const Vec3& pivot, float factor) {
    if (camera.is_orthographic) {
        camera.xmag *= factor;
        camera.ymag *= factor;
        return;
    }
    const Vec3 away = minus(eye_of(camera), pivot);
    set_column(camera, 3, along(pivot, away, factor));
}

float frame_box(scene::Camera& camera, const Vec3& low, const Vec3& high, float aspect) {
    if (!(low[0] <= high[0])) {
        return 1;
    }
    const Vec3 middle = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
    const Vec3 half = minus(high, middle);
    const float radius = std::max(std::sqrt(dot(half, half)), 1e-6F);
    float distance = radius * 2;
    if (camera.is_orthographic) {
        camera.ymag = radius / std::min(1.0F, aspect);
        camera.xmag = camera.ymag * aspect;
    } else {
        const float narrow = tan_half_fov(camera) * std::min(1.0F, aspect);
        // A ball fits at radius / sine of half the angle.
        distance = radius * std::sqrt(1 + narrow * narrow) / narrow;
    }
    set_column(camera, 3, along(middle, forward_of(camera), -distance));
    return distance;
}

void set_orthographic(scene::Camera& camera, bool is_orthographic, float distance, float aspect) {
    if (is_orthographic == camera.is_orthographic) {
        return;
    }
    if (is_orthographic) {
        camera.ymag = distance * tan_half_fov(camera);
        camera.xmag = camera.ymag * aspect;
    } else if (distance > 0) {
        camera.yfov_rad =
            std::clamp(static_cast<float>(2 * shaders::atan2_of(static_cast<double>(camera.ymag),
                                                                static_cast<double>(distance))),
                       0.02F,
                       3.0F);
    }
    camera.is_orthographic = is_orthographic;
}

void look_along(scene::Camera& camera, u32 axis, bool is_negative, const Vec3& at, float distance) {
    Vec3 back = {0, 0, 0};
    back[axis] = is_negative ? -1.0F : 1.0F;
    if (axis == 1) {
        // Stop at the orbit's steepest pitch, so that a later orbit does not jump.
        const auto steep = static_cast<float>(kSteepest);
        back = {0, back[1] * steep, std::sqrt(1 - steep * steep)};
    }
    set_axes(camera, back, {1, 0, 0});
    set_column(camera, 3, along(at, back, distance));
}

}  // namespace weft::app
