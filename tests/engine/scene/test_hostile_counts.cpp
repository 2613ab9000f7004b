// test_hostile_counts.cpp — small files that claim very many elements, nodes or bytes: each ends
// with a scene or one sentence, within the memory that a file of its size may take.
#include <cmath>
#include <cstring>

#include "scheduler/base/memory_limit.h"
#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// A file may become 512 MiB and 256 times its bytes (engine/scene/README.md), and all of these are
// small. The rest is room for the allocator and the sanitizers.
constexpr u64 kMostGrowth = u64{1} << 30;

std::string written(const std::string& name, const std::string& bytes) {
    const std::string path = scratch_path(name);
    write_bytes(path, bytes);
    return path;
}

// Imports the file; returns its sentence, or an empty text for a scene whose numbers are checked.
std::string end_of(const std::string& path) {
    const u64 before = base::resident_bytes();
    auto scene = import_scene({path}, {});
    CHECK(base::resident_bytes() < before + kMostGrowth);
    if (scene.is_ok()) {
        complete_scene(scene.value());
        return "";
    }
    CHECK(scene.error().kind == base::ErrorKind::Scene);
    CHECK(scene.error().sentence.starts_with(path));
    CHECK(scene.error().sentence.find('\n') == std::string::npos);
    return scene.error().sentence;
}

bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

Json accessor_without_view(u64 count, const char* type) {
    return {{"componentType", 5126}, {"count", count}, {"type", type}};
}

// One node that shows a triangle, with the root's number of children doubled at each level below.
Writer doubling_nodes(u32 levels) {
    Writer writer;
    writer.add_triangle();
    Json nodes = Json::array();
    for (u32 k = 0; k < levels; ++k) {
        nodes.push_back({{"children", {2 * k + 2, 2 * k + 3}}});
        nodes.push_back({{"children", {2 * k + 2, 2 * k + 3}}});
    }
    nodes.push_back({{"mesh", 0}});
    nodes.push_back({{"mesh", 0}});
    writer.json["nodes"] = nodes;
    return writer;
}

}  // namespace

TEST_SUITE("engine/scene/hostile_counts") {
    TEST_CASE("accessors of a thousand million elements without bytes are refused") {
        for (const char* attribute : {"POSITION", "NORMAL", "TEXCOORD_0", "COLOR_0"}) {
            CAPTURE(attribute);
            Writer writer;
            writer.add_triangle();
            const bool is_pair = std::string(attribute) == "TEXCOORD_0";
            writer.json["accessors"].push_back(
                accessor_without_view(1000000000, is_pair ? "VEC2" : "VEC3"));
            writer.json["meshes"][0]["primitives"][0]["attributes"][attribute] = 1;
            const std::string sentence = end_of(writer.write("many_elements.gltf"));
            // Another attribute than the positions may be left out instead.
            CHECK((std::string(attribute) != "POSITION" || !sentence.empty()));
        }
    }

    TEST_CASE("sparse accessors and indices and morph targets of a thousand million are refused") {
        Writer writer;
        writer.add_triangle();
        writer.json["accessors"].push_back(accessor_without_view(1000000000, "VEC3"));
        writer.json["accessors"].push_back(
            {{"componentType", 5125}, {"count", 999999999}, {"type", "SCALAR"}});
        Json& primitive = writer.json["meshes"][0]["primitives"][0];
        primitive["indices"] = 2;
        CHECK(!end_of(writer.write("many_indices.gltf")).empty());
        primitive.erase("indices");
        primitive["targets"] = {{{"POSITION", 1}}};
        writer.json["meshes"][0]["weights"] = {1};
        end_of(writer.write("many_targets.gltf"));
        primitive["targets"] = {{{"POSITION", 7}}};
        CHECK(has_part(end_of(writer.write("no_target.gltf")), "/targets/0/POSITION"));
    }

    TEST_CASE("a thousand million instances of few bytes are refused") {
        Writer writer;
        writer.add_triangle();
        writer.json["accessors"].push_back(accessor_without_view(1000000000, "VEC3"));
        writer.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {
            {"TRANSLATION", 1}};
        writer.json["extensionsUsed"] = {"EXT_mesh_gpu_instancing"};
        CHECK(!end_of(writer.write("many_instances.gltf")).empty());
    }

    TEST_CASE("nodes that double at each of sixty levels end soon") {
        end_of(doubling_nodes(60).write("doubling.gltf"));
    }

    TEST_CASE("strides beyond what glTF allows are refused with their pointer") {
        for (const Json& stride : {Json(-4), Json(256), Json(1e20)}) {
            CAPTURE(stride.dump());
            Writer writer;
            writer.add_triangle();
            writer.json["bufferViews"][0]["byteStride"] = stride;
            CHECK(has_part(end_of(writer.write("stride.gltf")), "/bufferViews/0/byteStride"));
        }
    }

    TEST_CASE("a hundred thousand brackets or members are no stack overflow") {
        const std::string deep(100000, '[');
        CHECK(!end_of(written("open.gltf", deep)).empty());
        CHECK(!end_of(written("closed.gltf",
                              R"({"asset":{"version":"2.0"},"extras":)" + deep +
                                  std::string(deep.size(), ']') + "}"))
                   .empty());
    }

    TEST_CASE("transforms beyond a float's range leave finite matrices or none") {
        for (const char* numbers : {"[1e39,1,1]", "[1e-46,1e-46,1e-46]", "[1e38,1e38,1e38]"}) {
            CAPTURE(numbers);
            Writer writer;
            writer.add_triangle();
            writer.json["nodes"] = {{{"children", {1}}, {"scale", Json::parse(numbers)}},
                                    {{"mesh", 0}, {"scale", Json::parse(numbers)}}};
            const Scene scene = import_ok(writer.write("scale.gltf"));
            for (const Instance& instance : scene.instances) {
                for (const float value : instance.object_to_world) {
                    CHECK(std::isfinite(value));
                }
            }
        }
    }

    TEST_CASE("a ring of a hundred thousand nodes ends and each counts once") {
        constexpr u32 kNodes = 100000;
        Writer writer;
        writer.add_triangle();
        Json nodes = Json::array();
        for (u32 k = 0; k < kNodes; ++k) {
            nodes.push_back({{"mesh", 0}, {"children", {(k + 1) % kNodes}}});
        }
        writer.json["nodes"] = nodes;
        CHECK(import_ok(writer.write("ring.gltf")).instances.size() == kNodes);
        // Every node is a child of every other one.
        constexpr u32 kTangled = 300;
        Json all = Json::array();
        for (u32 k = 0; k < kTangled; ++k) {
            all.push_back(k);
        }
        nodes = Json::array();
        for (u32 k = 0; k < kTangled; ++k) {
            nodes.push_back({{"mesh", 0}, {"children", all}});
        }
        writer.json["nodes"] = nodes;
        CHECK(end_of(writer.write("tangle.gltf")).empty());
    }

    TEST_CASE("transforms that are not numbers leave finite matrices or none") {
        const float nan = std::nanf("");
        const auto check_finite = [](const Scene& scene) {
            for (const Instance& instance : scene.instances) {
                for (const float value : instance.object_to_world) {
                    CHECK(std::isfinite(value));
                }
            }
        };
        for (const char* attribute : {"TRANSLATION", "SCALE", "ROTATION"}) {
            CAPTURE(attribute);
            Writer writer;
            writer.add_triangle();
            const bool is_rotation = std::string(attribute) == "ROTATION";
            const std::size_t rows =
                is_rotation
                    ? writer.add(std::vector<float>{nan, 0, 0, 1, 0, 0, 0, 1}, "VEC4", 5126, 2)
                    : writer.add_vec3({nan, 1, 1, 1, INFINITY, 1, 1, 1, 1});
            writer.json["nodes"][0]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"] = {
                {attribute, rows}};
            writer.json["extensionsUsed"] = {"EXT_mesh_gpu_instancing"};
            const Scene scene = import_ok(writer.write("nan_instances.gltf"));
            check_finite(scene);
            CHECK(!scene.instances.empty());  // the second row is sound
        }
        Writer writer;
        writer.add_triangle();
        const std::size_t times = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
        const std::size_t places = writer.add_vec3({nan, 0, 0, 2, INFINITY, 0});
        writer.json["animations"] = {
            {{"samplers", {{{"input", times}, {"output", places}}}},
             {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
        ImportConfig config;
        config.pose = Pose{.time_s = 0.5};
        const std::string path = writer.write("nan_keys.gltf");
        auto moved = import_scene({path}, config);
        if (moved.is_ok()) {
            check_finite(moved.value());
        } else {
            CHECK(has_part(moved.error().sentence, path));
        }
    }

    TEST_CASE("a scene of triangles without area keeps its promises") {
        std::string text = "v 1 1 1\nv 1 1 1\nv 2 2 2\nv 3 3 3\n";
        for (u32 k = 0; k < 1000; ++k) {
            text += k % 2 == 0 ? "f 1 2 1\n" : "f 1 3 4\n";
        }
        CHECK(end_of(written("flat.obj", text)).empty());
    }

    TEST_CASE("counts in the headers of PLY and STL and OFF are held against the file") {
        const std::string vertices =
            "property float x\nproperty float y\nproperty float z\nend_header\n";
        for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
            for (const char* count :
                 {"4294967295", "18446744073709551615", "99999999999999999999999", "-1"}) {
                CAPTURE(count);
                const std::string head =
                    std::string("ply\nformat ") + format + " 1.0\nelement vertex " + count + "\n";
                CHECK(!end_of(written("a.ply", head + vertices)).empty());
                CHECK(!end_of(written("b.ply", head + "end_header\n")).empty());
                CHECK(!end_of(written("c.ply",
                                      head + "property list uchar int vertex_indices\n"
                                             "end_header\n"))
                           .empty());
            }
        }
        CHECK(!end_of(written("a.stl", std::string(80, '\0') + "\xff\xff\xff\xff")).empty());
        CHECK(!end_of(written("a.off", "OFF\n4000000000 4000000000 0\n0 0 0\n")).empty());
    }

    TEST_CASE("an OBJ whose faces name vertices that it lacks is refused with the line") {
        const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        for (const char* face : {"f 1 2 2147483647",
                                 "f 1 2 4294967297",
                                 "f 1 2 99999999999999999999",
                                 "f -2147483648 -1 -2",
                                 "f 1 2 -4",
                                 "f 1/1000000000 2/1 3/1",
                                 "f 1//1 2//1 3//1",
                                 "f 0 0 0",
                                 "f 1 2 x",
                                 "f 1/2/3/4 2 3"}) {
            CAPTURE(face);
            const std::string text = corners + face + "\nf 1 2 3\n";
            CHECK(has_part(end_of(written("far.obj", text)), "far.obj:4: has "));
        }
    }

    TEST_CASE("EXR headers are checked before the library sees them") {
        const auto number = [](u32 value) {
            std::string bytes(4, '\0');
            std::memcpy(bytes.data(), &value, bytes.size());
            return bytes;
        };
        const std::string zero(1, '\0');
        const auto file_with = [&](const std::string& type, u32 size, const std::string& content) {
            return number(20000630) + number(2) + "owner" + zero + type + zero + number(size) +
                   content + zero;
        };
        const std::string fits = "4 by 2";
        const auto channel = [&](const char* name, u32 pixel_type) {
            return name + zero + number(pixel_type) + number(0) + number(1) + number(1);
        };
        const std::pair<std::string, const char*> files[] = {
            {file_with("string", 0x7fffffff, ""), "\"owner\" states 2147483647 bytes"},
            {file_with("opaque", 0x80000000, ""), "\"owner\" states 2147483648 bytes"},
            {file_with("stringvector", 8, number(0x7fffffff) + number(0)), "does not fill"},
            {file_with("stringvector", 5, number(0) + "x"), "does not fill"},
            {file_with("preview", 12, number(60000) + number(60000) + fits), "does not fill"},
            {file_with("chlist", 33, channel("B", 2) + channel("G", 3) + zero),
             "the channel \"G\" has the pixel type 3"},
            {number(20000630) + number(2) + std::string(300, 'n'), "without an end"}};
        for (const auto& [bytes, words] : files) {
            CAPTURE(words);
            const std::string path = written("attribute.exr", bytes);
            const auto environment = read_environment(path);
            REQUIRE(!environment.is_ok());
            CHECK(has_part(environment.error().sentence, words));
        }
        // Sound attributes are left to the library, which misses the others that a picture needs.
        const auto sound = read_environment(
            written("sound.exr", file_with("string", static_cast<u32>(fits.size()), fits)));
        REQUIRE(!sound.is_ok());
        CHECK(!has_part(sound.error().sentence, "owner"));
    }
}
