#include <array>
#include <cmath>

#include <doctest/doctest.h>

#include "engine/trace/scene_tables.h"

using namespace weft;
using namespace weft::trace;

namespace {

using math::DVec3;

// The formula of path_view.h for a film position in pixels.
DVec3 film_offset(const shaders::CameraRecord& camera, double x, double y, u32 width, u32 height) {
    const double s = (x / width * 2 - 1) * static_cast<double>(camera.half_width);
    const double t = (1 - y / height * 2) * static_cast<double>(camera.half_height);
    DVec3 offset{};
    for (std::size_t k = 0; k < 3; ++k) {
        offset[k] =
            s * static_cast<double>(camera.right[k]) + t * static_cast<double>(camera.up[k]);
    }
    return offset;
}

void check_near(const float (&found)[3], const DVec3& expected) {
    for (std::size_t k = 0; k < 3; ++k) {
        CHECK(static_cast<double>(found[k]) == doctest::Approx(expected[k]).epsilon(1e-6));
    }
}

}  // namespace

TEST_SUITE("engine/trace/camera_record") {
    TEST_CASE("corners of a perspective picture lie at the field of view") {
        scene::Camera camera;
        camera.yfov_rad = static_cast<float>(std::acos(-1.0) / 2);
        const shaders::CameraRecord record = make_camera(camera, 200, 100);
        const DVec3 corner = film_offset(record, 0, 0, 200, 100);
        // 90 degrees up, twice as wide as high, along −Z: the top left ray is (−2, 1, −1).
        CHECK(corner[0] + static_cast<double>(record.forward[0]) ==
              doctest::Approx(-2).epsilon(1e-6));
        CHECK(corner[1] + static_cast<double>(record.forward[1]) ==
              doctest::Approx(1).epsilon(1e-6));
        CHECK(corner[2] + static_cast<double>(record.forward[2]) ==
              doctest::Approx(-1).epsilon(1e-6));
        CHECK(record.pixel_spread == doctest::Approx(0.02).epsilon(1e-6));
        CHECK(record.pixel_width_m == 0);
        CHECK(record.is_orthographic == 0);
    }

    TEST_CASE("a shift moves the film by shares of its sides and pixels may be wide") {
        scene::Camera camera;
        camera.yfov_rad = static_cast<float>(std::acos(-1.0) / 2);
        camera.pixel_aspect = 1.5f;
        camera.shift_x = 0.5f;
        camera.shift_y = -0.25f;
        const shaders::CameraRecord record = make_camera(camera, 200, 100);
        CHECK(record.half_height == doctest::Approx(1));
        CHECK(record.half_width == doctest::Approx(3));
        // Half of the width puts what was on the right edge into the middle.
        CHECK(record.shift_s == doctest::Approx(3));
        CHECK(record.shift_t == doctest::Approx(-0.5));
    }

    TEST_CASE("the vertical field of view is kept whatever aspect the camera had") {
        scene::Camera camera;
        camera.aspect = 2.35f;
        const shaders::CameraRecord wide = make_camera(camera, 300, 100);
        const shaders::CameraRecord tall = make_camera(camera, 50, 100);
        CHECK(wide.half_height == tall.half_height);
        CHECK(wide.half_width == doctest::Approx(3 * wide.half_height));
        CHECK(tall.half_width == doctest::Approx(0.5 * static_cast<double>(tall.half_height)));
    }

    TEST_CASE("corners of an orthographic picture lie at its magnification") {
        scene::Camera camera;
        camera.is_orthographic = true;
        camera.ymag = 3;
        camera.xmag = 3;
        camera.lens_radius_m = 1;
        camera.to_world = {1, 0, 0, 10, 0, 1, 0, 20, 0, 0, 1, 30};
        const shaders::CameraRecord record = make_camera(camera, 400, 200);
        const DVec3 corner = film_offset(record, 400, 200, 400, 200);
        CHECK(corner[0] == doctest::Approx(6));
        CHECK(corner[1] == doctest::Approx(-3));
        CHECK(corner[2] == 0);
        check_near(record.origin, {10, 20, 30});
        CHECK(record.is_orthographic == 1);
        CHECK(record.pixel_width_m == doctest::Approx(0.03));
        CHECK(record.pixel_spread == 0);
        CHECK(record.lens_radius_m == 0);
    }

    TEST_CASE("a scaled and turned node gives axes of unit length") {
        scene::Camera camera;
        // Columns: X to −Z (times 2), Y to Y (times 3), Z to X (times 5).
        camera.to_world = {0, 0, 5, 1, 0, 3, 0, 2, -2, 0, 0, 3};
        const shaders::CameraRecord record = make_camera(camera, 10, 10);
        check_near(record.right, {0, 0, -1});
        check_near(record.up, {0, 1, 0});
        check_near(record.forward, {-1, 0, 0});
        check_near(record.origin, {1, 2, 3});
    }

    TEST_CASE("a lens keeps its radius and a missing focus distance becomes one metre") {
        scene::Camera camera;
        camera.lens_radius_m = 0.02f;
        camera.focus_m = 4;
        CHECK(make_camera(camera, 8, 8).lens_radius_m == 0.02f);
        CHECK(make_camera(camera, 8, 8).focus_m == 4);
        camera.focus_m = 0;
        CHECK(make_camera(camera, 8, 8).focus_m == 1);
    }
}
