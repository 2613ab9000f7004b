#include "app/view/models/view_camera.h"

#include <algorithm>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::app {

namespace {

constexpr double kSteepest = 0.9998;  // sine of the steepest pitch: up stays defined
constexpr float kMostOfWay = 0.5F;    // largest share of the way that one frame flies

Vec3 axis_of(const scene::Camera& camera, std::size_t k) {
    Vec3 otherwise{};
    otherwise[k] = 1;
    return math::normalize(math::column(camera.to_world, k), otherwise);
}

void set_eye(scene::Camera& camera, const Vec3& eye) {
    math::set_column(camera.to_world, 3, eye);
}

// Rotates v about a unit axis (Rodrigues' formula).
Vec3 turned(const Vec3& v, const Vec3& axis, double angle_rad) {
    const auto s = static_cast<float>(shaders::sin_of(angle_rad));
    const auto c = static_cast<float>(shaders::cos_of(angle_rad));
    const Vec3 side = cross(axis, v);
    const float rest = dot(axis, v) * (1 - c);
    return v * c + side * s + axis * rest;
}

// Sets the camera's axes from its backward direction, Y up.
void set_axes(scene::Camera& camera, const Vec3& back, const Vec3& fallback_right) {
    const Vec3 right = math::normalize(cross(Vec3{0, 1, 0}, back), fallback_right);
    camera.to_world = math::from_columns(right, cross(back, right), back, eye_of(camera));
}

// The camera's backward direction after a rotation.
Vec3 turned_back(const scene::Camera& camera, float yaw_rad, float pitch_rad) {
    const Vec3 back = axis_of(camera, 2);
    const double now = shaders::asin_of(static_cast<double>(back[1]));
    const double most = shaders::asin_of(kSteepest);
    const double wanted = std::clamp(now - static_cast<double>(pitch_rad), -most, most);
    const Vec3 pitched = turned(back, axis_of(camera, 0), now - wanted);
    return math::normalize(turned(pitched, {0, 1, 0}, static_cast<double>(yaw_rad)), back);
}

float tan_half_fov(const scene::Camera& camera) {
    return static_cast<float>(shaders::tan_of(static_cast<double>(camera.yfov_rad) / 2));
}

}  // namespace

Vec3 eye_of(const scene::Camera& camera) {
    return math::column(camera.to_world, 3);
}

Vec3 forward_of(const scene::Camera& camera) {
    return -axis_of(camera, 2);
}

Vec3 point_ahead(const scene::Camera& camera, float distance) {
    return eye_of(camera) + forward_of(camera) * distance;
}

void look_around(scene::Camera& camera, float yaw_rad, float pitch_rad) {
    set_axes(camera, turned_back(camera, yaw_rad, pitch_rad), math::column(camera.to_world, 0));
}

void orbit(scene::Camera& camera, const Vec3& pivot, float yaw_rad, float pitch_rad) {
    // The pivot keeps its place in the picture: keep its coordinates along the camera's axes.
    const Vec3 to_pivot = pivot - eye_of(camera);
    const Vec3 own = {dot(to_pivot, axis_of(camera, 0)),
                      dot(to_pivot, axis_of(camera, 1)),
                      dot(to_pivot, axis_of(camera, 2))};
    look_around(camera, yaw_rad, pitch_rad);
    Vec3 eye = pivot;
    for (std::size_t k = 0; k < 3; ++k) {
        eye += math::column(camera.to_world, k) * -own[k];
    }
    set_eye(camera, eye);
}

float depth_of(const scene::Camera& camera, const Vec3& point) {
    return std::max(dot(point - eye_of(camera), forward_of(camera)), kLeastDepthM);
}

float flight_step_m(float depth_m, float share) {
    return std::max(depth_m - kLeastDepthM, 0.0F) * std::min(share, kMostOfWay);
}

bool is_same_view(const scene::Camera& a, const scene::Camera& b) {
    return a.to_world == b.to_world && a.is_orthographic == b.is_orthographic &&
           (a.is_orthographic ? a.ymag == b.ymag : a.yfov_rad == b.yfov_rad);
}

void move_by(scene::Camera& camera, float right_m, float up_m, float forward_m) {
    set_eye(camera,
            eye_of(camera) + axis_of(camera, 0) * right_m + axis_of(camera, 1) * up_m +
                forward_of(camera) * forward_m);
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
    set_eye(camera, pivot + (eye_of(camera) - pivot) * factor);
}

float frame_box(scene::Camera& camera, const math::Box& box, float aspect) {
    if (box.is_empty()) {
        return 1;
    }
    const Vec3 middle = (box.low + box.high) / 2.0F;
    const float radius = std::max(length(box.high - middle), 1e-6F);
    float distance = radius * 2;
    if (camera.is_orthographic) {
        camera.ymag = radius / std::min(1.0F, aspect);
        camera.xmag = camera.ymag * aspect;
    } else {
        const float narrow = tan_half_fov(camera) * std::min(1.0F, aspect);
        // A ball fits at radius / sine of half the angle.
        distance = radius * std::sqrt(1 + narrow * narrow) / narrow;
    }
    set_eye(camera, middle + forward_of(camera) * -distance);
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
    set_eye(camera, at + back * distance);
}

}  // namespace weft::app
