// test_complete_scene.cpp — the light and the camera that complete_scene() adds, and when.
#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/model/framing_camera.h"
#include "engine/scene/model/sky.h"
#include "engine/scene/procedural/procedural_shapes.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

Scene box_scene(const math::Vec3& low, const math::Vec3& high) {
    Scene scene;
    scene.materials.push_back({"default", default_material()});
    Shape shape;
    shape.kind = Shape::Kind::Patch;
    shape.origin = low;
    shape.edge_u = {high[0] - low[0], 0, high[2] - low[2]};
    shape.edge_v = {0, high[1] - low[1], 0};
    append_shapes({}, scene, {{"box", 0}}, {shape});
    return scene;
}

// Projects a point of the world into the picture of a camera: (x, y) in [−1, 1] is inside; false
// behind the camera.
bool is_in_picture(const Camera& camera, double aspect, const math::DVec3& point) {
    const math::DAffine axes = math::to_double(camera.to_world);
    const math::DVec3 away = point - math::column(axes, 3);
    const math::DVec3 seen = {dot(away, math::column(axes, 0)),
                              dot(away, math::column(axes, 1)),
                              dot(away, math::column(axes, 2))};
    const double reach = std::tan(static_cast<double>(camera.yfov_rad) / 2) * -seen[2];
    return seen[2] < 0 && std::fabs(seen[1]) <= reach && std::fabs(seen[0]) <= reach * aspect;
}

}  // namespace

TEST_SUITE("engine/scene/complete_scene") {
    TEST_CASE("the added camera sees all corners of the box in wide and in square pictures") {
        const std::vector<std::pair<math::Vec3, math::Vec3>> boxes = {
            {{-1, -1, -1}, {1, 1, 1}},
            {{0, 0, 0}, {100, 1, 1}},
            {{-0.001f, 5, 3}, {0.001f, 5.5f, 3.002f}},
            {{10, 0, -4000}, {20, 900, 4000}},
            {{-3, 0, -3}, {3, 0.5f, 3}}};
        for (const auto& [low, high] : boxes) {
            CAPTURE(high[0]);
            Scene scene = box_scene(low, high);
            complete_scene(scene);
            REQUIRE(scene.cameras.size() == 1);
            CHECK(has_note(scene, Note::Kind::Replaced, "has no camera"));
            const auto bounds = scene_bounds(scene);
            for (u32 corner = 0; corner < 8; ++corner) {
                const math::DVec3 point(bounds.corner(corner));
                CHECK(is_in_picture(scene.cameras[0], 16.0 / 9, point));
                CHECK(is_in_picture(scene.cameras[0], 1, point));
            }
            // Not from far away either: moved closer by a quarter it cuts the box.
            Camera closer = scene.cameras[0];
            bool still_sees_all = true;
            for (u32 corner = 0; corner < 8; ++corner) {
                const math::Vec3 backward =
                    scene.cameras[0].focus_m * math::column(closer.to_world, 2);
                math::set_column(closer.to_world,
                                 3,
                                 math::column(scene.cameras[0].to_world, 3) - 0.25f * backward);
                still_sees_all =
                    still_sees_all && is_in_picture(closer, 1, math::DVec3(bounds.corner(corner)));
            }
            CHECK_FALSE(still_sees_all);
        }
    }

    TEST_CASE("the added camera has right-handed orthonormal axes") {
        Scene scene = box_scene({-1, -1, -1}, {1, 1, 1});
        complete_scene(scene);
        const math::Affine& m = scene.cameras[0].to_world;
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b) {
                const float dot = m[a] * m[b] + m[4 + a] * m[4 + b] + m[8 + a] * m[8 + b];
                CHECK(dot == doctest::Approx(a == b ? 1 : 0).epsilon(1e-5));
            }
        }
        // right × up = back
        CHECK(m[4] * m[9] - m[8] * m[5] == doctest::Approx(m[2]));
        CHECK(scene.cameras[0].yfov_rad == doctest::Approx(0.6981317));
    }

    TEST_CASE("the camera for a picture narrower than high sees the whole box in it") {
        for (const math::Vec3& high :
             {math::Vec3{1, 1, 1}, math::Vec3{9, 1, 1}, math::Vec3{1, 9, 2}}) {
            const math::Box bounds = {{}, high};
            for (const float aspect : {1.0F, 0.5625F, 0.2F}) {
                CAPTURE(aspect);
                const Camera camera = framing_camera(bounds, aspect);
                for (u32 corner = 0; corner < 8; ++corner) {
                    CHECK(is_in_picture(
                        camera, static_cast<double>(aspect), math::DVec3(bounds.corner(corner))));
                }
                CHECK(is_framing_camera(camera, bounds, aspect));
                // A tall box is as far away for a picture that is a little narrower than high.
                const bool is_same = camera.to_world == framing_camera(bounds, 1).to_world;
                CHECK(is_framing_camera(camera, bounds, 1) == is_same);
            }
            CHECK(framing_camera(bounds, 3).to_world == framing_camera(bounds, 1).to_world);
        }
    }

    TEST_CASE("an empty scene gets a camera and a light as well") {
        Scene scene;
        complete_scene(scene);
        CHECK(scene.materials.size() == 1);
        CHECK(scene.cameras.size() == 1);
        CHECK(scene.environment.width > 1);
        for (const float value : scene.cameras[0].to_world) {
            CHECK(std::isfinite(value));
        }
    }

    TEST_CASE("nothing is added where something emits light") {
        const auto is_lit = [](Scene scene) {
            complete_scene(scene);
            return scene.environment.name != "soft default environment";
        };
        const Scene dark = box_scene({0, 0, 0}, {1, 1, 1});
        CHECK_FALSE(is_lit(dark));

        Scene lit = dark;
        lit.lights.push_back({});
        CHECK(is_lit(lit));
        lit.lights[0].intensity = {0, 0, 0};
        CHECK_FALSE(is_lit(lit));

        Scene glowing = dark;
        glowing.materials.push_back({"glow", default_material()});
        glowing.materials[1].record.emissive[1] = 1;
        CHECK_FALSE(is_lit(glowing));  // no instance wears it
        glowing.instances[0].material = 1;
        CHECK(is_lit(glowing));

        // A gauge that glows faintly lights nothing: the scene would be black without more.
        Scene gauge = glowing;
        gauge.materials[1].record.emissive[1] = 0.001F;
        CHECK_FALSE(is_lit(gauge));
        complete_scene(gauge);
        CHECK(has_note(gauge, Note::Kind::Replaced, "too dim to light it"));
        CHECK_FALSE(has_note(gauge, Note::Kind::Replaced, "Nothing lights the scene"));

        Scene sky = dark;
        sky.environment = clear_sky();
        CHECK(is_lit(sky));
    }

    TEST_CASE("a surface that its file calls a light is one, however small its share of all is") {
        Scene lamp = box_scene({0, 0, 0}, {1, 1, 1});
        lamp.materials.push_back({"lamp", default_material(), true});
        lamp.materials[1].record.emissive[1] = 0.001F;
        CHECK_FALSE(is_lit(lamp));  // no instance wears it
        lamp.instances[0].material = 1;
        CHECK(is_lit(lamp));
        CHECK_FALSE(is_lit_at_most_by_surfaces(lamp));
        lamp.materials[1].record.emissive[1] = 0;
        CHECK_FALSE(is_lit(lamp));
    }

    TEST_CASE("a moment of an animation is as lit as the animation, whatever it shows itself") {
        const auto is_lit_as = [](Scene scene, bool is_lit) {
            complete_scene(scene, is_lit);
            return scene.environment.name != "soft default environment";
        };
        const Scene dark = box_scene({0, 0, 0}, {1, 1, 1});
        CHECK(is_lit_as(dark, true));
        CHECK_FALSE(is_lit_as(dark, false));
        CHECK_FALSE(is_lit_at_most_by_surfaces(dark));

        Scene flickering = dark;
        flickering.has_moving_light = true;
        CHECK(is_lit(flickering));
        CHECK_FALSE(is_lit_at_most_by_surfaces(flickering));

        // An emitter that this moment leaves out may shine in another one.
        Scene glowing = dark;
        glowing.materials.push_back({"glow", default_material()});
        glowing.materials[1].record.emissive[1] = 1;
        CHECK_FALSE(is_lit(glowing));
        CHECK(is_lit_at_most_by_surfaces(glowing));
        glowing.lights.push_back({});
        CHECK_FALSE(is_lit_at_most_by_surfaces(glowing));
    }

    TEST_CASE(
        "the default environment has a mean luminance of one half and is brighter above than "
        "below") {
        Scene scene = box_scene({0, 0, 0}, {1, 1, 1});
        complete_scene(scene);
        CHECK(has_note(scene, Note::Kind::Replaced, "default environment"));
        const Environment& sky = scene.environment;
        double sum = 0;
        double weights = 0;
        std::array<double, 2> halves{};
        for (u32 row = 0; row < sky.height; ++row) {
            const double weight = std::cos(3.14159265358979 * (0.5 - (row + 0.5) / sky.height));
            for (u32 column = 0; column < sky.width; ++column) {
                const float* texel = &sky.pixels[3 * (std::size_t{row} * sky.width + column)];
                const double luminance = 0.2126 * static_cast<double>(texel[0]) +
                                         0.7152 * static_cast<double>(texel[1]) +
                                         0.0722 * static_cast<double>(texel[2]);
                CHECK(luminance > 0.02);
                sum += weight * luminance;
                weights += weight;
                halves[row < sky.height / 2 ? 0 : 1] += weight * luminance;
            }
        }
        CHECK(sum / weights == doctest::Approx(0.5).epsilon(1e-4));
        CHECK(halves[0] > 2 * halves[1]);
    }

    TEST_CASE("a scene that has its own camera keeps it without a note") {
        Scene scene = read({"cornell"});
        const std::size_t notes = scene.notes.size();
        complete_scene(scene);
        CHECK(scene.cameras.size() == 1);
        CHECK(scene.notes.size() == notes);
        CHECK(scene.environment.width == 0);
    }
}
