// test_gizmo.cpp — placements from matrices, and handles dragged without a window.
#include <algorithm>
#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "app/view/models/gizmo.h"
#include "app/view/models/selection_box.h"
#include "engine/scene/edit/edit.h"
#include "tests/engine/trace/small_scenes.h"

using namespace weft;
using namespace weft::app;

namespace {

void check_near(const math::Affine& a, const math::Affine& b, double tolerance) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        CAPTURE(k);
        CHECK(static_cast<double>(a[k]) ==
              doctest::Approx(static_cast<double>(b[k])).epsilon(tolerance).scale(1));
    }
}

math::Affine random_matrix(std::mt19937& random) {
    std::uniform_real_distribution<float> number(-2, 2);
    math::Affine matrix{};
    for (float& value : matrix) {
        value = number(random);
    }
    return matrix;
}

// 800×600 pixels at (100, 50), seen from z = 10 towards −z.
GizmoView front_view() {
    GizmoView view;
    view.camera.to_world = math::translation({0, 0, 10});
    view.camera.yfov_rad = 0.8f;
    view.origin = {100, 50};
    view.width = 800;
    view.height = 600;
    return view;
}

// The middle of a handle's line on the screen.
ScreenPoint middle_of(const Gizmo& gizmo, u32 axis) {
    for (const Gizmo::Handle& handle : gizmo.handles()) {
        if (handle.axis == axis) {
            const ScreenPoint a = handle.line.front();
            const ScreenPoint b = handle.line.back();
            return {(a.x + b.x) / 2, (a.y + b.y) / 2};
        }
    }
    FAIL("there is no such handle");
    return {};
}

}  // namespace

TEST_SUITE("app/view/gizmo") {
    TEST_CASE("a placement gives back the matrix that it was read from") {
        std::mt19937 random(1);
        std::uniform_real_distribution<float> angle(-179, 179);
        std::uniform_real_distribution<float> tilt(-89, 89);
        std::uniform_real_distribution<float> scale(0.2f, 3);
        for (u32 k = 0; k < 100; ++k) {
            const Placement wanted{
                {angle(random), angle(random), angle(random)},
                {angle(random), tilt(random), angle(random)},
                {k % 3 == 0 ? -scale(random) : scale(random), scale(random), scale(random)}};
            const math::Affine matrix = replaced(math::kIdentity, {}, wanted);
            const Placement read = placement_of(matrix);
            check_near(replaced(math::kIdentity, {}, read), matrix, 1e-4);
        }
    }

    TEST_CASE("angles stay continuous beyond a right angle and a whole turn") {
        for (u32 axis = 0; axis < 3; ++axis) {
            for (const float step : {7.0f, -15.0f}) {
                Vec3 shown{20, 10, -30};
                Vec3 wanted = shown;
                for (u32 k = 0; k < 80; ++k) {
                    CAPTURE(wanted[axis]);
                    wanted[axis] += step;
                    const math::Affine matrix =
                        replaced(math::kIdentity, {}, {{1, 2, 3}, wanted, {2, 1, 1}});
                    shown = placement_near(matrix, shown).angles_deg;
                    CHECK(length(shown - wanted) < 0.05f);
                }
            }
        }
    }

    TEST_CASE("a matrix that shears keeps its shear when it moves") {
        std::mt19937 random(2);
        for (u32 k = 0; k < 50; ++k) {
            const math::Affine matrix = random_matrix(random);
            const Placement before = placement_of(matrix);
            Placement after = before;
            after.position_m[1] += 3;
            math::Affine wanted = matrix;
            wanted[7] += 3;
            check_near(replaced(matrix, before, after), wanted, 1e-6);
            after = before;
            after.scale[2] *= 2;
            wanted = matrix;
            for (const std::size_t cell : {2u, 6u, 10u}) {
                wanted[cell] *= 2;
            }
            check_near(replaced(matrix, before, after), wanted, 1e-5);
        }
    }

    TEST_CASE("handles and their reach scale with the interface") {
        Gizmo gizmo;
        gizmo.tool = GizmoTool::Move;
        GizmoView view = front_view();
        const auto arm = [&] {
            gizmo.place(view, math::kIdentity, {});
            const Gizmo::Handle& x = gizmo.handles().front();
            return x.line.back().x - x.line.front().x;
        };
        const float small = arm();
        const ScreenPoint middle = middle_of(gizmo, 0);
        const ScreenPoint beside{middle.x, middle.y + 1.5F * Gizmo::kGrab};
        CHECK(!gizmo.handle_at(beside));
        view.scale = 2;
        CHECK(arm() == doctest::Approx(2 * small).epsilon(0.02));
        CHECK(gizmo.handle_at(beside) == 0U);
    }

    TEST_CASE("rotating and scaling leave the pivot in place") {
        std::mt19937 random(3);
        for (u32 k = 0; k < 50; ++k) {
            const math::Affine matrix = random_matrix(random);
            const Vec3 local{0.3f, -0.2f, 0.9f};
            const Vec3 pivot = math::transform_point(matrix, local);
            for (const math::Affine& changed :
                 {turned(matrix, pivot, {0, 1, 0}, 0.7f), scaled(matrix, pivot, {2, 0.5f, 1.5f})}) {
                CHECK(length(math::transform_point(changed, local) - pivot) < 1e-4f);
                CHECK(changed != matrix);
            }
        }
    }

    TEST_CASE("the ray of a projected point passes through it") {
        std::mt19937 random(4);
        std::uniform_real_distribution<float> number(-3, 3);
        for (const bool is_orthographic : {false, true}) {
            GizmoView view = front_view();
            view.camera.is_orthographic = is_orthographic;
            view.camera.ymag = 4;
            for (u32 k = 0; k < 50; ++k) {
                const Vec3 point{number(random), number(random), number(random)};
                const auto at = project(view, point);
                REQUIRE(at.has_value());
                const ScreenRay ray = screen_ray(view, *at);
                CHECK(length(cross(point - ray.origin, ray.direction)) < 1e-4f);
            }
            CHECK(project(view, {0, 0, 11}).has_value() == is_orthographic);
        }
    }

    TEST_CASE("dragging an arm moves the node along its axis by the distance under the mouse") {
        Gizmo gizmo;
        const GizmoView view = front_view();
        gizmo.place(view, math::kIdentity, {0, 0, 0});
        const ScreenPoint from = middle_of(gizmo, 0);
        REQUIRE(gizmo.grab(from));
        CHECK(gizmo.held_axis() == 0u);
        // From the arm's middle to 100 pixels further right.
        const math::Affine moved = gizmo.pulled({from.x + 100, from.y + 40});
        const float metres_per_pixel = 2 * std::tan(0.4f) * 10 / 600;
        check_near(moved, math::translation({100 * metres_per_pixel, 0, 0}), 1e-3);
        check_near(gizmo.pulled(from), math::kIdentity, 1e-6);
        gizmo.release();
        CHECK(!gizmo.is_held());
    }

    TEST_CASE("dragging the middle moves the node in the screen plane") {
        Gizmo gizmo;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        REQUIRE(gizmo.grab({500, 350}));
        CHECK(gizmo.held_axis() == Gizmo::kMiddle);
        const float metres_per_pixel = 2 * std::tan(0.4f) * 10 / 600;
        check_near(gizmo.pulled({530, 330}),
                   math::translation({30 * metres_per_pixel, 20 * metres_per_pixel, 0}),
                   1e-3);
    }

    TEST_CASE("dragging a quarter of the way round a ring is a quarter turn about its axis") {
        Gizmo gizmo;
        gizmo.tool = GizmoTool::Turn;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        // The ring about Z faces the eye; 45 degrees is far from the other two.
        const float arm = Gizmo::kReach * std::sqrt(0.5f);
        REQUIRE(gizmo.grab({500 + arm, 350 - arm}));
        CHECK(gizmo.held_axis() == 2u);
        check_near(gizmo.pulled({500 - arm, 350 - arm}), rotation({0, 0, 1}, 1.5707963f), 1e-3);
    }

    TEST_CASE("a ring adds up several turns and snaps to steps of 15 degrees") {
        Gizmo gizmo;
        gizmo.tool = GizmoTool::Turn;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        const auto at = [](float degrees) {
            const float angle = degrees / 57.29578f;
            return ScreenPoint{500 + Gizmo::kReach * std::cos(angle),
                               350 - Gizmo::kReach * std::sin(angle)};
        };
        REQUIRE(gizmo.grab(at(45)));
        for (const float degrees : {45.0f, 130.0f, 250.0f, 370.0f, 452.0f}) {
            static_cast<void>(gizmo.pulled(at(degrees)));
        }
        CHECK(gizmo.readout() == "Z +407.0°");
        check_near(gizmo.pulled(at(452), true), rotation({0, 0, 1}, 0.7853982f), 1e-3);
        CHECK(gizmo.readout() == "Z +405.0°");
        CHECK(gizmo.is_snapped());
        static_cast<void>(gizmo.pulled(at(330)));
        static_cast<void>(gizmo.pulled(at(200)));
        static_cast<void>(gizmo.pulled(at(110)));
        static_cast<void>(gizmo.pulled(at(20)));
        CHECK(gizmo.readout() == "Z -25.0°");
    }

    TEST_CASE("snapped arms move by round lengths and scale by tenths") {
        Gizmo gizmo;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        const ScreenPoint from = middle_of(gizmo, 0);
        REQUIRE(gizmo.grab(from));
        // 100 pixels are 1.409 m here and a handle 1.18 m: steps of 0.1 m.
        check_near(
            gizmo.pulled({from.x + 100, from.y}, true), math::translation({1.4f, 0, 0}), 1e-4);
        CHECK(gizmo.readout() == "X +1.4 m");
        gizmo.release();
        REQUIRE(gizmo.grab({500, 350}));
        check_near(gizmo.pulled({600, 340}, true), math::translation({1.4f, 0.1f, 0}), 1e-4);
        gizmo.release();
        gizmo.tool = GizmoTool::Scale;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        REQUIRE(gizmo.grab(middle_of(gizmo, 1)));
        const ScreenPoint arm = middle_of(gizmo, 1);
        check_near(gizmo.pulled({arm.x, 350 - 1.52f * (350 - arm.y)}, true),
                   math::Affine{1, 0, 0, 0, 0, 1.5f, 0, 0, 0, 0, 1, 0},
                   1e-4);
        CHECK(gizmo.readout() == "Y × 1.5");
    }

    TEST_CASE("dragging a scale handle to twice its reach doubles that axis") {
        Gizmo gizmo;
        gizmo.tool = GizmoTool::Scale;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        const ScreenPoint from = middle_of(gizmo, 1);
        REQUIRE(gizmo.grab(from));
        const math::Affine pulled = gizmo.pulled({from.x, 350 - 2 * (350 - from.y)});
        check_near(pulled, math::Affine{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0}, 1e-3);
    }

    TEST_CASE("no handle is found far from the pivot or behind the camera") {
        Gizmo gizmo;
        gizmo.place(front_view(), math::kIdentity, {0, 0, 0});
        CHECK(!gizmo.handle_at({110, 60}).has_value());
        CHECK(!gizmo.grab({110, 60}));
        gizmo.place(front_view(), math::kIdentity, {0, 0, 20});
        CHECK(gizmo.handles().empty());
    }

    TEST_CASE("brackets begin at the corners of a box and none lies behind the camera") {
        const GizmoView view = front_view();
        BoxCorners corners;
        for (u32 corner = 0; corner < 8; ++corner) {
            corners[corner] = {(corner & 1U) != 0 ? 1.0f : -1.0f,
                               (corner & 2U) != 0 ? 2.0f : -2.0f,
                               (corner & 4U) != 0 ? 3.0f : -3.0f};
        }
        const std::vector<ScreenLine> lines = bracket_lines(view, corners);
        REQUIRE(lines.size() == 24);
        for (std::size_t k = 0; k < lines.size(); ++k) {
            const auto corner = project(view, corners[k / 3]);
            REQUIRE(corner.has_value());
            CHECK(lines[k].from.x == doctest::Approx(corner->x));
            CHECK(lines[k].from.y == doctest::Approx(corner->y));
        }
        for (Vec3& corner : corners) {
            corner[2] += 10;  // the camera stands inside the box
        }
        const std::vector<ScreenLine> cut = bracket_lines(view, corners);
        CHECK(cut.size() == 12);
        for (const ScreenLine& line : cut) {
            CHECK(std::isfinite(line.to.x + line.to.y));
        }
    }

    TEST_CASE("the boxes of a selection contain all corners of its parts and follow its matrix") {
        scene::Scene scene;
        const u32 material = tests::add_material(scene, tests::lambert({0.5f, 0.5f, 0.5f}));
        const tests::Shape shape = tests::box({0, 0, 0}, {1, 2, 3}, tests::Facing::Out);
        const u32 mesh = tests::add_mesh(scene, shape, material);
        const std::array<math::Affine, 3> matrices = {
            math::translation({5, 0, 0}), math::translation({0, 0, 0}), rotation({0, 0, 1}, 0.5f)};
        for (const math::Affine& matrix : matrices) {
            tests::add_instance(scene, mesh, matrix);
        }
        scene.instances[0].node = "other";
        scene.instances[1].node = "two parts";
        scene.instances[2].node = "two parts";
        SelectionBoxes boxes;
        for (const float shift : {0.0f, 7.0f}) {
            scene.instances[2].object_to_world[3] = shift;
            const std::vector<BoxCorners> found = boxes.of(scene, scene::node_path(scene, 2), 2);
            REQUIRE(found.size() == 2);
            CHECK(boxes.outlines().size() == 2);
            CHECK(found[0][0] == Vec3{0, 0, 0});
            CHECK(found[0][7] == Vec3{1, 2, 3});
            CHECK(boxes.middle()[0] ==
                  doctest::Approx(math::transform_point(matrices[2], {0.5f, 1, 1.5f})[0] + shift));
            for (std::size_t vertex = 0; vertex < shape.positions.size(); vertex += 3) {
                const Vec3 at = math::transform_point(scene.instances[2].object_to_world,
                                                      {shape.positions[vertex],
                                                       shape.positions[vertex + 1],
                                                       shape.positions[vertex + 2]});
                const bool is_corner =
                    std::any_of(found[1].begin(), found[1].end(), [&](const Vec3& corner) {
                        return length(corner - at) < 1e-5f;
                    });
                CHECK(is_corner);
            }
        }
        const u32 tall = tests::add_mesh(
            scene, tests::box({0, 0, 0}, {0.5f, 9, 1}, tests::Facing::Out), material);
        tests::add_instance(scene, tall, scene.instances[1].object_to_world);
        std::swap(scene.instances[2], scene.instances[3]);
        scene.instances[2].node = "two parts";
        CHECK(boxes.of(scene, scene::node_path(scene, 1), 1).size() == 3);
        REQUIRE(boxes.outlines().size() == 2);  // two of the three share a matrix
        CHECK(boxes.outlines()[0][7] == Vec3{1, 9, 3});
    }
}
