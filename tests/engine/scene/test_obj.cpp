// test_obj.cpp — OBJ scenes: numbers, line ends, vertex colours, material libraries, and broken
// lines.
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/scene/picture_writer.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr const char* kCorners = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";

Scene scene_of(const std::string& text) {
    const Folder folder("obj_text");
    return read({folder.write("a.obj", text)});
}

// The sentence without the name of the folder.
std::string complaint_of(const std::string& text) {
    const Folder folder("obj_broken");
    const std::string sentence = complaint(folder.write("a.obj", text));
    CHECK(sentence.starts_with(folder.file("")));
    return sentence.substr(folder.file("").size());
}

std::vector<float> positions_of(const Scene& scene) {
    return {scene.positions.begin(), scene.positions.end()};
}

const Mesh& mesh_called(const Scene& scene, const std::string& name) {
    for (const Mesh& mesh : scene.meshes) {
        if (mesh.name == name) {
            return mesh;
        }
    }
    FAIL("no mesh is called " << name);
    return scene.meshes[0];
}

const Material& material_on(const Scene& scene, const std::string& mesh) {
    return scene.materials[mesh_called(scene, mesh).material];
}

// The red of the mesh's vertex.
float red_of(const Scene& scene, const std::string& mesh, u32 vertex) {
    const u32 first = mesh_called(scene, mesh).record.first_color;
    REQUIRE(first != kNone);
    return scene.colors[4 * (std::size_t{first} + vertex)];
}

}  // namespace

TEST_SUITE("engine/scene/obj") {
    TEST_CASE("numbers need no digit before or behind the point") {
        const Scene scene =
            scene_of("v .5 -.5 +.5\nv 5. 0 .0\nv 0 1E0 -0\nvt .25\nvt 1. .75\nf 1/1 2/2 3/1\n");
        CHECK(positions_of(scene) == std::vector<float>{.5f, -.5f, .5f, 5, 0, 0, 0, 1, -0.f});
        // Rows count from the top; a uv without its second number has v = 0.
        CHECK(std::vector<float>(scene.uvs.begin(), scene.uvs.end()) ==
              std::vector<float>{.25f, 1, 1, .25f, .25f, 1});
    }

    TEST_CASE("lines end with any line end and go on behind a backslash") {
        const std::vector<float> expected = {0, 0, 0, 1, 0, 0, 1, 1, 0};
        const std::string lines = "# a comment \\\n" + std::string(kCorners) + "f 1 2 3\n";
        for (const std::string end : {"\n", "\r\n", "\r"}) {
            std::string text;
            for (const char letter : lines) {
                text += letter == '\n' ? end : std::string(1, letter);
            }
            CHECK(positions_of(scene_of(text)) == expected);
        }
        CHECK(positions_of(scene_of(std::string(kCorners) + "f 1 \\\r\n 2 \\\n3 # whole")) ==
              expected);
        CHECK(positions_of(scene_of("\xef\xbb\xbf" + std::string(kCorners) + "f 1 2 3")) ==
              expected);
        CHECK(positions_of(scene_of("f 1 2 3\n" + std::string(kCorners))) == expected);
    }

    TEST_CASE("vertex colours belong to the vertices that have them and to their meshes alone") {
        const Folder folder("obj_colors");
        folder.write("m.mtl", "newmtl m\nKd .5 .5 .5\n");
        const Scene scene =
            read({folder.write("a.obj",
                               "mtllib m.mtl\nusemtl m\no plain\n" + std::string(kCorners) +
                                   "f 1 2 3\no coloured\n"
                                   "v 0 0 1 1 0 0\nv 1 0 1 0 0 0\nv 1 1 1 1 1 1 1\n"
                                   "f 4 5 6\no mixed\nf 4 2 3\n")});
        CHECK(mesh_called(scene, "plain").record.first_color == kNone);
        CHECK(material_on(scene, "plain").record.base_color[0] == .5f);
        CHECK(material_on(scene, "plain").name == "m");
        CHECK(material_on(scene, "coloured").record.base_color[0] == 1);
        CHECK(material_on(scene, "coloured").name == "m");
        CHECK(red_of(scene, "coloured", 0) == 1);
        CHECK(red_of(scene, "coloured", 1) == 0);
        CHECK(red_of(scene, "coloured", 2) == 1);
        // A vertex without a colour shows the material's.
        CHECK(red_of(scene, "mixed", 0) == 1);
        CHECK(red_of(scene, "mixed", 1) == doctest::Approx(.5).epsilon(1e-6));
        CHECK(mesh_called(scene, "mixed").material == mesh_called(scene, "coloured").material);
    }

    TEST_CASE("vertex colours of whole numbers above 1 count to 255") {
        const Scene scene = scene_of("v 0 0 0 188 0 0\nv 1 0 0 255 0 0\nv 1 1 0 0 0 0\nf 1 2 3\n");
        CHECK(red_of(scene, "defaultobject", 0) == doctest::Approx(0.5028864).epsilon(1e-4));
        CHECK(red_of(scene, "defaultobject", 1) == 1);
        CHECK(has_note(scene, Note::Kind::Repaired, "divided by 255"));
        const Scene bright = scene_of("v 0 0 0 2 .5 0\nv 1 0 0 1 0 0\nv 1 1 0 0 0 0\nf 1 2 3\n");
        CHECK(red_of(bright, "defaultobject", 0) > 4);
    }

    TEST_CASE("a line names one library with blanks or several and each may have quotes") {
        const Folder folder("obj_libraries");
        folder.write("my lib.mtl", "newmtl m\nKd .25 0 0\n");
        folder.write("l1.mtl", "newmtl x\nKd 1 0 0\n");
        folder.write("l2.mtl", "newmtl m\nKd .25 0 0\n");
        for (const char* const line : {"mtllib my lib.mtl",
                                       "mtllib \"my lib.mtl\"",
                                       "mtllib l1.mtl l2.mtl",
                                       "mtllib l1.mtl \"my lib.mtl\"",
                                       "\xef\xbb\xbfmtllib l2.mtl"}) {
            CAPTURE(line);
            const Scene scene = read({folder.write(
                "a.obj", line + ("\n" + std::string(kCorners)) + "usemtl m\nf 1 2 3\n")});
            CHECK(material_on(scene, "defaultobject").record.base_color[0] == .25f);
            CHECK_FALSE(has_note(scene, Note::Kind::Replaced, "librar"));
        }
    }

    TEST_CASE("pictures of a library in another folder are searched beside the OBJ and beside it") {
        const Folder folder("obj_folders");
        for (const char* below : {"a", "b", "b/maps"}) {
            std::filesystem::create_directory(folder.file(below));
        }
        folder.write("a/one.mtl", "newmtl one\nmap_Kd skin.png\nnewmtl here\nmap_Kd here.png\n");
        folder.write("b/two.mtl",
                     "newmtl two\nmap_Kd skin.png\nnewmtl deep\nmap_Kd maps\\deep.png\n"
                     "newmtl far\nmap_Kd C:\\work\\far.png\n");
        // Pictures of one row, known by their widths.
        const std::array<std::pair<const char*, int>, 6> pictures = {{{"a/skin.png", 1},
                                                                      {"b/skin.png", 2},
                                                                      {"here.png", 3},
                                                                      {"a/here.png", 4},
                                                                      {"b/maps/deep.png", 5},
                                                                      {"b/far.png", 6}}};
        for (const auto& [name, width] : pictures) {
            write_picture<u8>(
                folder.file(name), width, 1, std::vector<u8>(4 * static_cast<std::size_t>(width)));
        }
        const Scene scene = read({folder.write(
            "m.obj",
            "mtllib a/one.mtl\nmtllib b\\two.mtl\nvt 0 0\n" + std::string(kCorners) +
                "usemtl one\nf 1/1 2/1 3/1\nusemtl two\nf 1/1 2/1 3/1\nusemtl here\n"
                "f 1/1 2/1 3/1\nusemtl deep\nf 1/1 2/1 3/1\nusemtl far\nf 1/1 2/1 3/1\n")});
        const auto width_of = [&scene](const std::string& material) {
            for (const Material& candidate : scene.materials) {
                if (candidate.name == material && candidate.record.base_color_slot != kNone) {
                    const auto& slot = scene.slots[candidate.record.base_color_slot];
                    return scene.textures[slot.texture].record.width;
                }
            }
            return u32{0};
        };
        CHECK(width_of("one") == 1);
        CHECK(width_of("two") == 2);
        CHECK(width_of("here") == 3);
        CHECK(width_of("deep") == 5);
        CHECK(width_of("far") == 6);
    }

    TEST_CASE("a missing library is told by its name and one named as the OBJ stands in") {
        const Folder folder("obj_missing");
        const std::string path = folder.write(
            "a.obj", "mtllib nope.mtl\n" + std::string(kCorners) + "usemtl m\nf 1 2 3\n");
        CHECK(has_note(read({path}),
                       Note::Kind::Replaced,
                       "the material library nope.mtl is not there; plain materials stand in."));
        folder.write("a.mtl", "newmtl m\nKd .25 0 0\n");
        const Scene scene = read({path});
        CHECK(has_note(scene,
                       Note::Kind::Replaced,
                       "the material library nope.mtl is not there; a.mtl stands in."));
        CHECK(material_on(scene, "defaultobject").record.base_color[0] == .25f);
    }

    TEST_CASE("faces before the first usemtl and unknown materials are plain") {
        const Folder folder("obj_plain");
        folder.write("m.mtl", "newmtl m\nKd .25 0 0\n");
        const Scene scene = read({folder.write("a.obj",
                                               "mtllib m.mtl\n" + std::string(kCorners) +
                                                   "o first\nf 1 2 3\no second\nusemtl m\nf 1 2 3\n"
                                                   "o third\nusemtl lost\nf 1 2 3\n")});
        CHECK(material_on(scene, "first").name == "DefaultMaterial");
        CHECK(material_on(scene, "first").record.base_color[0] == .6f);
        CHECK(material_on(scene, "first").record.roughness == 1);
        CHECK(material_on(scene, "second").record.base_color[0] == .25f);
        CHECK(material_on(scene, "third").name == "lost");
        CHECK(material_on(scene, "third").record.base_color[0] == .6f);
        CHECK(has_note(
            scene, Note::Kind::Replaced, "material lost is in no library; a plain one stands in."));
    }

    TEST_CASE("positions that are not finite lose their faces and points and curves are counted") {
        const Scene scene = scene_of(std::string(kCorners) +
                                     "v nan 0 0\nv 0 1e999 0\nf 1 2 3\nf 1 2 4\nf 1 2 3 5\n"
                                     "p 1 2\nl 1 2 3\ncstype bezier\ncurv 0 1 1 2\nend\nodd 1\n");
        CHECK(scene_size(scene).triangles == 1);
        CHECK(has_note(scene, Note::Kind::Repaired, "3 triangles"));
        CHECK(has_note(scene, Note::Kind::Ignored, "2 points and 2 lines"));
        CHECK(has_note(scene, Note::Kind::Ignored, "1 free-form curves"));
    }

    TEST_CASE("broken lines are told with their number and a text without a keyword is refused") {
        const std::string corners = kCorners;
        const std::pair<std::string, const char*> cases[] = {
            {"v 0 0\n", "a.obj:1: has \"\" where a number was expected."},
            {"# x\nv 0 0 zz\n", "a.obj:2: has \"zz\" where a number was expected."},
            {"vt\n", "a.obj:1: has \"\" where a number was expected."},
            {"v 0 \\\n0 \\\n0\nvn 0 y 0\n", "a.obj:4: has \"y\" where a number was expected."},
            {corners + "f 1 2 7\n",
             "a.obj:4: has a corner with the position 7; expected at most 3, as many as the file "
             "has."},
            {corners + "f 1/2 2/1 3/1\nvt 0 0\n",
             "a.obj:4: has a corner with the uv 2; expected at most 1, as many as the file has."},
            {corners + "f 1//1 2//1 3//1\n",
             "a.obj:4: has a corner with the normal 1; expected at most 0, as many as the file "
             "has."},
            {corners + "\nf 1 2 -9\n", "a.obj:5: has the corner \"-9\"; expected a vertex"},
            {corners + "f 1 2 0\n", "a.obj:4: has the corner \"0\"; expected a vertex"},
            {corners + "f 1 2 3x\n", "a.obj:4: has the corner \"3x\"; expected a vertex"},
            {"hello, this is no scene at all\n", "a.obj: has no line of OBJ; expected"}};
        for (const auto& [text, words] : cases) {
            CAPTURE(text);
            CHECK(complaint_of(text).starts_with(words));
        }
    }
}
