// test_gltf_broken.cpp — broken files end with a sentence, never with a crash.
#include <random>

#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// GLB of one JSON chunk and, if not empty, one BIN chunk.
std::string glb(std::string json, const std::vector<u8>& binary) {
    const auto append_u32 = [](std::string& text, std::size_t value) {
        for (int i = 0; i < 4; ++i) {
            text.push_back(static_cast<char>(value >> (8 * i) & 255));
        }
    };
    while (json.size() % 4 != 0) {
        json.push_back(' ');
    }
    std::string bytes = "glTF";
    append_u32(bytes, 2);
    append_u32(bytes, 12 + 8 + json.size() + (binary.empty() ? 0 : 8 + binary.size()));
    append_u32(bytes, json.size());
    bytes += "JSON" + json;
    if (!binary.empty()) {
        append_u32(bytes, binary.size());
        bytes += std::string("BIN\0", 4) + std::string(binary.begin(), binary.end());
    }
    return bytes;
}

std::string triangle_glb() {
    Writer writer;
    writer.add_triangle();
    writer.json["buffers"] = {{{"byteLength", writer.buffer.size()}}};
    return glb(writer.json.dump(), writer.buffer);
}

std::string error_of_text(const std::string& text) {
    const std::string path = scratch_path("broken.gltf");
    write_bytes(path, text);
    return import_error(path);
}

// The sentence after one property of a good document was replaced.
std::string error_after(const char* pointer, const Json& value) {
    Writer writer;
    writer.add_triangle();
    writer.json["materials"] = {{{"normalTexture", {{"index", 0}}}}};
    writer.json["textures"] = Json::array({Json::object()});
    writer.json = writer.with_buffer();
    writer.json[Json::json_pointer(pointer)] = value;
    return import_error(writer, "broken_property");
}

}  // namespace

TEST_SUITE("engine/scene/gltf_broken") {
    TEST_CASE("a GLB cut anywhere is refused or read as a whole") {
        const std::string whole = triangle_glb();
        const std::string path = scratch_path("cut.glb");
        write_bytes(path, whole);
        CHECK(scene_size(import_ok(path)).triangles == 1);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            write_bytes(path, whole.substr(0, size));
            import_error(path);
        }
        write_bytes(path, whole + "trailing bytes");
        CHECK(scene_size(import_ok(path)).triangles == 1);
    }

    TEST_CASE("a GLB with a scrambled header ends in a scene or a sentence") {
        const std::string whole = triangle_glb();
        const std::string path = scratch_path("scrambled.glb");
        int refused = 0;
        for (std::size_t at = 0; at < 20; ++at) {
            for (const char value : {'\0', '\1', '\x7f', '\xff'}) {
                std::string broken = whole;
                broken[at] = value;
                write_bytes(path, broken);
                Scene scene;
                const base::Status status = import_gltf(path, {}, scene);
                refused += status.is_ok() ? 0 : 1;
            }
        }
        CHECK(refused > 40);
    }

    TEST_CASE("JSON mutated at random ends in a scene or a sentence") {
        std::mt19937 random(11);
        Writer writer;
        writer.add_triangle();
        const std::string whole = writer.with_buffer().dump();
        const std::string path = scratch_path("mutated.gltf");
        const std::string letters = "0123456789-.eE\"{}[],:ntf ";
        int ends = 0;
        for (int round = 0; round < 600; ++round) {
            std::string broken = whole;
            for (u32 hit = 0; hit < 1 + random() % 3; ++hit) {
                broken[random() % broken.size()] = letters[random() % letters.size()];
            }
            write_bytes(path, broken);
            Scene scene;
            const base::Status status = import_gltf(path, {}, scene);
            REQUIRE((status.is_ok() || contains(status.error().sentence, path)));
            ++ends;
        }
        CHECK(ends == 600);
    }

    TEST_CASE("what is no glTF is refused with the file's name") {
        CHECK(contains(error_of_text(""), "no JSON"));
        CHECK(contains(error_of_text("[1, 2]"), "expected an object"));
        CHECK(contains(error_of_text("{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [,]}"),
                       "no JSON"));
        CHECK(contains(error_of_text("{}"), "/asset is missing"));
        CHECK(contains(error_of_text(R"({"asset": {"version": "1.0"}})"), "/asset/version"));
        CHECK(contains(error_of_text(std::string(100000, '[')), "deeper than 96"));
        CHECK(contains(error_of_text(R"({"asset": {"version": "2.0", "x": )" +
                                     std::string(5000, '[') + std::string(5000, ']') + "}}"),
                       "deeper than 96"));
        CHECK(contains(import_error(scratch_path("is_not_there.gltf")), "no such file"));
    }

    TEST_CASE("required extensions that are not understood are named") {
        Writer writer;
        writer.json["extensionsRequired"] = {
            "KHR_texture_basisu", "KHR_texture_transform", "ACME_glow"};
        CHECK(contains(import_error(writer, "required"), "KHR_texture_basisu, ACME_glow"));
    }

    TEST_CASE("a property of the wrong type or out of range is named by its JSON pointer") {
        const std::pair<const char*, Json> wrong[] = {
            {"/nodes/0/mesh", 7},
            {"/nodes/0/mesh", -1},
            {"/nodes/0/mesh", "0"},
            {"/nodes/0/mesh", 0.5},
            {"/nodes/0/children", {0, 9}},
            {"/nodes/0/matrix", {1, 2, 3}},
            {"/nodes/0/name", 42},
            {"/nodes/0/skin", 0},
            {"/nodes/0", "node"},
            {"/scene", 3},
            {"/scenes/0/nodes/0", 99},
            {"/meshes/0/primitives/0/attributes/POSITION", 5},
            {"/meshes/0/primitives/0/indices", 1},
            {"/meshes/0/primitives/0/material", 4},
            {"/accessors/0/componentType", 5130},
            {"/accessors/0/componentType", 5124},
            {"/accessors/0/type", "VEC9"},
            {"/accessors/0/count", -3},
            {"/accessors/0/bufferView", 12},
            {"/bufferViews/0/buffer", 1},
            {"/bufferViews/0/byteStride", 4096},
            {"/buffers/0/byteLength", 1000000},
            {"/buffers/0/uri", "data:application/octet-stream;base64,!!!!"},
            {"/buffers/0/uri", "nowhere.bin"},
            {"/buffers/0/uri", "https://example.com/a.bin"},
            {"/materials/0/normalTexture/index", 3},
            {"/materials/0/normalTexture/scale", "big"},
            {"/cameras", {{{"type", "fisheye"}}}},
        };
        for (const auto& [pointer, value] : wrong) {
            CAPTURE(pointer);
            CAPTURE(value.dump());
            CHECK(contains(error_after(pointer, value), pointer));
        }
    }

    TEST_CASE("an integer written as a float is an integer") {
        Writer writer;
        writer.add_triangle();
        writer.json["nodes"][0]["mesh"] = 0.0;
        CHECK(import_ok(writer, "float_integer").instances.size() == 1);
    }

    TEST_CASE(
        "accessors that reach past their view are refused whatever their numbers overflow to") {
        const std::pair<const char*, Json> wrong[] = {
            {"count", 4},
            {"count", 1000000000000},
            {"count", 9007199254740992},
            {"byteOffset", 4},
            {"byteOffset", 9007199254740992},
        };
        for (const auto& [key, value] : wrong) {
            CAPTURE(key);
            Writer writer;
            writer.add_triangle();
            writer.json["accessors"][0][key] = value;
            CHECK(contains(import_error(writer, "past_view"), "/accessors/0"));
        }
        Writer view;
        view.add_triangle();
        view.json["bufferViews"][0]["byteOffset"] = 9007199254740992;
        CHECK(contains(import_error(view, "past_buffer"), "/bufferViews/0"));
        Writer zeros;
        zeros.add_triangle();
        zeros.json["accessors"][0].erase("bufferView");
        zeros.json["accessors"][0]["count"] = 4000000000;
        CHECK(contains(import_error(zeros, "many_zeros"), "/accessors/0/count"));
    }

    TEST_CASE("sparse parts that name missing elements or views are refused") {
        const auto sparse = [](u64 count, u16 index, int component) {
            Writer writer;
            writer.add_triangle();
            const std::vector<u16> where = {index, 0};
            const std::vector<float> what = {1, 1, 1};
            const std::size_t where_view = writer.add_view(where.data(), 4);
            const std::size_t what_view = writer.add_view(what.data(), 12);
            writer.json["accessors"][0]["sparse"] = {
                {"count", count},
                {"indices", {{"bufferView", where_view}, {"componentType", component}}},
                {"values", {{"bufferView", what_view}}}};
            return writer;
        };
        CHECK(import_ok(sparse(1, 2, 5123), "sparse_good").instances.size() == 1);
        CHECK(contains(import_error(sparse(1, 3, 5123), "sparse_index"),
                       "/accessors/0/sparse/indices"));
        CHECK(contains(import_error(sparse(4, 0, 5123), "sparse_count"),
                       "/accessors/0/sparse/count"));
        CHECK(contains(import_error(sparse(2, 0, 5123), "sparse_values"),
                       "/accessors/0/sparse/values"));
        CHECK(contains(import_error(sparse(1, 0, 5126), "sparse_type"),
                       "/accessors/0/sparse/indices/componentType"));
    }

    TEST_CASE("a view that nothing reads may be broken") {
        Writer writer;
        writer.add_triangle();
        writer.json["bufferViews"].push_back({{"buffer", 0}, {"byteLength", 4096}});
        CHECK(import_ok(writer, "unused_view").instances.size() == 1);
    }
}
