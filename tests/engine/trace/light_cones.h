// light_cones.h — lights with a size, and the cones that they fill, for tests of their densities.
//
// A cone is cut into rings and sectors of equal solid angle.
#pragma once

#include "tests/engine/trace/floor_draws.h"

namespace weft::tests {

inline constexpr std::size_t kRings = 8;
inline constexpr std::size_t kSectors = 12;

inline scene::Light ball(Float3 middle, float radius_m) {
    scene::Light light = point_light(middle, {6, 6, 6});
    light.radius_m = radius_m;
    return light;
}

inline scene::Light sun(Float3 direction, float angle_deg) {
    scene::Light light = directional_light(direction, {6, 6, 6});
    light.angle_deg = angle_deg;
    return light;
}

// Lights are chosen by power: a size changes the bounds of the light tree, and so its choice.
inline trace::SceneTables tables_of(scene::Scene& scene, const std::vector<scene::Light>& lights) {
    scene.lights = lights;
    trace::TablesConfig config;
    config.light_choice = trace::LightChoice::Power;
    return trace::make_scene_tables(scene, config);
}

// A cone of directions: radiance over density, and 1 − cosine of its half angle.
struct Cone {
    Point axis;
    double spread;
    double arriving;
};

inline Cone cone_of(const scene::Light& light, Point from = {0, 0, 0}) {
    const double intensity = 6;
    if (light.kind == shaders::LightKind::Directional) {
        const Point d = point_of(light.direction);
        const double spread = 1 - std::cos(static_cast<double>(light.angle_deg) * kPi / 360);
        return {{-d[0], -d[1], -d[2]}, spread, intensity / (1 - spread / 2)};
    }
    const Point middle = point_of(light.position) - from;
    const double d = length(middle);
    const double r = static_cast<double>(light.radius_m);
    if (d < r) {
        return {{0, 1, 0}, 2, 4 * intensity / (r * r)};
    }
    const double spread = 1 - std::sqrt(1 - r * r / (d * d));
    return {{middle[0] / d, middle[1] / d, middle[2] / d},
            spread,
            intensity / (d * d * (1 - spread / 2))};
}

// Ring by depth in the cap, sector by the angle around its axis.
inline std::size_t part_of(const Cone& cone, const Point& wi) {
    const Point side = std::fabs(cone.axis[0]) > 0.9 ? Point{0, 0, 1} : Point{1, 0, 0};
    const Point x = cross(cone.axis, side);
    const Point y = cross(cone.axis, x);
    const Point off = wi - cone.axis;
    const double depth = 0.5 * dot(off, off) / cone.spread;  // |wi − axis|² = 2 (1 − cos)
    const double turn = std::atan2(dot(wi, y), dot(wi, x)) / (2 * kPi) + 0.5;
    const auto ring = static_cast<std::size_t>(std::clamp(depth, 0.0, 0.999999) * kRings);
    return ring * kSectors + static_cast<std::size_t>(std::clamp(turn, 0.0, 0.999999) * kSectors);
}

}  // namespace weft::tests
