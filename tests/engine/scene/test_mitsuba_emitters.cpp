// test_mitsuba_emitters.cpp — emitters of Mitsuba scenes: lights, environments and what shapes
// radiate.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "tests/engine/scene/mitsuba_text.h"
#include "tests/engine/scene/picture_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

TEST_SUITE("engine/scene/mitsuba") {
    TEST_CASE("punctual emitters have their places, directions and cones") {
        const Scene scene = read_mitsuba(
            "<emitter type=\"point\"><point name=\"position\" x=\"1\" y=\"2\" z=\"3\"/><rgb "
            "name=\"intensity\" value=\"5\"/></emitter>"
            "<emitter type=\"spot\">" +
            look_at("origin=\"0 3 0\" target=\"0 0 0\" up=\"1 0 0\"") +
            "<float name=\"cutoff_angle\" value=\"60\"/></emitter>"
            "<emitter type=\"directional\"><vector name=\"direction\" value=\"0 -2 0\"/><spectrum "
            "name=\"irradiance\" value=\"4\"/></emitter>");
        REQUIRE(scene.lights.size() == 3);
        CHECK(is_near(scene.lights[0].position, {1, 2, 3}));
        CHECK(scene.lights[0].intensity.y == 5);
        CHECK(is_near(scene.lights[1].position, {0, 3, 0}));
        CHECK(is_near(scene.lights[1].direction, {0, -1, 0}));
        CHECK(scene.lights[1].cos_outer == doctest::Approx(0.5));
        CHECK(scene.lights[1].cos_inner == doctest::Approx(std::sqrt(0.5)));
        CHECK(is_near(scene.lights[2].direction, {0, -1, 0}));
        CHECK(scene.lights[2].intensity.z == 4);
        CHECK_FALSE(has_note(scene, Note::Kind::Replaced, "spots"));
        const Scene wide = read_mitsuba(
            "<emitter type=\"spot\"><float name=\"cutoff_angle\" value=\"120\"/></emitter>");
        CHECK(wide.lights.at(0).cos_outer == doctest::Approx(0));
        CHECK(has_note(wide, Note::Kind::Replaced, "spots wider than 90 degrees"));
    }

    TEST_CASE("area emitters shine from the front that normals say") {
        const std::string light =
            "<emitter type=\"area\"><rgb name=\"radiance\" value=\"3, 2, 1\"/></emitter>";
        const Scene scene = read_mitsuba(
            shape_text("rectangle", light) + shape_text("rectangle", light) +
            shape_text("rectangle", light + "<boolean name=\"flip_normals\" value=\"true\"/>"));
        CHECK(material_of(scene, 0).emissive[1] == 2);
        CHECK((material_of(scene, 0).flags & shaders::kMaterialFrontEmission) != 0);
        CHECK(scene.instances[0].material == scene.instances[1].material);
        CHECK(is_near(front_of(scene, scene.instances[0], 0), {0, 0, 1}));
        CHECK(is_near(front_of(scene, scene.instances[2], 0), {0, 0, -1}));
        const std::string named = "<emitter type=\"area\" id=\"lamp\"/>";
        const Scene referred = read_mitsuba(named + shape_text("rectangle", "<ref id=\"lamp\"/>"));
        CHECK(material_of(referred, 0).emissive[0] == 1);
        CHECK(referred.notes.empty());
        CHECK(has_note(read_mitsuba(light), Note::Kind::Ignored, "\"area\" are left out"));
    }

    TEST_CASE("an area emitter of any strength keeps the default sky away") {
        const std::string dim =
            "<emitter type=\"area\"><rgb name=\"radiance\" value=\"1e-4, 0, 0\"/></emitter>";
        CHECK(is_lit(read_mitsuba(shape_text("rectangle", dim))));
        CHECK_FALSE(is_lit(read_mitsuba(shape_text("rectangle", ""))));
    }

    TEST_CASE("a mirrored mesh shines from where its normals or its corners say") {
        const Folder folder("mitsuba_mirrored");
        folder.write("bare.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        folder.write("up.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n");
        std::string body;
        for (const char* const file : {"bare.obj", "up.obj"}) {
            for (const char* const step : {"<scale x=\"-1\"/>", "", "<scale x=\"-1\"/>"}) {
                body += shape_text("obj",
                                   std::string("<string name=\"filename\" value=\"") + file +
                                       "\"/>" + place(step));
            }
        }
        const Scene scene = read({folder.write("s.xml", mitsuba_text(body))});
        REQUIRE(scene.instances.size() == 6);
        for (std::size_t k = 0; k < 6; ++k) {
            const bool is_turned = k == 0 || k == 2;
            CHECK(is_near(front_of(scene, scene.instances[k], 0), {0, 0, is_turned ? -1 : 1}));
        }
        CHECK(scene.meshes.size() == 3);
    }

    TEST_CASE("environments keep their directions through turns about any axis") {
        // Texels hold their direction in Mitsuba's map, as colours from 0 to 1.
        constexpr u32 kWidth = 128;
        constexpr double kPi = 3.14159265358979323846;
        std::vector<float> pixels;
        for (u32 y = 0; y < kWidth / 2; ++y) {
            for (u32 x = 0; x < kWidth; ++x) {
                const double phi = 2 * kPi * (x + 0.5) / kWidth;
                const double theta = 2 * kPi * (y + 0.5) / kWidth;
                for (const double part : {std::sin(phi) * std::sin(theta),
                                          std::cos(theta),
                                          -std::cos(phi) * std::sin(theta)}) {
                    pixels.push_back(static_cast<float>((part + 1) / 2));
                }
            }
        }
        const Folder folder("mitsuba_map");
        write_floats(folder.file("sky.exr"), kWidth, kWidth / 2, pixels);

        struct Turn {
            const char* step;
            math::DVec3 (*to_map)(const math::DVec3&);
        };

        const Turn turns[] = {{"", [](const math::DVec3& d) { return d; }},
                              {"<rotate y=\"1\" angle=\"90\"/>",
                               [](const math::DVec3& d) {
                                   return math::DVec3{-d.z, d.y, d.x};
                               }},
                              {"<rotate x=\"1\" angle=\"90\"/>",
                               [](const math::DVec3& d) {
                                   return math::DVec3{d.x, d.z, -d.y};
                               }},
                              {"<scale x=\"-1\"/>", [](const math::DVec3& d) {
                                   return math::DVec3{-d.x, d.y, d.z};
                               }}};
        for (const Turn& turn : turns) {
            CAPTURE(turn.step);
            const Scene scene = read({folder.write(
                "s.xml",
                mitsuba_text("<emitter type=\"envmap\"><string name=\"filename\" "
                             "value=\"sky.exr\"/><float name=\"scale\" value=\"2\"/>" +
                             place(turn.step) + "</emitter>"))});
            const Environment& map = scene.environment;
            CHECK(map.strength == 2);
            REQUIRE(map.width == kWidth);
            double worst = 0;
            for (u32 y = 3; y < kWidth / 2 - 3; y += 4) {
                for (u32 x = 0; x < kWidth; x += 7) {
                    // The direction in which the scene shows the texel (shaders/bsdf.md, 5).
                    const double phi = ((x + 0.5) / kWidth - 0.5) * 2 * kPi -
                                       static_cast<double>(map.rotation_rad);
                    const double theta = 2 * kPi * (y + 0.5) / kWidth;
                    const math::DVec3 direction{std::sin(theta) * std::cos(phi),
                                                std::cos(theta),
                                                std::sin(theta) * std::sin(phi)};
                    const math::DVec3 expected = turn.to_map(direction);
                    const float* const texel = &map.pixels[std::size_t{3} * (kWidth * y + x)];
                    const math::DVec3 shown = 2.0 * math::DVec3(math::vec3_at(texel)) - 1.0;
                    worst = std::max(worst, math::length(shown - expected));
                }
            }
            CHECK(worst < 0.06);
        }
    }

    TEST_CASE("constant emitters and skies light the scene from everywhere") {
        const Scene constant = read_mitsuba(
            "<emitter type=\"constant\"><rgb name=\"radiance\" value=\"0.1 0.2 0.4\"/></emitter>");
        CHECK(constant.environment.width == 1);
        CHECK(constant.environment.pixels[2] == 0.4F);
        const Scene sky = read_mitsuba(
            "<emitter type=\"sunsky\"><vector name=\"sun_direction\" value=\"0 1 0\"/></emitter>");
        CHECK(sky.environment.width > 1);
        REQUIRE(sky.lights.size() == 1);
        CHECK(is_near(sky.lights[0].direction, {0, -1, 0}));
        CHECK(has_note(sky, Note::Kind::Replaced, "clear sky"));
    }
}
