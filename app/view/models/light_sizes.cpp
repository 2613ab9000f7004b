#include "app/view/models/light_sizes.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "engine/math/angle.h"

namespace weft::app {

namespace {

using shaders::LightKind;

constexpr u32 kCirclePoints = 48;
constexpr float kGap = 26;         // from a light's sign to the dot of a light without a size
constexpr float kFarthest = 320;   // maximum distance of a dot
constexpr float kConeReach = 130;  // from a spot to the rim of its cone
constexpr float kDiagonal = 0.70710678F;
constexpr double kMostRadius = 1e4;
constexpr double kMostSun = 90;
constexpr double kRightAngle = 90;
constexpr float kPi = std::numbers::pi_v<float>;

float metres_of_pixel(const GizmoView& view, const Vec3& at) {
    const Vec3 aside = math::normalize(math::column(view.camera.to_world, 0), {1, 0, 0});
    const auto here = project(view, at);
    const auto there = project(view, at + aside);
    const float pixels = here && there ? std::hypot(there->x - here->x, there->y - here->y) : 0;
    return pixels > 0 ? 1 / pixels : 0;
}

// A sun's angle may be small or very small: the dot moves with its square root.
float pixels_of_sun(double degrees) {
    return 30 * static_cast<float>(std::sqrt(degrees));
}

std::vector<ScreenPoint> circle(const ScreenPoint& middle, float radius) {
    std::vector<ScreenPoint> line;
    for (u32 k = 0; k <= kCirclePoints; ++k) {
        const float angle = 2 * kPi * static_cast<float>(k) / kCirclePoints;
        line.push_back({middle.x + radius * std::cos(angle), middle.y + radius * std::sin(angle)});
    }
    return line;
}

// The dot lies at the lower right, where no handle of the gizmo ends.
LightSize round_size(const ScreenPoint& middle, float radius, LightSize size) {
    const float away = (std::min(radius, kFarthest) + kGap) * kDiagonal;
    size.dot = {middle.x + away, middle.y + away};
    size.line = circle(middle, radius);
    return size;
}

// The point on a spot's rim at a half angle and a rotation about its axis. Rotation 0 lies in the
// plane that faces the camera most.
Vec3 rim_point(
    const GizmoView& view, const scene::Light& light, const Vec3& at, double degrees, float turn) {
    const Vec3 way = math::normalize(light.direction, {0, 0, -1});
    const Vec3 to_eye = view.camera.is_orthographic
                            ? math::normalize(math::column(view.camera.to_world, 2))
                            : math::normalize(math::column(view.camera.to_world, 3) - at);
    const Vec3 across = cross(way, to_eye);
    const Vec3 right = math::normalize(math::column(view.camera.to_world, 0), {1, 0, 0});
    const Vec3 side = length(across) > 0.05F
                          ? math::normalize(across)
                          : math::normalize(cross(cross(way, right), way), right);
    const Vec3 other = cross(way, side);
    const float reach = kConeReach * metres_of_pixel(view, at);
    const auto angle = static_cast<float>(math::to_radians(degrees));
    return at + (way * std::cos(angle) +
                 (side * std::cos(turn) + other * std::sin(turn)) * std::sin(angle)) *
                    reach;
}

// The dots of the inner and the outer angle lie on opposite sides.
float turn_of(const LightSize& size) {
    return std::string_view(size.field) == "inner_deg" ? kPi : 0;
}

void append_cone(const GizmoView& view,
                 const scene::Light& light,
                 const Vec3& at,
                 LightSize size,
                 std::vector<LightSize>& sizes) {
    const auto dot = project(view, rim_point(view, light, at, size.value, turn_of(size)));
    if (!dot) {
        return;
    }
    size.dot = *dot;
    for (u32 k = 0; k <= kCirclePoints; ++k) {
        const float turn = 2 * kPi * static_cast<float>(k) / kCirclePoints;
        if (const auto point = project(view, rim_point(view, light, at, size.value, turn))) {
            size.line.push_back(*point);
        }
    }
    sizes.push_back(std::move(size));
}

double degrees_of(float cosine) {
    return math::to_degrees(std::acos(std::clamp(static_cast<double>(cosine), -1.0, 1.0)));
}

// The angle whose dot lies nearest to a point of the screen: first to a degree, then refined.
double nearest_angle(const GizmoView& view,
                     const scene::Light& light,
                     const Vec3& at,
                     float turn,
                     ScreenPoint wanted) {
    double best = 0;
    double low = 0;
    double high = kRightAngle;
    for (double step = 1; step >= 0.01; step /= 10) {
        float least = INFINITY;
        for (double angle = low; angle <= high + step / 2; angle += step) {
            const double tried = std::min(angle, kRightAngle);
            const auto dot = project(view, rim_point(view, light, at, tried, turn));
            const float away = dot ? std::hypot(dot->x - wanted.x, dot->y - wanted.y) : INFINITY;
            if (away < least) {
                least = away;
                best = tried;
            }
        }
        low = std::max(best - step, 0.0);
        high = std::min(best + step, kRightAngle);
    }
    return best;
}

}  // namespace

std::vector<LightSize> light_sizes(const GizmoView& view,
                                   const scene::Light& light,
                                   const Vec3& at) {
    // A light without a place in the view shows no size.
    std::vector<LightSize> sizes;
    const auto middle = project(view, at);
    if (!middle) {
        return sizes;
    }
    // A directional light shows its disk in the sky.
    if (light.kind == LightKind::Directional) {
        const auto degrees = static_cast<double>(light.angle_deg);
        sizes.push_back(
            round_size(*middle,
                       pixels_of_sun(degrees),
                       {"angle_deg", "angular diameter", "°", degrees, kMostSun, {}, {}}));
        return sizes;
    }
    // Other lights show their ball.
    const float pixel_m = metres_of_pixel(view, at);
    if (pixel_m > 0) {
        sizes.push_back(round_size(*middle,
                                   light.radius_m / pixel_m,
                                   {"radius_m",
                                    "radius",
                                    " m",
                                    static_cast<double>(light.radius_m),
                                    kMostRadius,
                                    {},
                                    {}}));
    }
    // A spot shows both cones.
    if (light.kind == LightKind::Spot) {
        append_cone(view,
                    light,
                    at,
                    {"outer_deg",
                     "outer half angle",
                     "°",
                     degrees_of(light.cos_outer),
                     kRightAngle,
                     {},
                     {}},
                    sizes);
        append_cone(view,
                    light,
                    at,
                    {"inner_deg",
                     "inner half angle",
                     "°",
                     degrees_of(light.cos_inner),
                     kRightAngle,
                     {},
                     {}},
                    sizes);
    }
    return sizes;
}

std::string pulled_size(const GizmoView& view,
                        const scene::Light& light,
                        const Vec3& at,
                        const LightSize& size,
                        ScreenPoint from,
                        ScreenPoint to) {
    const std::string_view field = size.field;
    const float outwards = (to.x - from.x + to.y - from.y) * kDiagonal;
    double value = 0;
    if (field == "radius_m") {
        value = size.value + static_cast<double>(outwards * metres_of_pixel(view, at));
    } else if (field == "angle_deg") {
        const double root = static_cast<double>(pixels_of_sun(size.value) + outwards) / 30;
        value = root > 0 ? root * root : 0;
    } else {
        value = nearest_angle(view,
                              light,
                              at,
                              turn_of(size),
                              {size.dot.x + to.x - from.x, size.dot.y + to.y - from.y});
    }
    return fmt::format("{:.4g}", std::clamp(value, 0.0, size.most));
}

}  // namespace weft::app
