// test_replace_mesh.cpp — a scene whose mesh was replaced has the arrays of a scene that was read
// as a whole.
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "engine/scene/gltf/replace_mesh.h"
#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// A zigzag of triangles; every vertex has a normal and a place in a picture.
std::size_t add_strip(Writer& writer, Json& attributes, u32 triangles, float height) {
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uvs;
    for (u32 k = 0; k < triangles + 2; ++k) {
        const float x = static_cast<float>(k);
        const float y = k % 2 == 0 ? 0.0F : height;
        positions.insert(positions.end(), {x, y, height});
        normals.insert(normals.end(), {0.0F, 0.0F, 1.0F});
        uvs.insert(uvs.end(), {x, y});
    }
    attributes = {{"POSITION", writer.add_vec3(positions)},
                  {"NORMAL", writer.add_vec3(normals)},
                  {"TEXCOORD_0", writer.add_vec2(uvs)}};
    std::vector<u32> indices;
    for (u32 k = 0; k < triangles; ++k) {
        indices.insert(indices.end(), {k, k + 1, k + 2});
    }
    return writer.add(indices, "SCALAR", 5125, indices.size());
}

void add_node(Writer& writer, const std::string& name, std::size_t mesh) {
    writer.json["nodes"].push_back({{"name", name}, {"mesh", mesh}});
    writer.json["scenes"][0]["nodes"].push_back(writer.json["nodes"].size() - 1);
}

// The mesh "Cloth" of two parts, the second brushed: with tangents; "Copy" shows the same arrays.
void add_cloth(Writer& writer, u32 triangles, float height, bool has_materials) {
    Json parts = Json::array();
    for (const u32 part : {0U, 1U}) {
        Json attributes;
        const std::size_t indices = add_strip(writer, attributes, triangles + part, height);
        parts.push_back({{"attributes", attributes}, {"indices", indices}});
        if (has_materials) {
            parts.back()["material"] = part;
        }
    }
    writer.json["meshes"].push_back({{"name", "Cloth"}, {"primitives", parts}});
    add_node(writer, "Cloth", writer.json["meshes"].size() - 1);
}

Writer room(u32 cloth_triangles, float cloth_height) {
    Writer writer;
    writer.json["scenes"][0]["nodes"] = Json::array();
    const Json brushed = {{"KHR_materials_anisotropy", {{"anisotropyStrength", 0.5}}}};
    writer.json["extensionsUsed"] = {"KHR_materials_anisotropy"};
    writer.json["materials"] = {{{"name", "plain"}},
                                {{"name", "brushed"}, {"extensions", brushed}}};
    for (const char* name : {"Floor", "Cloth", "Wall"}) {
        if (std::string(name) == "Cloth") {
            add_cloth(writer, cloth_triangles, cloth_height, true);
            continue;
        }
        Json attributes;
        const std::size_t indices = add_strip(writer, attributes, 4, 2);
        const Json part = {{"attributes", attributes}, {"indices", indices}, {"material", 1}};
        // Two meshes over the same arrays.
        for (const std::string& mesh : {std::string(name), name + std::string(" copy")}) {
            writer.json["meshes"].push_back({{"name", mesh}, {"primitives", {part}}});
            add_node(writer, mesh, writer.json["meshes"].size() - 1);
        }
    }
    return writer;
}

Writer cloth_alone(u32 triangles, float height) {
    Writer writer;
    writer.json["scenes"][0]["nodes"] = Json::array();
    add_cloth(writer, triangles, height, false);
    return writer;
}

void check_same_geometry(const Scene& a, const Scene& b) {
    CHECK(a.indices == b.indices);
    CHECK(a.positions == b.positions);
    CHECK(a.normals == b.normals);
    CHECK(a.tangents == b.tangents);
    CHECK(a.uvs == b.uvs);
    CHECK(a.colors == b.colors);
    REQUIRE(a.meshes.size() == b.meshes.size());
    for (u32 mesh = 0; mesh < a.meshes.size(); ++mesh) {
        CHECK(a.meshes[mesh].name == b.meshes[mesh].name);
        CHECK(a.meshes[mesh].material == b.meshes[mesh].material);
        CHECK(std::memcmp(&a.meshes[mesh].record,
                          &b.meshes[mesh].record,
                          sizeof(shaders::MeshRecord)) == 0);
    }
}

}  // namespace

TEST_SUITE("engine/scene/replace_mesh") {
    TEST_CASE("a replaced mesh leaves the arrays that a scene with it would have") {
        Scene scene = import_ok(room(5, 1), "replaced");
        REQUIRE(std::as_const(scene).tangents.size() > 0);
        for (const auto& [triangles, height] : {std::pair{9U, 1.5F}, {2U, 0.5F}, {5U, 3.0F}}) {
            const std::string path = cloth_alone(triangles, height).write("cloth.gltf");
            const base::Status status = replace_mesh(scene, "Cloth", path, {});
            REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
            check_same_geometry(scene, import_ok(room(triangles, height), "whole"));
        }
    }

    TEST_CASE("a mesh comes from a memory without a name") {
        const std::string text = cloth_alone(7, 2).with_buffer().dump();
        const int memory = ::memfd_create("cloth", MFD_CLOEXEC);
        REQUIRE(::write(memory, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
        Scene scene = import_ok(room(5, 1), "replaced");
        CHECK(replace_mesh(scene, "Cloth", "/proc/self/fd/" + std::to_string(memory), {}).is_ok());
        ::close(memory);
        check_same_geometry(scene, import_ok(room(7, 2), "whole"));
    }

    TEST_CASE("what does not fit is refused in a sentence and changes nothing") {
        const Scene before = import_ok(room(5, 1), "kept");
        const std::string cloth = cloth_alone(3, 1).write("cloth.gltf");
        const std::vector<std::array<std::string, 3>> wrong = {
            {"Curtain", cloth, "mesh \"Curtain\": the scene has none of this name"},
            {"Wall", cloth, cloth + ": has 2 parts with triangles, expected 1"},
            {"Cloth", "/no/such.glb", "/no/such.glb"},
            {"Cloth", room(5, 1).write("kept.gltf"), ": has 6 parts with triangles, expected 2"}};
        for (const auto& [name, path, sentence] : wrong) {
            Scene scene = before;
            const base::Status status = replace_mesh(scene, name, path, {});
            REQUIRE(!status.is_ok());
            CHECK_MESSAGE(contains(status.error().sentence, sentence), status.error().sentence);
            check_same_geometry(scene, before);
        }
    }
}
