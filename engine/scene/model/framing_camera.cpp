#include "engine/scene/model/framing_camera.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "shaders/host/scalar_math.h"

namespace weft::scene {

namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The camera's axes in the world, seen from the front right, above: an orthonormal basis with the
// rows right, up, back.
constexpr double kBackX = 0.56;
constexpr double kBackY = 0.42;
constexpr double kBackZ = 0.714142842854285;  // √(1 − 0.56² − 0.42²)
constexpr double kYfovRad = 40 * shaders::kPi / 180;
constexpr double kMargin = 1.06;  // a little air around the box

}  // namespace

Camera framing_camera(const std::array<std::array<float, 3>, 2>& bounds, float aspect) {
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
    // Each corner needs |y| and |x| within tan(yfov/2) times its depth; |x| within less where the
    // picture is narrower than high.
    const double slope = shaders::tan_of(kYfovRad / 2);
    const double narrow = std::min(1.0, static_cast<double>(aspect));
    double distance = 0;
    for (u32 corner = 0; corner < 8; ++corner) {
        const Vector offset = {(corner & 1) != 0 ? half[0] : -half[0],
                               (corner & 2) != 0 ? half[1] : -half[1],
                               (corner & 4) != 0 ? half[2] : -half[2]};
        const double aside =
            std::max(std::fabs(dot(right, offset)) / narrow, std::fabs(dot(up, offset)));
        distance = std::max(distance, kMargin * aside / slope + dot(back, offset));
    }
    // An empty box, or a point, is seen from one metre.
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

bool is_framing_camera(const Camera& camera,
                       const std::array<std::array<float, 3>, 2>& bounds,
                       float aspect) {
    const Camera framing = framing_camera(bounds, aspect);
    return camera.name == framing.name && camera.to_world == framing.to_world &&
           camera.yfov_rad == framing.yfov_rad && !camera.is_orthographic;
}

}  // namespace weft::scene
