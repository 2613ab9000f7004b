// test_other_formats.cpp — FBX, Collada, OFF, coloured STL and 3MF: what the reader mends in what
// assimp makes of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "engine/math/affine.h"
#include "engine/scene/model/texture.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/zip_file.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// An FBX with one quad, in metres. The axes are those of CoordAxis, UpAxis and FrontAxis with their
// signs.
std::string fbx_of(const std::array<std::array<int, 2>, 3>& axes, const std::string& positions) {
    const auto number = [](const std::string& name, int value) {
        return "P: \"" + name + "\", \"int\", \"Integer\", \"\"," + std::to_string(value) + "\n";
    };
    std::string settings;
    const std::array<std::string, 3> names = {"CoordAxis", "UpAxis", "FrontAxis"};
    for (std::size_t k = 0; k < 3; ++k) {
        settings += number(names[k], axes[k][0]) + number(names[k] + "Sign", axes[k][1]);
    }
    return "; FBX 7.3.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\n"
           "FBXVersion: 7300\n}\nGlobalSettings: {\nVersion: 1000\nProperties70: {\n" +
           settings +
           "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",100\n}\n}\nObjects: {\n"
           "Geometry: 100, \"Geometry::g\", \"Mesh\" {\nVertices: *12 {\na: " +
           positions +
           "\n}\nPolygonVertexIndex: *4 {\na: 0,1,2,-4\n}\nGeometryVersion: 124\n}\n"
           "Model: 200, \"Model::plane\", \"Mesh\" {\nVersion: 232\n}\n}\nConnections: {\n"
           "C: \"OO\",200,0\nC: \"OO\",100,200\n}\n";
}

// A Collada file with one spot, of these elements.
std::string dae_of(const std::string& spot) {
    return "<?xml version=\"1.0\"?><COLLADA "
           "xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>"
           "<up_axis>Y_UP</up_axis></asset><library_lights><light id=\"l\"><technique_common><spot>"
           "<color>1 1 1</color>" +
           spot +
           "</spot></technique_common></light></library_lights><library_visual_scenes>"
           "<visual_scene id=\"s\"><node id=\"n\"><instance_light "
           "url=\"#l\"/></node></visual_scene>"
           "</library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";
}

// A binary STL of two facets with these last two bytes of each.
std::string stl_of(const std::string& head, std::array<u32, 2> bits) {
    std::string bytes = head + std::string(80 - head.size(), '\0') + std::string("\2\0\0\0", 4);
    for (std::size_t f = 0; f < 2; ++f) {
        const auto x = static_cast<float>(2 * f);
        const std::array<float, 12> numbers = {0, 0, 1, x, 0, 0, x + 1, 0, 0, x + 1, 1, 0};
        bytes.append(reinterpret_cast<const char*>(numbers.data()), sizeof numbers);
        bytes.push_back(static_cast<char>(bits[f] & 255U));
        bytes.push_back(static_cast<char>(bits[f] >> 8));
    }
    return bytes;
}

// The colour of the vertex at this x of the only mesh.
std::array<float, 3> color_at(const Scene& scene, float x) {
    const auto& mesh = scene.meshes.at(0).record;
    REQUIRE(mesh.first_color != kNone);
    for (std::size_t k = 0; 3 * k < scene.positions.size(); ++k) {
        if (scene.positions[3 * (mesh.first_position + k)] == x) {
            const float* color = &scene.colors[4 * (mesh.first_color + k)];
            return {color[0], color[1], color[2]};
        }
    }
    FAIL("no vertex has this x");
    return {};
}

// The areas of a flat scene's triangles: the least and the sum.
std::pair<float, float> least_and_whole_area(const Scene& scene) {
    float least = 1e30f;
    float sum = 0;
    for (std::size_t k = 0; k + 2 < scene.indices.size(); k += 3) {
        const auto at = [&](std::size_t corner) {
            return &scene.positions[3 * std::size_t{scene.indices[k + corner]}];
        };
        const float area = 0.5f * ((at(1)[0] - at(0)[0]) * (at(2)[1] - at(0)[1]) -
                                   (at(2)[0] - at(0)[0]) * (at(1)[1] - at(0)[1]));
        least = std::min(least, area);
        sum += area;
    }
    return {least, sum};
}

}  // namespace

TEST_SUITE("engine/scene/other_formats") {
    TEST_CASE("an FBX is turned to Y up by the axes that it states") {
        const Folder folder("fbx_axes");
        // The world's places of a quad at (0, 0, 0), (1, 2, 3) …
        const auto second_corner = [&](const std::array<std::array<int, 2>, 3>& axes) {
            const Scene scene =
                read({folder.write("axes.fbx", fbx_of(axes, "0,0,0,1,2,3,4,4,6,0,3,3"))});
            REQUIRE(scene.instances.size() == 1);
            return math::transform_point(scene.instances[0].object_to_world, {1, 2, 3});
        };
        CHECK(second_corner({{{0, 1}, {1, 1}, {2, 1}}}) == math::Vec3{1, 2, 3});
        // Z up: the front of a scene looks along −Y.
        CHECK(second_corner({{{0, 1}, {2, 1}, {1, -1}}}) == math::Vec3{1, 3, -2});
        CHECK(second_corner({{{1, 1}, {0, -1}, {2, 1}}}) == math::Vec3{2, -1, 3});
        // Axes that are none, or the same twice.
        CHECK(second_corner({{{0, 1}, {7, 1}, {1, -1}}}) == math::Vec3{1, 2, 3});
        CHECK(second_corner({{{0, 1}, {1, 1}, {1, 1}}}) == math::Vec3{1, 2, 3});
    }

    TEST_CASE("a Collada spot ends at its falloff angle and its exponent gives the inner one") {
        const Folder folder("dae_spot");
        const auto spot_of = [&](const std::string& spot) {
            const Scene scene = read({folder.write("spot.dae", dae_of(spot))});
            REQUIRE(scene.lights.size() == 1);
            return scene.lights[0];
        };
        const float edge = static_cast<float>(std::cos(10 * 3.14159265358979 / 180));
        const std::string angle = "<falloff_angle>20</falloff_angle>";
        for (const char* exponent : {"", "0", "0.15", "1", "2"}) {
            CAPTURE(exponent);
            const std::string element =
                "<falloff_exponent>" + std::string(exponent) + "</falloff_exponent>";
            const Light light = spot_of(angle + (*exponent == 0 ? "" : element));
            CHECK(light.cos_outer == doctest::Approx(edge));
            CHECK(light.cos_inner == light.cos_outer);
        }
        // ((cosine - outer) / (inner - outer))² is a half where cosine^100 is.
        const Light soft = spot_of(angle + "<falloff_exponent>100</falloff_exponent>");
        CHECK(soft.cos_outer == doctest::Approx(edge));
        const double half = std::pow(0.5, 0.01);
        const double share = (half - static_cast<double>(soft.cos_outer)) /
                             static_cast<double>(soft.cos_inner - soft.cos_outer);
        CHECK(share * share == doctest::Approx(0.5).epsilon(1e-4));
        // An outer angle that the file names counts.
        const Light named = spot_of(angle + "<outer_cone>60</outer_cone>");
        CHECK(named.cos_inner == doctest::Approx(edge));
        CHECK(named.cos_outer == doctest::Approx(std::sqrt(0.75)));
    }

    TEST_CASE("whole colours of an OFF count to 255 and others to 1") {
        const Folder folder("off_colors");
        const auto second_color = [&](const std::string& color) {
            return color_at(read({folder.write("c.off",
                                               "COFF\n3 1 0\n0 0 0 0 0 0 1\n1 0 0 " + color +
                                                   "\n0 1 0 0 0 0 1\n3 0 1 2\n")}),
                            1);
        };
        CHECK(second_color("188 64 255 255")[0] == srgb_to_linear(188.0f / 255));
        CHECK(second_color("188 64 255 255")[2] == 1);
        CHECK(second_color("0.5 0.25 1 1")[0] == srgb_to_linear(0.5f));
        CHECK(second_color("1 0 1 1")[0] == 1);
    }

    TEST_CASE("Magics colours of an STL are those of facets where bit 15 is clear") {
        const Folder folder("stl_colors");
        const std::string head = "COLOR=\x80\x40\xff\xff";
        const auto object = srgb_to_linear(128.0f / 255);
        // Red in the lowest bits.
        const Scene both = read({folder.write("m.stl", stl_of(head, {0x8000, 31 | 10 << 5}))});
        CHECK(color_at(both, 0)[0] == object);
        CHECK(color_at(both, 0)[2] == 1);
        CHECK(color_at(both, 2)[0] == 1);
        CHECK(color_at(both, 2)[1] == srgb_to_linear(10.0f / 31));
        CHECK(color_at(both, 2)[2] == 0);
        const Scene plain = read({folder.write("m.stl", stl_of(head, {0x8000, 0x8000}))});
        CHECK(color_at(plain, 2)[0] == object);
        CHECK(plain.materials[plain.meshes[0].material].record.base_color[0] == 1);
        const Scene own = read({folder.write("m.stl", stl_of(head, {31 << 10, 31 << 10}))});
        CHECK(color_at(own, 0) == std::array<float, 3>{0, 0, 1});
        // Without the header's key bit 15 marks a colour, red in the highest bits.
        const Scene other = read({folder.write("m.stl", stl_of("x", {0x8000 | 31 << 10, 0}))});
        CHECK(color_at(other, 0) == std::array<float, 3>{1, 0, 0});
    }

    TEST_CASE("an OFF without a row that its header counts is refused at its line") {
        const Folder folder("off_rows");
        const std::string corners = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
        const auto said = [&](const std::string& text) {
            const std::string path = folder.write("r.off", text);
            const std::string sentence = complaint(path);
            REQUIRE(sentence.find(path + ":") == 0);
            CHECK(sentence.find("expected") != std::string::npos);
            return sentence.substr(path.size());
        };
        CHECK(said("OFF\n4 2 0\n" + corners + "3 0 1 2\n")
                  .find(":7: the file ends after 1 of 2 faces") == 0);
        CHECK(said("OFF\n4 2 0\n" + corners + "3 0 1 2\n3 0 2")
                  .find(":8: face 1 names 2 vertices; expected 3") == 0);
        CHECK(said("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n")
                  .find(":5: the file ends after 3 of 4 vertices") == 0);
        CHECK(said("COFF\n3 1 0\n0 0 0 1 1\n").find(":3: vertex 0 has 5 numbers; expected 7") == 0);
        CHECK(said("OFF\n4 1 0\n" + corners + "4 0 1 2 4\n").find(":7: face 0 names vertex 4") ==
              0);
        CHECK(said("OFF\n4 1 0\n" + corners + "10 0 1 2 3\n")
                  .find(":7: face 0 names 4 vertices; expected 10") == 0);
        CHECK(said("OFF\n4 1 0\n" + corners + "0\n").find(":7: face 0 has 0 corners") == 0);
        CHECK(said("OFF\n4 2 0\n" + corners + "3 0 1 2\n# c\n")
                  .find(":8: the file ends after 1 of 2 faces") == 0);
        CHECK(said("OFF BINARY\n4 1 0\n").find(":1: expected the numbers of vertices") == 0);
        CHECK(said("OFF\n4000000000 1 0\n0 0 0\n").find(":3: the file ends after 1 of") == 0);
        for (const char* head :
             {"OFF\n4 1 0\n", "# c\nOFF 4 1 0\n\n", "OFF\n# c\n4 1 0 # c\n# d\n"}) {
            CAPTURE(head);
            const Scene scene = read({folder.write("r.off", head + corners + "4 0 1 2 3 # c\n")});
            CHECK(scene_size(scene).triangles == 2);
        }
    }

    TEST_CASE("comments stand anywhere in an OFF") {
        const Folder folder("off_comments");
        const Scene plain = read({folder.write(
            "plain.off", "OFF\n4 2 0\n0 0 0\n1 0 0.1\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n")});
        const Scene scene =
            read({folder.write("comments.off",
                               "OFF # c\n4 2 0\n# c\n0 0 0\n# c\n\n# c\n1 0 0.1 # 7\n1 1 0\n0 1 0\n"
                               "# c\n3 0 1 2\n  # c\n3 0 2 3# c\n# c\n")});
        CHECK(scene.positions == plain.positions);
        CHECK(scene.indices == plain.indices);
        CHECK(scene_size(scene).triangles == 2);
    }

    TEST_CASE("a face of an OFF may have any number of corners") {
        // A cross of five unit squares, with a triangle before it and one behind.
        const Folder folder("off_cross");
        const Scene cross = read({folder.write(
            "cross.off",
            "OFF\n12 3 0\n1 0 0\n2 0 0\n2 1 0\n3 1 0\n3 2 0\n2 2 0\n2 3 0\n1 3 0\n1 2 0\n0 2 0\n"
            "0 1 0\n1 1 0\n3 0 1 2\n12 0 1 2 3 4 5 6 7 8 9 10 11 255 0 0\n3 0 2 11\n")});
        REQUIRE(scene_size(cross).triangles == 12);
        CHECK(least_and_whole_area(cross).first > 0);
        CHECK(least_and_whole_area(cross).second == 6);
        // A row of more letters than assimp reads.
        constexpr u32 kCorners = 2000;
        std::string text = "OFF\n" + std::to_string(kCorners) + " 1 0\n";
        std::string face = std::to_string(kCorners);
        for (u32 k = 0; k < kCorners; ++k) {
            const double angle = 6.283185307179586 * k / kCorners;
            text +=
                std::to_string(std::cos(angle)) + " " + std::to_string(std::sin(angle)) + " 0\n";
            face += " " + std::to_string(k);
        }
        CHECK(scene_size(read({folder.write("circle.off", text + face + "\n")})).triangles ==
              kCorners - 2);
    }

    TEST_CASE("colours of a 3MF are display colours") {
        const Folder folder("3mf_colors");
        const Scene scene = read({folder.write(
            "c.3mf",
            zip_3mf(
                "<resources><basematerials id=\"2\"><base name=\"red\" "
                "displaycolor=\"#BC4000FF\"/></basematerials><object id=\"1\" type=\"model\" "
                "pid=\"2\" pindex=\"0\"><mesh><vertices><vertex x=\"0\" y=\"0\" z=\"0\"/>"
                "<vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices>"
                "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\" pid=\"2\" p1=\"0\"/></triangles>"
                "</mesh></object></resources><build><item objectid=\"1\"/></build>"))});
        REQUIRE(scene.instances.size() == 1);
        const float* const color = scene.materials[scene.instances[0].material].record.base_color;
        CHECK(color[0] == srgb_to_linear(188.0f / 255));
        CHECK(color[1] == srgb_to_linear(64.0f / 255));
        CHECK(color[2] == 0);
    }
}
