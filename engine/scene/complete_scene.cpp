// complete_scene.cpp — what a scene lacks to be seen: a soft environment where nothing shines, a
// camera where there is none.
//
// Called by the program once the scene and its environment are known; each addition says so in a
// note. Any thread, one call at a time per Scene.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "engine/scene/import.h"
#include "engine/scene/sky.h"
#include "shaders/scalar_math.h"

namespace weft::scene {
namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool is_bright(const float* rgb) {
    return rgb[0] > 0 || rgb[1] > 0 || rgb[2] > 0;
}

bool something_shines(const Scene& scene) {
    const auto shines = [](const Light& light) { return is_bright(light.intensity.data()); };
    if (scene.environment.width > 0 ||
        std::any_of(scene.lights.begin(), scene.lights.end(), shines)) {
        return true;
    }
    return std::any_of(
        scene.instances.begin(), scene.instances.end(), [&](const Instance& instance) {
            return is_bright(scene.materials[instance.material].record.emissive);
        });
}

// The camera's axes in the world: from the front right, above. Rows: right, up, back; an
// orthonormal basis.
constexpr double kBackX = 0.56;
constexpr double kBackY = 0.42;
constexpr double kBackZ = 0.714142842854285;  // √(1 − 0.56² − 0.42²)
constexpr double kYfovRad = 40 * shaders::kPi / 180;
constexpr double kMargin = 1.06;  // a little air around the box

// A camera that sees the whole box in pictures at least as wide as high.
Camera framing_camera(const std::array<std::array<float, 3>, 2>& bounds) {
    const bool has_box = bounds[0][0] <= bounds[1][0];
    Vector centre{};
    Vector half{};
    for (std::size_t axis = 0; axis < 3 && has_box; ++axis) {
        const double low = static_cast<double>(bounds[0][axis]);
        const double high = static_cast<double>(bounds[1][axis]);
        centre[axis] = 0.5 * (low + high);
        half[axis] = 0.5 * (high - low);
    }
    const Vector back = {kBackX, kBackY, kBackZ};
    const double level = std::sqrt(1 - kBackY * kBackY);
    const Vector right = {kBackZ / level, 0, -kBackX / level};
    const Vector up = {-kBackX * kBackY / level, level, -kBackZ * kBackY / level};
    // Each corner wants |x| and |y| within tan(yfov/2) times its depth.
    const double slope = shaders::tan_of(kYfovRad / 2);
    double distance = 0;
    for (u32 corner = 0; corner < 8; ++corner) {
        const Vector offset = {(corner & 1) != 0 ? half[0] : -half[0],
                               (corner & 2) != 0 ? half[1] : -half[1],
                               (corner & 4) != 0 ? half[2] : -half[2]};
        const double aside = std::max(std::fabs(dot(right, offset)), std::fabs(dot(up, offset)));
        distance = std::max(distance, kMargin * aside / slope + dot(back, offset));
    }
    // A point or nothing at all is looked at from one metre.
    distance = distance > 0 ? distance : 1;
    Camera camera;
    camera.name = "default camera";
    for (std::size_t axis = 0; axis < 3; ++axis) {
        camera.to_world[4 * axis] = static_cast<float>(right[axis]);
        camera.to_world[4 * axis + 1] = static_cast<float>(up[axis]);
        camera.to_world[4 * axis + 2] = static_cast<float>(back[axis]);
        camera.to_world[4 * axis + 3] = static_cast<float>(centre[axis] + distance * back[axis]);
    }
    camera.yfov_rad = static_cast<float>(kYfovRad);
    camera.focus_m = static_cast<float>(distance);
    return camera;
}

std::string place_text(const Camera& camera) {
    char text[96];
    std::snprintf(text,
                  sizeof text,
                  "(%.4g, %.4g, %.4g)",
                  static_cast<double>(camera.to_world[3]),
                  static_cast<double>(camera.to_world[7]),
                  static_cast<double>(camera.to_world[11]));
    return text;
}

}  // namespace

void complete_scene(Scene& scene) {
    if (scene.materials.empty()) {
        scene.materials.push_back({"default", default_material()});
    }
    if (scene.environment.repaired_texels > 0) {
        scene.notes.push_back({Note::Kind::Repaired,
                               scene.environment.name + ": " +
                                   std::to_string(scene.environment.repaired_texels) +
                                   " texels with negative or not finite values were set to 0."});
    }
    if (!something_shines(scene)) {
        scene.environment = soft_environment();
        scene.notes.push_back(
            {Note::Kind::Replaced,
             "Nothing in the scene shines: a soft default environment of 1 cd/m² was added."});
    }
    if (scene.cameras.empty()) {
        scene.cameras.push_back(framing_camera(scene_bounds(scene)));
        scene.notes.push_back({Note::Kind::Replaced,
                               "The scene has no camera: one that frames it was placed at " +
                                   place_text(scene.cameras.back()) + "."});
    }
}

}  // namespace weft::scene
