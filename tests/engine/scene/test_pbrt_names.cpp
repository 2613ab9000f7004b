// test_pbrt_names.cpp — names in pbrt files: materials that are used before they are made, quotes
// in strings; and pictures on meshes without uvs.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/scene_points.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kPbrtTriangle =
    "Shape \"trianglemesh\" \"point3 P\" [ 0 0 0  1 0 0  0 1 0 ]\n";

std::string made(const std::string& name, const std::string& more) {
    return "MakeNamedMaterial \"" + name + "\" \"string type\" \"diffuse\" " + more + "\n";
}

std::string used(const std::string& name) {
    return "NamedMaterial \"" + name + "\"\n" + kPbrtTriangle;
}

Scene read_world(const Folder& folder, const std::string& text) {
    return read({folder.write("scene.pbrt", "Camera \"perspective\"\nWorldBegin\n" + text)});
}

}  // namespace

TEST_SUITE("engine/scene/pbrt_names") {
    TEST_CASE("a material may be used before it is made") {
        const Folder folder("pbrt_later");
        const std::string red = made("red", "\"rgb reflectance\" [ 1 0 0 ]");
        const std::string green = made("green", "\"rgb reflectance\" [ 0 1 0 ]");
        const Scene scene =
            read_world(folder, used("red") + used("green") + red + used("red") + green);
        REQUIRE(scene.instances.size() == 3);
        CHECK(material_of(scene, 0).base_color[0] == 1);
        CHECK(material_of(scene, 1).base_color[1] == 1);
        CHECK(scene.instances[2].material == scene.instances[0].material);
        CHECK(scene.materials.size() == read_world(folder, red + green).materials.size());
        // A mix finds its parts, before it and behind.
        const Scene mixed = read_world(
            folder,
            used("mixed") +
                "MakeNamedMaterial \"mixed\" \"string type\" \"mix\" \"string materials\" [ "
                "\"red\" \"green\" ] \"float amount\" 0.75\n" +
                red + green);
        CHECK(material_of(mixed, 0).base_color[1] == 1);
        const std::string round =
            "MakeNamedMaterial \"a\" \"string type\" \"mix\" \"string materials\" [ \"a\" \"a\" "
            "]\n";
        CHECK(complaint(folder.write("round.pbrt", "WorldBegin\n" + used("a") + round))
                  .find("mixes materials that are not there") != std::string::npos);
    }

    TEST_CASE("a later material has the defaults and the textures of its place") {
        const Folder folder("pbrt_later_state");
        write_picture<u8>(folder.file("two.png"), 2, 1, {255, 0, 0, 255, 0, 255, 0, 255});
        folder.write("part.pbrt",
                     used("dull") + "Attribute \"material\" \"rgb reflectance\" [ 0 0 1 ]\n");
        const Scene scene = read_world(
            folder,
            "Import \"part.pbrt\"\n" + used("picture") + "AttributeBegin\n" +
                "Attribute \"material\" \"rgb reflectance\" [ 0 0.25 0 ]\nObjectBegin \"o\"\n" +
                made("dull", "") + kPbrtTriangle +
                "ObjectEnd\nAttributeEnd\nTexture \"t\" \"spectrum\" \"imagemap\" "
                "\"string filename\" \"two.png\"\n" +
                made("picture", "\"texture reflectance\" \"t\"") + "ObjectInstance \"o\"\n");
        REQUIRE(scene.instances.size() == 3);
        CHECK(material_of(scene, 0).base_color[1] == 0.25F);
        const u32 slot = material_of(scene, 1).base_color_slot;
        REQUIRE(slot != kNone);
        CHECK(scene.textures[scene.slots[slot].texture].record.width == 2);
    }

    TEST_CASE("a backslash in a string makes a quote a letter and leaves other letters alone") {
        const Folder folder("pbrt_quotes");
        std::filesystem::create_directory(folder.file("maps"));
        write_picture<u8>(folder.file("maps/new.png"), 2, 1, {255, 0, 0, 255, 0, 255, 0, 255});
        const Scene scene = read_world(
            folder,
            "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"maps\\new.png\"\n" +
                made("a \\\"b\\\" \\\\", "\"texture reflectance\" \"t\"") +
                used("a \\\"b\\\" \\\\"));
        REQUIRE(scene.instances.size() == 1);
        CHECK(scene.materials[scene.instances[0].material].name == "a \"b\" \\");
        CHECK(material_of(scene, 0).base_color_slot != kNone);
        CHECK(complaint(folder.write("open.pbrt", "WorldBegin\nNamedMaterial \"a\\\"\n"))
                  .find(":2: has a string without an end") != std::string::npos);
    }

    TEST_CASE("a picture on a mesh without uvs shows as pbrt's own uvs say") {
        const Folder folder("pbrt_uvs");
        write_picture<u8>(folder.file("two.png"), 2, 1, {255, 0, 0, 255, 0, 255, 0, 255});
        const std::string picture =
            "Texture \"t\" \"spectrum\" \"imagemap\" \"string filename\" \"two.png\"\n"
            "Material \"diffuse\" \"texture reflectance\" \"t\"\n";
        const std::string square =
            "Shape \"trianglemesh\" \"point3 P\" [ 0 0 0  1 0 0  1 1 0  0 1 0 ]\n"
            "  \"integer indices\" [ 0 1 2  0 2 3 ]\n";
        const auto uvs_of = [](const Scene& scene) {
            return std::vector<float>(scene.uvs.begin(), scene.uvs.end());
        };
        const Scene scene = read_world(folder, picture + square);
        CHECK(uvs_of(scene) == std::vector<float>{0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1});
        CHECK(scene.positions.size() == 18);
        CHECK(scene.positions[9] == 0);
        CHECK(scene.positions[12] == 1);
        // Without a picture vertices stay shared.
        const Scene plain = read_world(folder, square);
        CHECK(plain.uvs.empty());
        CHECK(plain.positions.size() == 12);
        // The uvs of a PLY's quads go around them; a material without pictures has the plain mesh.
        folder.write("quad.ply",
                     "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
                     "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
                     "end_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n");
        const std::string ply = "Shape \"plymesh\" \"string filename\" \"quad.ply\"\n";
        const Scene quads = read_world(folder, ply + picture + ply + ply);
        REQUIRE(quads.instances.size() == 3);
        CHECK(quads.meshes[quads.instances[0].mesh].record.first_uv0 == kNone);
        CHECK(quads.instances[1].mesh == quads.instances[2].mesh);
        CHECK(quads.positions.size() == 12 + 18);
        CHECK(uvs_of(quads).size() == 12);
        for (std::size_t vertex = 0; vertex < 6; ++vertex) {
            CHECK(quads.uvs[2 * vertex] == quads.positions[12 + 3 * vertex]);
            CHECK(quads.uvs[2 * vertex + 1] == quads.positions[13 + 3 * vertex]);
        }
    }
}
