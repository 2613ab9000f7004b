// test_mesh_files.cpp — meshes of PLY and OBJ files, their normals and their limits.
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
        CHECK(changed("face 1", "face 4").find("ends before") != std::string::npos);
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
