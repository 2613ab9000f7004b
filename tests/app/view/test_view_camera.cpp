// test_view_camera.cpp — the invariants of each camera move.
#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "app/view/models/view_camera.h"

namespace weft::app {
namespace {

// Largest difference of the three axes from an orthonormal right-handed frame.
float skewness(const scene::Camera& camera) {
    const auto axis = [&](std::size_t k) { return math::column(camera.to_world, k); };
    float worst = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
            worst = std::max(worst, std::abs(dot(axis(a), axis(b)) - (a == b ? 1.0F : 0.0F)));
        }
    }
    return worst;
}

}  // namespace

TEST_SUITE("app/view/view_camera") {
    TEST_CASE("an orbit keeps the distance to its pivot and the axes orthogonal") {
        scene::Camera camera;
        camera.to_world = {1, 0, 0, 2, 0, 1, 0, 1, 0, 0, 1, 5};
        const Vec3 pivot = {0.5F, 0.25F, -1};
        const float before = distance(eye_of(camera), pivot);
        for (u32 k = 0; k < 500; ++k) {
            const auto turn = static_cast<float>(static_cast<int>(k * 7919 % 200) - 100);
            orbit(camera, pivot, turn * 0.01F, turn * 0.003F);
        }
        CHECK(distance(eye_of(camera), pivot) == doctest::Approx(before).epsilon(1e-3));
        CHECK(skewness(camera) < 1e-4F);
    }

    TEST_CASE("an orbit there and back ends where it began") {
        scene::Camera camera;
        camera.to_world = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4};
        const Vec3 eye = eye_of(camera);
        orbit(camera, {0, 0, 0}, 0.7F, 0.3F);
        CHECK(distance(eye_of(camera), eye) > 1);
        orbit(camera, {0, 0, 0}, -0.7F, -0.3F);
        CHECK(distance(eye_of(camera), eye) < 1e-4F);
    }

    TEST_CASE("no orbit turns the camera upside down") {
        scene::Camera camera;
        for (u32 k = 0; k < 100; ++k) {
            orbit(camera, {0, 0, -3}, 0, 0.2F);
            CHECK(camera.to_world[5] > 0);  // up's y
        }
        CHECK(forward_of(camera)[1] > 0.99F);
    }

    TEST_CASE("a framed box fills the picture and fits in it") {
        for (const float aspect : {0.5F, 1.0F, 1.8F}) {
            scene::Camera camera;
            camera.yfov_rad = 0.9F;
            const Vec3 low = {2, 3, 4};
            const Vec3 high = {3, 7, 5};
            const float away = frame_box(camera, {low, high}, aspect);
            const Vec3 middle = point_ahead(camera, away);
            CHECK(distance(middle, {2.5F, 5, 4.5F}) < 1e-3F);
            const float radius = distance(low, high) / 2;
            const float half = std::asin(radius / away);
            const float narrow = std::atan(std::tan(0.45F) * std::min(1.0F, aspect));
            CHECK(half == doctest::Approx(narrow).epsilon(1e-3));
        }
    }

    TEST_CASE("objects at the pivot's distance keep their size in an orthographic view and back") {
        scene::Camera camera;
        camera.yfov_rad = 0.7F;
        set_orthographic(camera, true, 5, 2);
        CHECK(camera.ymag == doctest::Approx(5 * std::tan(0.35F)));
        CHECK(camera.xmag == doctest::Approx(10 * std::tan(0.35F)));
        set_orthographic(camera, false, 5, 2);
        CHECK(camera.yfov_rad == doctest::Approx(0.7F));
    }

    TEST_CASE("a pan moves the pivot with the mouse") {
        scene::Camera camera;
        camera.yfov_rad = 0.8F;
        pan(camera, 10, 0.5F, 0);  // half the picture's height to the right
        CHECK(eye_of(camera)[0] == doctest::Approx(-10 * std::tan(0.4F)));
    }

    TEST_CASE("flying ahead never reaches a surface at any frame time") {
        const Vec3 wall = {0, 1, -1};
        for (const float share : {0.02F, 0.3F, 0.5F, 7.0F}) {
            scene::Camera camera;
            camera.to_world = {1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 3.9F};
            for (u32 frame = 0; frame < 3000; ++frame) {
                move_by(camera, 0, 0, flight_step_m(depth_of(camera, wall), share));
            }
            CAPTURE(share);
            CHECK(eye_of(camera)[2] > -1);
            CHECK(eye_of(camera)[2] < -0.999F);
        }
    }

    TEST_CASE("a view along an axis looks at its point from its distance") {
        for (u32 axis = 0; axis < 3; ++axis) {
            scene::Camera camera;
            look_along(camera, axis, false, {1, 2, 3}, 4);
            CHECK(distance(point_ahead(camera, 4), {1, 2, 3}) < 1e-3F);
            CHECK(eye_of(camera)[axis] > static_cast<float>(axis + 1) + 3.9F);
            CHECK(skewness(camera) < 1e-4F);
        }
    }
}

}  // namespace weft::app
