// test_hostile_files.cpp — files on which assimp aborts or never returns end with a scene or one
// sentence; and files whose content is of another kind than their name.
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "tests/engine/scene/hostile_pictures.h"
#include "tests/engine/scene/scene_files.h"
#include "tests/engine/scene/zip_file.h"

namespace weft::scene::testing {

namespace {

const std::string kPlyHead =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
    "z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

std::string triangle_3mf() {
    return zip_3mf(
        "<resources><object id=\"1\" type=\"model\"><mesh><vertices><vertex x=\"0\" y=\"0\" "
        "z=\"0\"/><vertex x=\"1\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"1\" z=\"0\"/></vertices>"
        "<triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object></resources>"
        "<build><item objectid=\"1\"/></build>");
}

// A star: every second corner lies inwards.
std::string star_obj(u32 corners) {
    std::string text;
    std::string face = "f";
    for (u32 k = 0; k < corners; ++k) {
        const double angle = 6.283185307179586 * k / corners;
        const double radius = k % 2 == 0 ? 2 : 1;
        text += "v " + std::to_string(radius * std::cos(angle)) + " " +
                std::to_string(radius * std::sin(angle)) + " 0\n";
        face += " " + std::to_string(k + 1);
    }
    return text + face + "\n";
}

double area_of(const Scene& scene) {
    double area = 0;
    for (std::size_t k = 0; k + 2 < scene.indices.size(); k += 3) {
        std::array<const float*, 3> p{};
        for (std::size_t c = 0; c < 3; ++c) {
            p[c] = &scene.positions[3 * std::size_t{scene.indices[k + c]}];
        }
        area += 0.5 * static_cast<double>((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) -
                                          (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
    }
    return area;
}

// A scene, or one sentence that begins with the file.
bool ends_well(const std::string& path) {
    const auto scene = import_scene({path}, {});
    return scene.is_ok() || (scene.error().kind == base::ErrorKind::Scene &&
                             scene.error().sentence.starts_with(path) &&
                             scene.error().sentence.find('\n') == std::string::npos);
}

constexpr const char* kGltf =
    R"({"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3",
                       "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,)"
    R"(AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]})";

}  // namespace

TEST_SUITE("engine/scene/hostile_files") {
    TEST_CASE("faces that are empty or name vertices that do not exist are dropped") {
        const Folder folder("faces");
        for (const char* const face :
             {"4 0 1 2 99999999", "4 0 1 2 -1", "3 0 1 4294967295", "0", "5 0 1 2 3 4"}) {
            CAPTURE(face);
            const Scene scene =
                read({folder.write("face.ply", kPlyHead + "3 0 1 2\n" + std::string(face) + "\n")});
            CHECK(scene_size(scene).triangles == 1);
            CHECK(has_note(scene, Note::Kind::Repaired, "dropped") == (face[0] != '0'));
        }
    }

    TEST_CASE("a PLY or OFF or STL that is cut anywhere ends with a scene or one sentence") {
        const Folder folder("cut");
        const std::vector<std::pair<std::string, std::string>> files = {
            {"cut.ply", kPlyHead + "4 0 1 2 3\n3 0 1 2\n"},
            {"cut.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n3 0 1 2\n"},
            {"cut.stl",
             "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
             "0\nendloop\nendfacet\nendsolid s\n"},
        };
        for (const auto& [name, bytes] : files) {
            for (std::size_t cut = bytes.size(); cut > bytes.size() / 3; cut -= 9) {
                CAPTURE(name);
                CAPTURE(cut);
                CHECK(ends_well(folder.write(name, bytes.substr(0, cut))));
            }
        }
    }

    TEST_CASE(
        "a 3MF with any one byte of its directory changed ends with a scene or one sentence") {
        const Folder folder("zip");
        const std::string whole = triangle_3mf();
        CHECK(scene_size(read({folder.write("whole.3mf", whole)})).triangles == 1);
        const std::size_t directory = whole.find("PK\x01\x02");
        for (std::size_t at = directory; at < whole.size(); at += 7) {
            CAPTURE(at);
            std::string changed = whole;
            changed[at] = static_cast<char>(changed[at] ^ 0x10);
            CHECK(ends_well(folder.write("changed.3mf", changed)));
        }
    }

    TEST_CASE("a polygon of very many corners is cut into triangles that cover it") {
        const Folder folder("polygon");
        constexpr u32 kCorners = 30000;
        const Scene scene = read({folder.write("star.obj", star_obj(kCorners))});
        CHECK(scene_size(scene).triangles == kCorners - 2);
        // The area of a star: corners times the triangle of the middle and two neighbours.
        const double expected = kCorners * 0.5 * 2 * 1 * std::sin(6.283185307179586 / kCorners);
        CHECK(area_of(scene) == doctest::Approx(expected).epsilon(1e-3));
    }

    TEST_CASE("very many objects of an OBJ are each one, in their order") {
        const Folder folder("objects");
        constexpr u32 kObjects = 20000;
        std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (u32 k = 0; k < kObjects; ++k) {
            text += "o part" + std::to_string(k) + "\nf 1 2 3\n";
        }
        const Scene scene = read({folder.write("objects.obj", text)});
        REQUIRE(scene.instances.size() == kObjects);
        CHECK(scene.instances[0].node == "part0");
        CHECK(scene.instances[kObjects - 1].node == "part" + std::to_string(kObjects - 1));
    }

    TEST_CASE("a material library outside of the scene's folder needs --asset-root") {
        const Folder folder("libraries");
        std::filesystem::create_directories(folder.file("scene"));
        folder.write("secret.mtl", "newmtl paint\nKd 0.5 0.25 0.125\n");
        const std::string obj = "usemtl paint\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        for (const std::string& name : {std::string("../secret.mtl"), folder.file("secret.mtl")}) {
            CAPTURE(name);
            const std::string path = folder.write("scene/room.obj", "mtllib " + name + "\n" + obj);
            const auto refused = import_scene({path}, {});
            if (refused.is_ok()) {
                // assimp put the folder before an absolute name: there is no such file.
                CHECK(has_note(refused.value(), Note::Kind::Replaced, "is not there"));
                continue;
            }
            CHECK(refused.error().sentence.find("--asset-root") != std::string::npos);
            CHECK(refused.error().sentence.find("0.25") == std::string::npos);
            ImportConfig config;
            config.asset_roots = {folder.file("")};
            CHECK(read({path}, config).materials.back().record.base_color[1] == 0.25f);
        }
        std::filesystem::create_symlink("../secret.mtl", folder.file("scene/link.mtl"));
        CHECK(complaint(folder.write("scene/link.obj", "mtllib link.mtl\n" + obj))
                  .find("--asset-root") != std::string::npos);
    }

    TEST_CASE("pictures of an OBJ are counted together") {
        const Folder folder("pictures");
        // 341 MiB each with their mips, from ten kilobytes that do not decode.
        folder.write("grey.png", plain_png(8192, 8192, 16).substr(0, 9999));
        folder.write("paint.mtl", "newmtl paint\nmap_Kd grey.png\nmap_Pr grey.png\n");
        const std::string path =
            folder.write("paint.obj",
                         "mtllib paint.mtl\nusemtl paint\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n"
                         "f 1/1 2/1 3/1\n");
        ImportConfig config;
        config.missing_file = MissingFile::Black;
        CHECK(complaint(path, config).find("256 bytes") != std::string::npos);
    }

    TEST_CASE("a material library that is a pipe is not waited for") {
        const Folder folder("pipe");
        REQUIRE(mkfifo(folder.file("pipe.mtl").c_str(), 0600) == 0);
        const Scene scene = read(
            {folder.write("pipe.obj", "mtllib pipe.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")});
        CHECK(has_note(scene, Note::Kind::Replaced, "pipe.mtl"));
    }

    TEST_CASE("a glTF under any name is read as glTF") {
        const Folder folder("gltf_names");
        const std::string bom = "\xef\xbb\xbf";
        for (const std::string name :
             {"a.gltf", "a.obj", "a.json", "a.ply", "a.xml", "a", "a.dae"}) {
            for (const std::string& front :
                 {std::string(), bom, std::string(" \r\n\t"), bom + "\n"}) {
                CAPTURE(name);
                CAPTURE(front);
                const Scene scene = read({folder.write(name, front + kGltf)});
                CHECK(scene_size(scene).triangles == 1);
                // assimp would have made this material two-sided and grey.
                CHECK(scene.meshes[0].material == 0);
            }
        }
    }

    TEST_CASE("a file that is named glTF and is none ends with a sentence") {
        const Folder folder("no_gltf");
        for (const char* const name : {"a.gltf", "a.glb"}) {
            const std::string path = folder.write(name, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
            CHECK(complaint(path).starts_with(path));
        }
    }

    TEST_CASE("the error of an unsupported kind lists the supported ones") {
        const Folder folder("kinds");
        const std::string xml = folder.write("scene.xml", "<html version=\"2.0.0\"></html>");
        const std::string sentence = complaint(xml);
        CHECK(sentence.starts_with(
            xml +
            ": Weft does not read .xml; it reads .gltf, .glb, .pbrt, .xml of Mitsuba, .obj,"));
        CHECK(sentence.find("whole XML") == std::string::npos);
        CHECK(complaint(folder.write("notes", "hello")).find("does not read this kind of file") !=
              std::string::npos);
        // The error of a supported kind names that kind alone.
        CHECK(complaint(folder.write("a.obj", std::string("\1\2\3", 3)))
                  .ends_with("expected a whole OBJ file."));
    }
}

}  // namespace weft::scene::testing
