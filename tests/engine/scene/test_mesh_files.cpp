// test_mesh_files.cpp — meshes of PLY and OBJ files, their normals and their limits.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

#include "engine/scene/parts/mesh_files.h"
#include "tests/engine/scene/scene_files.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// A unit square of four vertices with normals and uvs, as one face of four corners.
constexpr const char* kAsciiSquare =
    "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\n"
    "property float y\nproperty float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
    "property float u\nproperty float v\nproperty uchar red\nelement face 1\n"
    "property list uchar int vertex_indices\nend_header\n"
    "0 0 0 0 0 2 0 0 9\n1 0 0 0 0 2 1 0 9\n1 1 0 0 0 2 1 1 9\n0 1 0 0 0 2 0 1 9\n4 0 1 2 3\n";

template <typename T>
void put(std::string& bytes, T value, bool is_big) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof value);
    for (std::size_t k = 0; k < sizeof value; ++k) {
        bytes += raw[is_big ? sizeof value - 1 - k : k];
    }
}

std::string binary_square(bool is_big) {
    std::string bytes = std::string("ply\nformat binary_") + (is_big ? "big" : "little") +
                        "_endian 1.0\nelement vertex 4\nproperty double x\nproperty float y\n"
                        "property float z\nproperty short nx\nproperty short ny\n"
                        "property short nz\nproperty float s\nproperty float t\nelement face 1\n"
                        "property uchar flags\nproperty list uchar uint vertex_index\n"
                        "end_header\n";
    for (const auto& [x, y] : {std::pair{0.0F, 0.0F}, {1.0F, 0.0F}, {1.0F, 1.0F}, {0.0F, 1.0F}}) {
        put(bytes, static_cast<double>(x), is_big);
        put(bytes, y, is_big);
        put(bytes, 0.0F, is_big);
        put(bytes, std::int16_t{0}, is_big);
        put(bytes, std::int16_t{0}, is_big);
        put(bytes, std::int16_t{2}, is_big);
        put(bytes, x, is_big);
        put(bytes, y, is_big);
    }
    bytes += '\7';
    bytes += '\4';
    for (const u32 corner : {0U, 1U, 2U, 3U}) {
        put(bytes, corner, is_big);
    }
    return bytes;
}

base::Result<MeshData> ply_of(const std::string& text) {
    SizeRule size("m.ply");
    size.add_read(text.size());
    return parse_ply_mesh({reinterpret_cast<const u8*>(text.data()), text.size()}, "m.ply", size);
}

base::Result<PlyModel> model_of(const std::string& text) {
    SizeRule size("m.ply");
    size.add_read(text.size());
    return parse_ply_model({reinterpret_cast<const u8*>(text.data()), text.size()}, "m.ply", size);
}

PlyModel read_model(const std::string& text) {
    const base::Result<PlyModel> read = model_of(text);
    REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
    return read.value();
}

constexpr const char* kXyz = "property float x\nproperty float y\nproperty float z\n";
constexpr const char* kFaceList = "property list uchar int vertex_indices\n";
constexpr const char* kFourCorners = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

// An ASCII file of vertices and faces.
std::string ascii_ply(const std::string& vertices,
                      const std::string& faces,
                      const std::string& face_properties = "",
                      const std::string& vertex_properties = "") {
    const auto rows = [](const std::string& text) {
        return std::to_string(std::count(text.begin(), text.end(), '\n'));
    };
    return "ply\nformat ascii 1.0\nelement vertex " + rows(vertices) + "\n" + kXyz +
           vertex_properties + "element face " + rows(faces) + "\n" + kFaceList + face_properties +
           "end_header\n" + vertices + faces;
}

// The area of the triangles in the plane of x and y; each turns to the same side.
double area_of(const MeshData& mesh) {
    double area = 0;
    for (std::size_t k = 0; k + 2 < mesh.corners.size(); k += 3) {
        const math::Vec3 a = mesh.position(mesh.corners[k]);
        const math::Vec3 b = mesh.position(mesh.corners[k + 1]);
        const math::Vec3 c = mesh.position(mesh.corners[k + 2]);
        const double part = static_cast<double>(math::cross(b - a, c - a).z) / 2;
        CHECK(part >= 0);
        area += part;
    }
    return area;
}

base::Result<MeshData> obj_of(const std::string& text) {
    SizeRule size("m.obj");
    size.add_read(text.size());
    return parse_obj_mesh(text, "m.obj", size);
}

}  // namespace

TEST_SUITE("engine/scene/parts/mesh_files") {
    TEST_CASE("a PLY square is the same in ASCII and in both binary orders") {
        for (const std::string& text :
             {std::string(kAsciiSquare), binary_square(false), binary_square(true)}) {
            const base::Result<MeshData> read = ply_of(text);
            REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
            const MeshData& mesh = read.value();
            CHECK(mesh.corners == std::vector<u32>{0, 1, 2, 0, 2, 3});
            CHECK(mesh.positions == std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
            CHECK(mesh.normals == std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1});
            CHECK(mesh.uvs == std::vector<float>{0, 0, 1, 0, 1, 1, 0, 1});
        }
    }

    TEST_CASE("every prefix of a PLY file ends with a sentence") {
        for (const std::string& text : {std::string(kAsciiSquare), binary_square(false)}) {
            // The ASCII file is whole without its last line end.
            for (std::size_t length = 0; length + 2 < text.size(); ++length) {
                const base::Result<MeshData> read = ply_of(text.substr(0, length));
                CAPTURE(length);
                REQUIRE_FALSE(read.is_ok());
                CHECK(read.error().sentence.find("m.ply") != std::string::npos);
            }
        }
    }

    TEST_CASE("a PLY file that ends in a row is told with the row, and the line of a text") {
        const std::string text =
            ascii_ply("0.00000 0.00000 0.00000\n1.00000 0.00000 0.00000\n", "3 0 1 0\n3 0 1 1\n");
        const auto told = [](const std::string& cut) { return ply_of(cut).error().sentence; };
        CHECK(
            told(text.substr(0, text.size() - 8)) ==
            "m.ply:13: ends in row 2 of the 2 of its element \"face\"; expected a whole PLY file.");
        std::string word = text;
        word.replace(word.find("3 0 1 1"), 7, "3 0 foo");
        CHECK(
            told(word) ==
            "m.ply:13: has \"foo\" in row 2 of the 2 of its element \"face\"; expected a number.");
        word.replace(word.find("3 0 foo"), 7, "-3 0 1 ");
        CHECK(told(word) ==
              "m.ply:13: has a list without a count of 0 or more in row 2 of the 2 of its element "
              "\"face\".");
        const std::string bytes = binary_square(false);
        CHECK(told(bytes.substr(0, bytes.size() - 1)) ==
              "m.ply: ends in row 1 of the 1 of its element \"face\"; expected a whole PLY file.");
    }

    TEST_CASE("bytes of a binary PLY are read as they are, whatever the first one is") {
        for (const u8 first : {u8{0x0a}, u8{0x0d}, u8{0x20}}) {
            std::string bytes =
                std::string(
                    "ply\nformat binary_little_endian 1.0\nelement vertex 3\n"
                    "property uchar red\nproperty uchar green\nproperty uchar blue\n") +
                kXyz + "element face 1\n" + kFaceList + "end_header\n";
            for (const auto& [x, y] : {std::pair{0.0F, 0.0F}, {1.0F, 0.0F}, {0.0F, 1.0F}}) {
                put(bytes, first, false);
                put(bytes, u8{10}, false);
                put(bytes, u8{255}, false);
                put(bytes, x, false);
                put(bytes, y, false);
                put(bytes, 0.0F, false);
            }
            put(bytes, u8{3}, false);
            for (const u32 corner : {0U, 1U, 2U}) {
                put(bytes, corner, false);
            }
            const PlyModel model = read_model(bytes);
            CHECK(model.mesh.corners == std::vector<u32>{0, 1, 2});
            CHECK(model.mesh.positions == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
            CHECK(model.colors[0] == static_cast<float>(first) / 255.0F);
            CHECK(model.colors[3] == 1);
        }
    }

    TEST_CASE("elements of any kind stand before, between and after vertices and faces") {
        const PlyModel model = read_model(
            std::string("ply\nformat ascii 1.0\ncomment TextureFile a picture.png\n"
                        "element camera 1\nproperty float a\nproperty list uchar int b\n"
                        "element face 2\nproperty uchar flags\n") +
            kFaceList + "element edge 2\nproperty int vertex1\nproperty int vertex2\n" +
            "element vertex 4\n" + kXyz + "element material 1\nproperty int red\nend_header \n" +
            "7 2 1 1\n9 4 0 1 2 3\n9 2 0 1\n0 1\n1 2\n" + kFourCorners + "5\n");
        CHECK(model.mesh.corners == std::vector<u32>{0, 1, 2, 0, 2, 3});
        CHECK(model.mesh.vertex_count() == 4);
        CHECK(model.pictures == std::vector<std::string>{"a picture.png"});
        CHECK(model.unread == std::vector<std::string>{"camera", "material"});
        CHECK(model.lines == 3);
        CHECK(model.points == 0);
        CHECK(model.colors.empty());
        CHECK(read_model(ascii_ply(kFourCorners, "")).points == 4);
    }

    TEST_CASE("faces are cut inside their outline, and convex quads from their first corner") {
        const std::string arrow = "0 0 0\n0.5 0.25 0\n1 0 0\n0.5 1 0\n";
        for (const char* face : {"4 0 1 2 3\n", "4 1 2 3 0\n", "4 2 3 0 1\n", "4 3 0 1 2\n"}) {
            const base::Result<MeshData> read = ply_of(ascii_ply(arrow, face));
            REQUIRE(read.is_ok());
            CHECK(area_of(read.value()) == 0.375);
        }
        const std::string corner = "0 0 0\n1 0 0\n1 0.5 0\n0.5 0.5 0\n0.5 1 0\n0 1 0\n";
        for (const char* face : {"6 0 1 2 3 4 5\n", "6 1 2 3 4 5 0\n", "6 4 5 0 1 2 3\n"}) {
            const base::Result<MeshData> read = ply_of(ascii_ply(corner, face));
            REQUIRE(read.is_ok());
            CHECK(read.value().corners.size() == 12);
            CHECK(area_of(read.value()) == 0.75);
        }
        const base::Result<MeshData> square =
            ply_of(ascii_ply(kFourCorners, "4 1 2 3 0\n3 0 1 2\n"));
        REQUIRE(square.is_ok());
        CHECK(square.value().corners == std::vector<u32>{1, 2, 3, 1, 3, 0, 0, 1, 2});
    }

    TEST_CASE("strips of triangles turn alternately and begin anew at -1") {
        const PlyModel model =
            read_model(std::string("ply\nformat ascii 1.0\nelement vertex 5\n") + kXyz +
                       "element tristrips 1\nproperty list int int vertex_indices\nend_header\n" +
                       "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n9 0 1 2 3 4 -1 1 3 2\n");
        CHECK(model.mesh.corners == std::vector<u32>{0, 1, 2, 2, 1, 3, 2, 3, 4, 1, 3, 2});
        CHECK(area_of(model.mesh) == 2);
        CHECK(model.points == 0);
    }

    TEST_CASE("colours of vertices are scaled by their type") {
        const auto colors_of =
            [](const std::string& type, const std::string& prefix, const std::string& row) {
                std::string properties;
                for (const char* const name : {"red", "green", "blue", "alpha"}) {
                    properties += "property " + type + " " + prefix + name + "\n";
                }
                const std::string vertices =
                    "0 0 0 " + row + "\n1 0 0 " + row + "\n1 1 0 " + row + "\n";
                return read_model(ascii_ply(vertices, "3 0 1 2\n", "", properties)).colors;
            };
        const std::vector<float> expected = {1, 0.2F, 0, 0.6F};
        const std::pair<const char*, const char*> rows[] = {{"uchar", "255 51 0 153"},
                                                            {"ushort", "65535 13107 0 39321"},
                                                            {"int", "255 51 0 153"},
                                                            {"float", "1 0.2 0 0.6"},
                                                            {"double", "1 0.2 0 0.6"}};
        for (const auto& [type, row] : rows) {
            for (const char* const prefix : {"", "diffuse_"}) {
                CAPTURE(type);
                std::vector<float> read = colors_of(type, prefix, row);
                REQUIRE(read.size() == 12);
                read.resize(4);
                CHECK(read == expected);
            }
        }
    }

    TEST_CASE("faces with uvs or colours of their own have vertices of their own") {
        const std::string uvs = "property list uchar float texcoord\n";
        const PlyModel model = read_model(ascii_ply(
            kFourCorners, "3 0 1 2 6 0 0 1 0 1 1\n3 0 2 3 6 0.5 0 1 1 0 1\n3 0 1 3 0\n", uvs));
        CHECK(model.mesh.corners == std::vector<u32>{0, 1, 2, 3, 4, 5, 6, 7, 8});
        CHECK(model.mesh.uvs ==
              std::vector<float>{0, 0, 1, 0, 1, 1, 0.5F, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0});
        CHECK(model.mesh.position(4) == math::Vec3{1, 1, 0});
        // A mesh that another scene file names keeps the vertices of the file.
        const base::Result<MeshData> mesh =
            ply_of(ascii_ply(kFourCorners, "3 0 1 2 6 0 0 1 0 1 1\n", uvs));
        REQUIRE(mesh.is_ok());
        CHECK(mesh.value().vertex_count() == 4);
        CHECK(mesh.value().uvs.empty());
        const std::string rgb = "property uchar red\nproperty uchar green\nproperty uchar blue\n";
        const PlyModel colored =
            read_model(ascii_ply(kFourCorners, "4 0 1 2 3 255 0 0\n3 0 1 2 0 255 0\n", rgb));
        CHECK(colored.mesh.vertex_count() == 9);
        CHECK(colored.colors[4 * 5] == 1);
        CHECK(colored.colors[4 * 6] == 0);
        CHECK(colored.colors[4 * 6 + 1] == 1);
        // Colours of vertices come before those of faces.
        const PlyModel both = read_model(
            ascii_ply("0 0 0 9 9 9\n1 0 0 9 9 9\n1 1 0 9 9 9\n", "3 0 1 2 255 0 0\n", rgb, rgb));
        CHECK(both.mesh.vertex_count() == 3);
        CHECK(both.colors[0] == 9 / 255.0F);
    }

    TEST_CASE("a model drops and counts the faces that a mesh is refused for") {
        const std::string text =
            ascii_ply("0 0 0\n1 0 0\n1 1 0\n0 nan 0\n", "3 0 1 2\n4 0 1 2 3\n5 0 1 2 1 9\n");
        const PlyModel model = read_model(text);
        CHECK(model.mesh.corners == std::vector<u32>{0, 1, 2});
        CHECK(model.dropped_triangles == 5);
        CHECK_FALSE(ply_of(text).is_ok());
        CHECK_FALSE(model_of("ply\nformat ascii 1.0\nend_header\n").is_ok());
    }

    TEST_CASE("counts beyond the file and corners beyond the vertices are told") {
        const std::string text = kAsciiSquare;
        const auto changed = [&](const std::string& from, const std::string& to) {
            std::string copy = text;
            copy.replace(copy.find(from), from.size(), to);
            const base::Result<MeshData> read = ply_of(copy);
            REQUIRE_FALSE(read.is_ok());
            return read.error().sentence;
        };
        CHECK(changed("vertex 4", "vertex 4000000000").find("ends before") != std::string::npos);
        CHECK(changed("vertex 4", "vertex 99999999999999999999").find("count") !=
              std::string::npos);
        CHECK(changed("face 1", "face 4").find("ends in row 2 of the 4") != std::string::npos);
        CHECK(changed("face 1", "face 400").find("ends before the 400") != std::string::npos);
        CHECK(changed("4 0 1 2 3", "4 0 1 2 7").find("corner 7") != std::string::npos);
        CHECK(changed("4 0 1 2 3", "4 0 1 -2 3").find("no vertex") != std::string::npos);
        CHECK(changed("1 1 0 0", "1e39 1 0 0").find("vertex 2") != std::string::npos);
        CHECK(changed("property float z", "property float w").find("x, y and z") !=
              std::string::npos);
        CHECK(changed("float nx", "flaot nx").find(":8:") != std::string::npos);
    }

    TEST_CASE("an OBJ shares vertices of the same corner and reads indices from the end") {
        const base::Result<MeshData> read = obj_of(
            "# a square\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
            "vt 0 0\nvt 1 1\nvn 0 0 3\nusemtl a\ns off\n"
            "f 1/1/1 2/2/1 3/2/1 4/1/1\nf -4/-2/-1 -2/-1/-1 -1/-2/-1\n");
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        CHECK(read.value().corners == std::vector<u32>{0, 1, 2, 0, 2, 3, 0, 2, 3});
        CHECK(read.value().vertex_count() == 4);
        CHECK(read.value().normals[2] == 1);
        CHECK(read.value().uvs.size() == 8);
        // A corner without a uv leaves them out.
        const base::Result<MeshData> some =
            obj_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2 3\n");
        REQUIRE(some.is_ok());
        CHECK(some.value().uvs.empty());
        CHECK(some.value().normals.empty());
    }

    TEST_CASE("faces of an OBJ may name later vertices and numbers need no leading zero") {
        const base::Result<MeshData> read =
            obj_of("f 1 2 3 # a comment\nv .5 +.5 -.5\nv 5. 0 \\\n 0\nv 0 1e0 1e-60\n");
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        CHECK(read.value().positions == std::vector<float>{.5F, .5F, -.5F, 5, 0, 0, 0, 1, 0});
        CHECK(read.value().corners == std::vector<u32>{0, 1, 2});
    }

    TEST_CASE("polygons of an OBJ are cut along their outline, quads from their first corner") {
        const auto mesh_of = [](const std::string& face) {
            const base::Result<MeshData> read =
                obj_of("v 0 0 0\nv 2 1 0\nv 4 0 0\nv 2 4 0\nv 0 4 0\nv 4 4 0\nv 5 2 0\n" + face);
            REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
            return read.value();
        };
        CHECK(mesh_of("f 1 3 6 5\n").corners == std::vector<u32>{0, 1, 2, 0, 2, 3});
        CHECK(mesh_of("f 1 3 7 6 5\n").corners.size() == 9);
        CHECK(area_of(mesh_of("f 1 3 7 6 5\n")) == 18);
        // Vertex 2 is the notch of the quad 1 2 3 4.
        for (const char* const face :
             {"f 1 2 3 4\n", "f 2 3 4 1\n", "f 3 4 1 2\n", "f 4 1 2 3\n"}) {
            CAPTURE(face);
            CHECK(area_of(mesh_of(face)) == 6);
        }
    }

    TEST_CASE("broken lines of an OBJ are told with their number") {
        const std::pair<const char*, const char*> cases[] = {{"v 0 0\n", ":1:"},
                                                             {"v 0 0 x\n", ":1:"},
                                                             {"v 0 0 1e999\n", ":1:"},
                                                             {"v 0 0 0\nf 1 2 3\n", ":2:"},
                                                             {"v 0 0 0\nf 0 1 1\n", ":2:"},
                                                             {"v 0 0 0\n\nf 1/1 1 1\n", ":3:"},
                                                             {"v 0 0 0\nf /1 1 1\n", ":2:"},
                                                             {"v 0 0 0\nf 1/ 1 -2\n", ":2:"}};
        for (const auto& [text, line] : cases) {
            CAPTURE(text);
            const base::Result<MeshData> read = obj_of(text);
            REQUIRE_FALSE(read.is_ok());
            CHECK(read.error().sentence.find(line) != std::string::npos);
        }
    }

    TEST_CASE("meshes beyond 32-bit indices are refused") {
        const Scene scene;
        CHECK(check_room(scene, "s", u64{kNone} - 1, 3).is_ok());
        CHECK_FALSE(check_room(scene, "s", kNone, 3).is_ok());
        const base::Status vertices = check_room(scene, "s", 3, u64{kNone} + 5);
        REQUIRE_FALSE(vertices.is_ok());
        CHECK(vertices.error().sentence.find("s: has") != std::string::npos);
    }

    TEST_CASE("smooth normals are means weighted by angles") {
        // A square of two triangles beside a square at a right angle: the shared edge lies between.
        MeshData mesh;
        mesh.positions = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1};
        mesh.corners = {0, 1, 2, 0, 2, 3, 0, 3, 5, 0, 5, 4};
        mesh.smooth_normals();
        const float half = std::sqrt(0.5F);
        CHECK(mesh.normals[0] == doctest::Approx(half));
        CHECK(mesh.normals[1] == doctest::Approx(0));
        CHECK(mesh.normals[2] == doctest::Approx(half));
        CHECK(mesh.normals[3 * 1 + 2] == 1);
    }

    TEST_CASE("meshes packed by gzip are unpacked and damaged ones told") {
        const Folder folder("mesh_gz");
        const std::string plain = folder.write("a.ply", kAsciiSquare);
        REQUIRE(std::system(("gzip -kn " + plain).c_str()) == 0);
        SizeRule size("scene");
        const base::Result<MeshData> read = read_ply_mesh(folder.file("a.ply.gz"), size);
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        CHECK(read.value().corners.size() == 6);
        std::string packed(std::filesystem::file_size(folder.file("a.ply.gz")), '\0');
        std::ifstream(folder.file("a.ply.gz"), std::ios::binary)
            .read(packed.data(), std::ssize(packed));
        const base::Result<MeshData> cut =
            read_ply_mesh(folder.write("b.ply", packed.substr(0, packed.size() / 2)), size);
        REQUIRE_FALSE(cut.is_ok());
        CHECK(cut.error().sentence.find("damaged") != std::string::npos);
    }
}
