// Scenes with radiance in closed form: a Lambert plane under each kind of light, and furnaces.
#include <doctest/doctest.h>

#include "tests/engine/trace/reference_stage.h"

namespace weft::tests {

namespace {

using trace::reference::gray;
using trace::reference::kPi;

constexpr float kNarrow = 1e-4f;  // field of view that sees one point only

// A large plane y = 0 seen at the origin from above.
scene::Scene plane(const shaders::MaterialRecord& record) {
    scene::Scene scene;
    add_object(scene, quad({-50, 0, 50}, {100, 0, 0}, {0, 0, -100}), record);
    set_camera(scene, {0, 3, 1}, {0, 0, 0}, kNarrow);
    return scene;
}

scene::Scene furnace(const shaders::MaterialRecord& record) {
    scene::Scene scene;
    add_object(scene, uv_sphere({0, 0, 0}, 1, 32, 16, Shading::Flat), record);
    set_constant_environment(scene, {1, 1, 1});
    set_camera(scene, {0, 0, 10}, {0, 0, 0}, 0.19f);
    return scene;
}

void check_furnace(const shaders::MaterialRecord& record, double tolerance) {
    const Rgb mean = mean_of(furnace(record), 256, {8, 60, true, true});
    CHECK(relative_difference(mean, gray(1)) < tolerance);
}

}  // namespace

TEST_SUITE("engine/trace/reference_lights") {
    TEST_CASE(
        "a Lambert plane under a constant environment has the radiance albedo times environment") {
        scene::Scene scene = plane(lambert({0.2f, 0.5f, 0.9f}));
        set_constant_environment(scene, {3, 2, 1});
        CHECK(relative_difference(mean_of(scene, 1024), {0.6, 1.0, 0.9}) < 2e-3);
    }

    TEST_CASE("a point light over a Lambert plane gives intensity over distance squared") {
        scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
        scene.lights.push_back(point_light({1, 2, 0}, {10, 20, 30}));
        const double irradiance = 10 / 5.0 * (2 / std::sqrt(5.0));
        const Rgb expected = Rgb{1, 2, 3} * (irradiance * 0.5 / kPi);
        CHECK(relative_difference(mean_of(scene, 1), expected) < 1e-3);
    }

    TEST_CASE("a directional light gives lux times cosine") {
        scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
        scene.lights.push_back(directional_light({-3, -4, 0}, {7, 7, 7}));
        CHECK(relative_difference(mean_of(scene, 1), gray(7 * 0.8 * 0.5 / kPi)) < 1e-6);
    }

    TEST_CASE("a point light of any radius over a Lambert plane gives the same radiance") {
        for (const float radius : {0.01f, 0.5f, 1.9f, 2.0f}) {
            CAPTURE(radius);
            scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
            scene.lights.push_back(point_light({1, 2, 0}, {10, 20, 30}));
            scene.lights[0].radius_m = radius;
            const double irradiance = 10 / 5.0 * (2 / std::sqrt(5.0));
            const Rgb expected = Rgb{1, 2, 3} * (irradiance * 0.5 / kPi);
            CHECK(relative_difference(mean_of(scene, 256), expected) < 2e-3);
        }
        // From inside it is I / r².
        scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
        scene.lights.push_back(point_light({1, 2, 0}, {10, 20, 30}));
        scene.lights[0].radius_m = 3;
        const Rgb expected = Rgb{10, 20, 30} * (0.5 / kPi / 9);
        CHECK(relative_difference(mean_of(scene, 1024), expected) < 5e-3);
    }

    TEST_CASE("a directional light of any angle gives lux times cosine") {
        for (const float angle : {0.53f, 20.0f, 90.0f}) {
            CAPTURE(angle);
            scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
            scene.lights.push_back(directional_light({-3, -4, 0}, {7, 7, 7}));
            scene.lights[0].angle_deg = angle;
            CHECK(relative_difference(mean_of(scene, 256), gray(7 * 0.8 * 0.5 / kPi)) < 2e-3);
        }
    }

    TEST_CASE("a spot falls off with the square of the position between its two cosines") {
        for (const double tilt : {0.0, 0.2, 0.3, 0.45, 0.6}) {
            scene::Scene scene = plane(lambert({1, 1, 1}));
            const auto x = static_cast<float>(std::sin(tilt));
            const auto y = static_cast<float>(-std::cos(tilt));
            scene.lights.push_back(spot_light({0, 2, 0}, {x, y, 0}, {4, 4, 4}, 0.98f, 0.85f));
            const double way = (std::cos(tilt) - 0.85) / (0.98 - 0.85);
            const double falloff = std::pow(std::min(1.0, std::max(0.0, way)), 2);
            CHECK(std::fabs(mean_of(scene, 1).x - falloff * 4 / 4 / kPi) < 1e-3);
        }
    }

    TEST_CASE(
        "a sphere light of triangles lights a plane as a sphere does within the tessellation "
        "error") {
        scene::Scene scene = plane(lambert({0.5f, 0.5f, 0.5f}));
        add_object(scene, uv_sphere({0, 2, 0}, 0.5f, 48, 24, Shading::Flat), emitter({8, 8, 8}));
        // From below a sphere gives E = π L (r / h)².
        const Rgb mean = mean_of(scene, 512, {2, 1, true, true});
        CHECK(relative_difference(mean, gray(0.5 * 8 * 0.0625)) < 0.01);
    }

    TEST_CASE(
        "a closed box of emitting and reflecting walls has the radiance of the whole series") {
        for (const float albedo : {0.3f, 0.5f, 0.8f}) {
            shaders::MaterialRecord wall = lambert({albedo, albedo, albedo});
            std::fill_n(wall.emissive, 3, 1.0f);
            scene::Scene scene;
            add_object(scene, box({-1, -1, -1}, {1, 1, 1}, Facing::In), wall);
            set_camera(scene, {0.2f, 0.1f, 0.5f}, {0, 0, -1}, 1.0f);
            const Rgb mean = mean_of(scene, 256, {4, 200, true, true});
            CHECK(relative_difference(mean, gray(1 / (1 - static_cast<double>(albedo)))) < 0.02);
        }
    }

    TEST_CASE("a Lambert sphere in a white furnace cannot be seen") {
        check_furnace(lambert({1, 1, 1}), 2e-3);
    }

    TEST_CASE("plastic and metal spheres in a white furnace cannot be seen") {
        check_furnace(plastic({1, 1, 1}, 0.2f), 0.01);
        check_furnace(plastic({1, 1, 1}, 0.8f), 0.01);
        check_furnace(metal({1, 1, 1}, 0.3f), 0.01);
        check_furnace(metal({1, 1, 1}, 0.9f), 0.01);
    }

    TEST_CASE("coated and sheen spheres in a white furnace cannot be seen") {
        shaders::MaterialRecord coated = plastic({1, 1, 1}, 0.6f);
        coated.coat = 1;
        coated.coat_roughness = 0.2f;
        check_furnace(coated, 0.01);
        shaders::MaterialRecord cloth = plastic({1, 1, 1}, 0.8f);
        std::fill_n(cloth.sheen_color, 3, 1.0f);
        cloth.sheen_roughness = 0.5f;
        check_furnace(cloth, 0.02);
    }

    TEST_CASE("glass and windows in a white furnace cannot be seen") {
        // A few paths stay inside until the limit of hits.
        check_furnace(glass(1.5f, 0.05f), 0.015);
        check_furnace(window({1, 1, 1}, 0.0f), 0.01);
        check_furnace(window({1, 1, 1}, 0.3f), 0.02);
    }
}

}  // namespace weft::tests
