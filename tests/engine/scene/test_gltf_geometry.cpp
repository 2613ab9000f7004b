// test_gltf_geometry.cpp — accessors and primitives of small documents.
#include <limits>

#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

TEST_SUITE("engine/scene/gltf_geometry") {
    TEST_CASE("a triangle without indices keeps the order of its vertices") {
        Writer writer;
        writer.add_triangle();
        const Scene scene = import_ok(writer, "plain");
        REQUIRE(scene.meshes.size() == 1);
        CHECK(scene_size(scene).triangles == 1);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
        CHECK(scene.meshes[0].record.first_normal == kNone);
        CHECK(scene.meshes[0].record.first_uv0 == kNone);
        CHECK(scene.meshes[0].record.first_color == kNone);
        CHECK(scene.meshes[0].material == 0);
        const auto bounds = scene_bounds(scene);
        CHECK(bounds.low == math::Vec3{0, 0, 0});
        CHECK(bounds.high == math::Vec3{1, 1, 0});
    }

    TEST_CASE("C4b indices of 8 and 16 and 32 bits say the same") {
        for (const int type : {5121, 5123, 5125}) {
            CAPTURE(type);
            Writer writer;
            const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5});
            const std::vector<u8> bytes = {3, 1, 2};
            const std::vector<u16> words = {3, 1, 2};
            const std::vector<u32> longs = {3, 1, 2};
            const std::size_t indices = type == 5121   ? writer.add(bytes, "SCALAR", type, 3)
                                        : type == 5123 ? writer.add(words, "SCALAR", type, 3)
                                                       : writer.add(longs, "SCALAR", type, 3);
            writer.add_mesh({{"attributes", {{"POSITION", positions}}}, {"indices", indices}});
            const Scene scene = import_ok(writer, "indices");
            CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 5, 1, 0, 0, 0, 1, 0});
        }
    }

    TEST_CASE("C5 primitives draw with the buffer that was read for their index accessor") {
        Writer writer;
        const std::vector<u16> backward = {2, 1, 0};
        const std::vector<u8> turned = {1, 2, 0};
        const std::size_t shared = writer.add(backward, "SCALAR", 5123, 3);
        const std::size_t other = writer.add(turned, "SCALAR", 5121, 3);
        for (const float x : {1.0F, 2.0F, 3.0F}) {
            const std::size_t positions = writer.add_vec3({x, 0, 0, x, 1, 0, x, 0, 1});
            writer.add_mesh({{"attributes", {{"POSITION", positions}}},
                             {"indices", x == 2.0F ? other : shared}});
        }
        writer.json["nodes"] = {{{"mesh", 0}}, {{"mesh", 1}}, {{"mesh", 2}}};
        writer.json["scenes"][0]["nodes"] = {0, 1, 2};
        const Scene scene = import_ok(writer, "shared_indices");
        REQUIRE(scene.instances.size() == 3);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{1, 0, 1, 1, 1, 0, 1, 0, 0});
        CHECK(corners_of(scene, 1, 0) == std::vector<float>{2, 1, 0, 2, 0, 1, 2, 0, 0});
        CHECK(corners_of(scene, 2, 0) == std::vector<float>{3, 0, 1, 3, 1, 0, 3, 0, 0});
    }

    TEST_CASE("C4b strips and fans become the lists that the specification draws") {
        struct Expected {
            int mode;
            std::vector<u32> indices;
        };

        const Expected rows[] = {
            {4, {0, 1, 2}}, {5, {0, 1, 2, 1, 3, 2, 2, 3, 4}}, {6, {1, 2, 0, 2, 3, 0, 3, 4, 0}}};
        for (const Expected& row : rows) {
            CAPTURE(row.mode);
            Writer writer;
            const std::size_t positions =
                writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 2, 0});
            writer.add_mesh({{"attributes", {{"POSITION", positions}}}, {"mode", row.mode}});
            CHECK(import_ok(writer, "modes").indices == row.indices);
        }
    }

    TEST_CASE("points, lines and unknown modes are left out with a note") {
        for (const int mode : {0, 1, 2, 3}) {
            Writer writer;
            writer.add_triangle();
            writer.json["meshes"][0]["primitives"][0]["mode"] = mode;
            const Scene scene = import_ok(writer, "lines");
            CHECK(scene.instances.empty());
            CHECK(has_note(scene, Note::Kind::Ignored, "points or lines"));
        }
        Writer writer;
        writer.add_triangle();
        writer.json["meshes"][0]["primitives"][0]["mode"] = 9;
        const Scene scene = import_ok(writer, "unknown_mode");
        CHECK(scene.instances.empty());
        CHECK(has_note(scene, Note::Kind::Ignored, "its mode is unknown (mode 9)"));
        CHECK_FALSE(has_note(scene, Note::Kind::Ignored, "points or lines"));
    }

    TEST_CASE("interleaved vertices are read with their stride") {
        Writer writer;
        const std::vector<float> rows = {0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1};
        const std::size_t view = writer.add_view(rows.data(), rows.size() * 4, 24);
        writer.json["accessors"] = {
            {{"bufferView", view}, {"componentType", 5126}, {"count", 3}, {"type", "VEC3"}},
            {{"bufferView", view},
             {"byteOffset", 12},
             {"componentType", 5126},
             {"count", 3},
             {"type", "VEC3"}}};
        writer.add_mesh({{"attributes", {{"POSITION", 0}, {"NORMAL", 1}}}});
        const Scene scene = import_ok(writer, "interleaved");
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
        CHECK(rows_of(scene.normals, scene.meshes[0].record.first_normal, 3, 3) ==
              std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1});
    }

    TEST_CASE("quantized positions and normals keep the values that the extension gives them") {
        Writer writer;
        const std::vector<std::int16_t> positions = {0, 0, 0, 0, 100, 0, 0, 0, 0, -200, 0, 0};
        const std::size_t p_view = writer.add_view(positions.data(), positions.size() * 2, 8);
        const std::vector<std::int8_t> normals = {0, 0, 127, 0, 0, 0, 127, 0, 0, 0, -128, 0};
        const std::size_t n_view = writer.add_view(normals.data(), normals.size(), 4);
        const std::vector<u16> uvs = {0, 65535, 32768, 0, 65535, 65535};
        writer.json["accessors"] = {
            {{"bufferView", p_view}, {"componentType", 5122}, {"count", 3}, {"type", "VEC3"}},
            {{"bufferView", n_view},
             {"componentType", 5120},
             {"count", 3},
             {"type", "VEC3"},
             {"normalized", true}}};
        const std::size_t uv = writer.add(uvs, "VEC2", 5123, 3, true);
        writer.json["extensionsRequired"] = {"KHR_mesh_quantization"};
        writer.add_mesh({{"attributes", {{"POSITION", 0}, {"NORMAL", 1}, {"TEXCOORD_0", uv}}}});
        const Scene scene = import_ok(writer, "quantized");
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0, 100, 0, 0, 0, -200, 0});
        CHECK(rows_of(scene.normals, scene.meshes[0].record.first_normal, 3, 3) ==
              std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, -1});
        CHECK(rows_of(scene.uvs, scene.meshes[0].record.first_uv0, 2, 3) ==
              std::vector<float>{0, 1, 32768.0f / 65535.0f, 0, 1, 1});
    }

    TEST_CASE(
        "a sparse accessor replaces the elements it names and starts from zeros without a view") {
        Writer writer;
        const std::vector<u16> where = {1, 2};
        const std::vector<float> what = {1, 0, 0, 0, 1, 0};
        const std::size_t where_view = writer.add_view(where.data(), 4);
        const std::size_t what_view = writer.add_view(what.data(), 24);
        writer.json["accessors"] = {
            {{"componentType", 5126},
             {"count", 3},
             {"type", "VEC3"},
             {"sparse",
              {{"count", 2},
               {"indices", {{"bufferView", where_view}, {"componentType", 5123}}},
               {"values", {{"bufferView", what_view}}}}}}};
        writer.add_mesh({{"attributes", {{"POSITION", 0}}}});
        CHECK(corners_of(import_ok(writer, "sparse"), 0, 0) ==
              std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
    }

    TEST_CASE("sparse indices replace the ones they name") {
        Writer writer;
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 5});
        const std::size_t indices = writer.add(std::vector<u16>{0, 1, 2}, "SCALAR", 5123, 3);
        const std::vector<u16> where = {2};
        const std::vector<u16> what = {3};
        const std::size_t where_view = writer.add_view(where.data(), 2);
        const std::size_t what_view = writer.add_view(what.data(), 2);
        writer.json["accessors"][indices]["sparse"] = {
            {"count", 1},
            {"indices", {{"bufferView", where_view}, {"componentType", 5123}}},
            {"values", {{"bufferView", what_view}}}};
        writer.add_mesh({{"attributes", {{"POSITION", positions}}}, {"indices", indices}});
        CHECK(corners_of(import_ok(writer, "sparse_indices"), 0, 0) ==
              std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0, 5});
    }

    TEST_CASE("indices without a bufferView are zeros but for what their sparse part names") {
        Writer writer;
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
        const std::vector<u16> where = {1, 2};
        const std::vector<u16> what = {1, 2};
        const std::size_t where_view = writer.add_view(where.data(), 4);
        const std::size_t what_view = writer.add_view(what.data(), 4);
        writer.json["accessors"].push_back(
            {{"componentType", 5123},
             {"count", 3},
             {"type", "SCALAR"},
             {"sparse",
              {{"count", 2},
               {"indices", {{"bufferView", where_view}, {"componentType", 5123}}},
               {"values", {{"bufferView", what_view}}}}}});
        writer.add_mesh({{"attributes", {{"POSITION", positions}}}, {"indices", 1}});
        CHECK(corners_of(import_ok(writer, "implied_indices"), 0, 0) ==
              std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
    }

    TEST_CASE("vertex colours of bytes and shorts and floats with three or four components agree") {
        const auto colors_of = [](Writer& writer, std::size_t accessor) {
            writer.add_mesh({{"attributes",
                              {{"POSITION", writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0})},
                               {"COLOR_0", accessor}}}});
            const Scene scene = import_ok(writer, "colors");
            return rows_of(scene.colors, scene.meshes[0].record.first_color, 4, 3);
        };
        const std::vector<float> white_red_blue = {1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1};
        Writer bytes;
        const std::vector<u8> rgba8 = {255, 255, 255, 255, 255, 0, 0, 255, 0, 0, 255, 255};
        CHECK(colors_of(bytes, bytes.add(rgba8, "VEC4", 5121, 3, true)) == white_red_blue);
        Writer shorts;
        const std::vector<u16> rgba16 = {
            65535, 65535, 65535, 65535, 65535, 0, 0, 65535, 0, 0, 65535, 65535};
        CHECK(colors_of(shorts, shorts.add(rgba16, "VEC4", 5123, 3, true)) == white_red_blue);
        Writer floats;
        CHECK(colors_of(floats, floats.add_vec3({1, 1, 1, 1, 0, 0, 0, 0, 1})) == white_red_blue);
    }

    TEST_CASE("both uv sets arrive") {
        Writer writer;
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
        const std::size_t uv0 = writer.add_vec2({0, 0, 1, 0, 0, 1});
        const std::size_t uv1 = writer.add_vec2({5, 5, 6, 5, 5, 6});
        writer.add_mesh(
            {{"attributes", {{"POSITION", positions}, {"TEXCOORD_0", uv0}, {"TEXCOORD_1", uv1}}}});
        const Scene scene = import_ok(writer, "uvs");
        CHECK(rows_of(scene.uvs, scene.meshes[0].record.first_uv0, 2, 3) ==
              std::vector<float>{0, 0, 1, 0, 0, 1});
        CHECK(rows_of(scene.uvs, scene.meshes[0].record.first_uv1, 2, 3) ==
              std::vector<float>{5, 5, 6, 5, 5, 6});
    }

    TEST_CASE("default morph weights move vertices and the node's weights win over the mesh's") {
        Writer writer;
        writer.add_triangle();
        const std::size_t delta = writer.add_vec3({0, 0, 2, 0, 0, 0, 0, 0, 0});
        writer.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", delta}}};
        writer.json["meshes"][0]["weights"] = {0.5};
        writer.json["nodes"] = {{{"mesh", 0}}, {{"mesh", 0}, {"weights", {1.0}}}};
        writer.json["scenes"][0]["nodes"] = {0, 1};
        const Scene scene = import_ok(writer, "morph");
        REQUIRE(scene.meshes.size() == 2);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0});
        CHECK(corners_of(scene, 1, 0) == std::vector<float>{0, 0, 2, 1, 0, 0, 0, 1, 0});
    }

    TEST_CASE("a morph target's colours are ignored with a note") {
        Writer writer;
        writer.add_triangle();
        const std::size_t colors = writer.add_vec3({1, 0, 0, 1, 0, 0, 1, 0, 0});
        const std::size_t delta = writer.add_vec3({0, 1, 0, 0, 1, 0, 0, 1, 0});
        Json& primitive = writer.json["meshes"][0]["primitives"][0];
        primitive["attributes"]["COLOR_0"] = colors;
        primitive["targets"] = {{{"COLOR_0", delta}}};
        writer.json["meshes"][0]["weights"] = {1.0};
        const Scene scene = import_ok(writer, "morph_color");
        CHECK(rows_of(scene.colors, scene.meshes[0].record.first_color, 4, 1) ==
              std::vector<float>{1, 0, 0, 1});
        CHECK(has_note(
            scene, Note::Kind::Ignored, "mesh 0 primitive 0: morph target 0's COLOR_0 left out"));
    }

    TEST_CASE(
        "a skin at rest puts vertices where its joints say and ignores the mesh node's transform") {
        Writer writer;
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
        const std::vector<u8> joints = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0};
        const std::vector<float> weights = {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0};
        const std::size_t j = writer.add(joints, "VEC4", 5121, 3);
        const std::size_t w = writer.add(weights, "VEC4", 5126, 3);
        // Inverse bind matrices: joint 0 none, joint 1 moves by (0, 0, −1).
        std::vector<float> bind = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0,  1,
                                   1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -1, 1};
        const std::size_t ibm = writer.add(bind, "MAT4", 5126, 2);
        writer.json["nodes"] = {{{"mesh", 0}, {"skin", 0}, {"translation", {100, 0, 0}}},
                                {{"translation", {0, 10, 0}}, {"children", {2}}},
                                {{"translation", {0, 0, 4}}}};
        writer.json["skins"] = {{{"joints", {1, 2}}, {"inverseBindMatrices", ibm}}};
        writer.json["scenes"][0]["nodes"] = {0, 1};
        writer.add_mesh(
            {{"attributes", {{"POSITION", positions}, {"JOINTS_0", j}, {"WEIGHTS_0", w}}}});
        const Scene scene = import_ok(writer, "skin");
        // Joint 0 adds (0, 10, 0), joint 1 adds (0, 10, 3).
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 10, 0, 1, 10, 3, 0, 11, 1.5f});
        CHECK(scene.instances[0].object_to_world == math::kIdentity);
    }

    TEST_CASE("vertices without weights, or with weights for missing joints, are noted") {
        Writer writer;
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0});
        // Vertex 0 has no weight, half of vertex 1 is for a joint that the skin lacks, and all of
        // vertex 2.
        const std::vector<u8> joints = {1, 0, 0, 0, 1, 9, 0, 0, 2, 0, 0, 0};
        const std::vector<float> weights = {0, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0};
        writer.add_mesh({{"attributes",
                          {{"POSITION", positions},
                           {"JOINTS_0", writer.add(joints, "VEC4", 5121, 3)},
                           {"WEIGHTS_0", writer.add(weights, "VEC4", 5126, 3)}}}});
        writer.json["nodes"] = {{{"mesh", 0}, {"skin", 0}, {"translation", {100, 0, 0}}},
                                {{"translation", {0, 10, 0}}},
                                {{"translation", {0, 0, 4}}}};
        writer.json["skins"] = {{{"joints", {1, 2}}}};
        writer.json["scenes"][0]["nodes"] = {0, 1, 2};
        const Scene scene = import_ok(writer, "bad_weights");
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 10, 0, 1, 0, 4, 0, 11, 0});
        CHECK(has_note(scene,
                       Note::Kind::Repaired,
                       "primitive 0: 1 vertices have no weights, they follow the first joint of "
                       "their skin"));
        CHECK(has_note(scene,
                       Note::Kind::Repaired,
                       "primitive 0: 2 vertices have weights for joints beyond the 2 of their "
                       "skin, those weights are left out"));
        // A primitive without the attributes has vertices without weights.
        writer.json["meshes"][0]["primitives"][0]["attributes"] = {{"POSITION", positions}};
        const Scene plain = import_ok(writer, "no_weights");
        CHECK(corners_of(plain, 0, 0) == std::vector<float>{0, 10, 0, 1, 10, 0, 0, 11, 0});
        CHECK(has_note(plain, Note::Kind::Repaired, "primitive 0: 3 vertices have no weights"));
    }

    TEST_CASE("a skin without joints is left out with a note, and the node places the mesh") {
        Writer writer;
        writer.add_triangle();
        writer.json["nodes"] = {{{"mesh", 0}, {"skin", 0}, {"translation", {100, 0, 0}}}};
        writer.json["skins"] = {{{"joints", Json::array()}}};
        const Scene scene = import_ok(writer, "no_joints");
        REQUIRE(scene.instances.size() == 1);
        CHECK(scene.instances[0].object_to_world[3] == 100);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
        CHECK(has_note(scene, Note::Kind::Repaired, "/skins/0 has no joints and is left out"));
    }

    TEST_CASE("triangles with infinite corners or missing vertices are left out and counted") {
        Writer writer;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const std::size_t positions = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, nan, 0, 0});
        const std::vector<u16> indices = {0, 1, 2, 0, 1, 3, 0, 1, 77};
        writer.add_mesh({{"attributes", {{"POSITION", positions}}},
                         {"indices", writer.add(indices, "SCALAR", 5123, 9)}});
        const Scene scene = import_ok(writer, "bad_triangles");
        CHECK(scene_size(scene).triangles == 1);
        CHECK(corners_of(scene, 0, 0) == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
        CHECK(has_note(
            scene, Note::Kind::Repaired, "1 triangles left out, a position is not finite"));
        CHECK(has_note(scene, Note::Kind::Repaired, "1 triangles left out, their indices"));
        for (const float value : scene.positions) {
            CHECK(value - value == 0.0f);
        }
    }

    TEST_CASE("primitives that share vertices keep only the part that each uses") {
        Writer writer;
        const std::size_t positions =
            writer.add_vec3({9, 9, 9, 0, 0, 0, 8, 8, 8, 1, 0, 0, 0, 1, 0});
        const std::size_t uvs = writer.add_vec2({9, 9, 0, 0, 8, 8, 1, 0, 0, 1});
        const std::vector<u16> indices = {4, 1, 3};
        writer.add_mesh({{"attributes", {{"POSITION", positions}, {"TEXCOORD_0", uvs}}},
                         {"indices", writer.add(indices, "SCALAR", 5123, 3)}});
        const Scene scene = import_ok(writer, "part");
        CHECK(scene.positions == std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
        CHECK(scene.uvs == std::vector<float>{0, 0, 1, 0, 0, 1});
        CHECK(scene.indices == std::vector<u32>{2, 0, 1});
    }

    TEST_CASE("an attribute of another length than the positions is left out with a note") {
        Writer writer;
        writer.add_triangle();
        writer.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
            writer.add_vec3({0, 0, 1});
        const Scene scene = import_ok(writer, "short_normals");
        CHECK(scene.meshes[0].record.first_normal == kNone);
        CHECK(has_note(scene, Note::Kind::Repaired, "NORMAL left out"));
    }
}
