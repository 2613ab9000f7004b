#include "engine/scene/model/framing_camera.h"

#include <algorithm>
#include <cmath>

#include "engine/math/affine.h"
#include "engine/math/angle.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {

namespace {

using math::DVec3;

// The camera's axes in the world, seen from the front right, above: an orthonormal basis with the
// rows right, up, back.
constexpr double kBackX = 0.56;
constexpr double kBackY = 0.42;
constexpr double kBackZ = 0.714142842854285;  // √(1 − 0.56² − 0.42²)
constexpr double kYfovRad = math::to_radians(40);
constexpr double kMargin = 1.06;  // a little air around the box

}  // namespace

Camera framing_camera(const math::Box& bounds, float aspect) {
    const math::Box box = bounds.is_empty() ? math::Box{{}, {}} : bounds;
    const DVec3 low(box.low);
    const DVec3 high(box.high);
    const DVec3 centre = 0.5 * (low + high);
    const DVec3 half = 0.5 * (high - low);
    const DVec3 back = {kBackX, kBackY, kBackZ};
    const double level = std::sqrt(1 - kBackY * kBackY);
    const DVec3 right = {kBackZ / level, 0, -kBackX / level};
    const DVec3 up = {-kBackX * kBackY / level, level, -kBackZ * kBackY / level};
    // Each corner needs |y| and |x| within tan(yfov/2) times its depth; |x| within less where the
    // picture is narrower than high.
    const double slope = shaders::tan_of(kYfovRad / 2);
    const double narrow = std::min(1.0, static_cast<double>(aspect));
    double distance = 0;
    for (u32 corner = 0; corner < 8; ++corner) {
        const DVec3 offset = {(corner & 1) != 0 ? half.x : -half.x,
                              (corner & 2) != 0 ? half.y : -half.y,
                              (corner & 4) != 0 ? half.z : -half.z};
        const double aside =
            std::max(std::fabs(dot(right, offset)) / narrow, std::fabs(dot(up, offset)));
        distance = std::max(distance, kMargin * aside / slope + dot(back, offset));
    }
    // An empty box, or a point, is seen from one metre.
    distance = distance > 0 ? distance : 1;
    Camera camera;
    camera.name = "default camera";
    camera.to_world = math::to_float(math::from_columns(right, up, back, centre + distance * back));
    camera.yfov_rad = static_cast<float>(kYfovRad);
    camera.focus_m = static_cast<float>(distance);
    return camera;
}

bool is_framing_camera(const Camera& camera, const math::Box& bounds, float aspect) {
    const Camera framing = framing_camera(bounds, aspect);
    return camera.name == framing.name && camera.to_world == framing.to_world &&
           camera.yfov_rad == framing.yfov_rad && !camera.is_orthographic;
}

}  // namespace weft::scene
