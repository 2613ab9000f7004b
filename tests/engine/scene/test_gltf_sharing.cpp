// test_gltf_sharing.cpp — data that a glTF file names many times is in memory once, and claims
// without bytes behind them are refused with their sum.
#include <algorithm>

#include "tests/engine/scene/gltf_writer.h"
#include "tests/engine/scene/hostile_pictures.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// `count` primitives over the same accessors, each with a material of its own, and a node for each
// mesh of ten.
Writer repeated_primitives(u32 count, u32 triangles) {
    Writer writer;
    std::vector<float> positions;
    for (u32 corner = 0; corner < 3 * triangles; ++corner) {
        const auto place = static_cast<float>(corner);
        positions.insert(positions.end(), {place, place * place, corner % 3 == 0 ? 1.0f : 0.0f});
    }
    const std::size_t accessor = writer.add_vec3(positions);
    writer.json["nodes"] = Json::array();
    writer.json["scenes"][0]["nodes"] = Json::array();
    for (u32 k = 0; k < count; ++k) {
        if (k % 10 == 0) {
            writer.json["scenes"][0]["nodes"].push_back(k / 10);
            writer.json["nodes"].push_back({{"mesh", k / 10}});
            writer.json["meshes"].push_back({{"primitives", Json::array()}});
        }
        writer.json["materials"].push_back({{"name", std::to_string(k)}});
        writer.json["meshes"].back()["primitives"].push_back(
            {{"attributes", {{"POSITION", accessor}}}, {"material", k}});
    }
    return writer;
}

Writer implied_instances(u32 count, u32 nodes) {
    Writer writer;
    writer.add_triangle();
    writer.json["extensionsUsed"] = {"EXT_mesh_gpu_instancing"};
    writer.json["accessors"].push_back(
        {{"componentType", 5126}, {"count", count}, {"type", "VEC3"}});
    const Json node = {
        {"mesh", 0},
        {"extensions", {{"EXT_mesh_gpu_instancing", {{"attributes", {{"TRANSLATION", 1}}}}}}}};
    writer.json["nodes"] = Json(nodes, node);
    writer.json["scenes"][0]["nodes"] = Json::array();
    for (u32 k = 0; k < nodes; ++k) {
        writer.json["scenes"][0]["nodes"].push_back(k);
    }
    return writer;
}

}  // namespace

TEST_SUITE("engine/scene/gltf_sharing") {
    TEST_CASE("primitives of the same accessors share their arrays and keep their materials") {
        for (const u32 triangles : {2U, 2000U}) {
            const Scene scene = import_ok(repeated_primitives(25, triangles), "repeated");
            CHECK(scene.positions.size() == std::size_t{9} * triangles);
            CHECK(scene.indices.size() == std::size_t{3} * triangles);
            REQUIRE(scene.instances.size() == 25);
            for (u32 k = 0; k < 25; ++k) {
                const u32 material = scene.instances[k].material;
                CHECK(scene.materials[material].name == std::to_string(k));
                CHECK(corners_of(scene, scene.instances[k].mesh, triangles - 1) ==
                      corners_of(scene, scene.instances[0].mesh, triangles - 1));
            }
            // Only large geometry has one tree for all of its uses.
            CHECK(scene.meshes.size() == (triangles > 1000 ? 1 : 25));
        }
    }

    TEST_CASE("primitives of different accessors or topologies share nothing") {
        Writer writer;
        const std::size_t one = writer.add_vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
        const std::size_t other = writer.add_vec3({0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 2, 0});
        writer.json["nodes"] = {{{"mesh", 0}}};
        writer.json["meshes"] = {{{"primitives",
                                   {{{"attributes", {{"POSITION", one}}}, {"mode", 5}},
                                    {{"attributes", {{"POSITION", one}}}, {"mode", 6}},
                                    {{"attributes", {{"POSITION", other}}}, {"mode", 5}}}}}};
        const Scene scene = import_ok(writer, "different");
        REQUIRE(scene.meshes.size() == 3);
        CHECK(scene.positions.size() == 36);
        CHECK(corners_of(scene, 0, 1) != corners_of(scene, 1, 1));
        CHECK(corners_of(scene, 0, 1) != corners_of(scene, 2, 1));
    }

    TEST_CASE("images of one file are decoded once and keep their names") {
        Writer writer;
        writer.add_triangle();
        const std::string png = plain_png(64, 64, 8, 2);
        const std::size_t view = writer.add_view(png.data(), png.size());
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
        for (u32 k = 0; k < 3; ++k) {
            writer.json["images"].push_back(
                {{"bufferView", view}, {"mimeType", "image/png"}, {"name", std::to_string(k)}});
            writer.json["textures"].push_back({{"source", k}});
        }
        writer.json["materials"] = {
            {{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}},
             {"emissiveTexture", {{"index", 1}}},
             {"normalTexture", {{"index", 2}}}}};
        const Scene scene = import_ok(writer, "images");
        REQUIRE(scene.textures.size() == 3);
        const auto place_of = [&](const std::string& label) {
            const auto found = std::find_if(
                scene.textures.begin(), scene.textures.end(), [&](const Texture& texture) {
                    return texture.label == label;
                });
            REQUIRE(found != scene.textures.end());
            return found->record.mip_offset[0];
        };
        CHECK(place_of("0") == place_of("1"));  // colours
        CHECK(place_of("0") != place_of("2"));  // numbers
        CHECK(scene.texels.size() < std::size_t{2} * 64 * 64 * 14 / 10);
    }

    TEST_CASE("instances and elements without bytes behind them are refused with the sum") {
        const std::string instances =
            import_error(implied_instances(u32{1} << 22, 1), "implied_instances");
        CHECK(contains(instances, "instances"));
        CHECK(contains(instances, "MiB"));
        CHECK(contains(import_error(implied_instances(u32{1} << 20, 100), "implied_nodes"),
                       "instances"));
        CHECK(import_ok(implied_instances(1000, 2), "implied_few").instances.size() == 2000);
        // Many accessors of their own, each of millions of zeros.
        Writer writer;
        for (u32 k = 0; k < 40; ++k) {
            writer.json["accessors"].push_back(
                {{"componentType", 5126}, {"count", 3U << 20}, {"type", "VEC3"}});
            writer.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", k}}}});
        }
        writer.json["nodes"] = {{{"mesh", 0}}};
        CHECK(contains(import_error(writer, "implied_elements"), "256 bytes"));
    }

    TEST_CASE("pictures of a file are counted together before any is decoded") {
        Writer writer;
        writer.add_triangle();
        writer.json["meshes"][0]["primitives"][0]["material"] = 0;
        // 171 MiB each with their mips, from ten kilobytes.
        for (u32 k = 0; k < 4; ++k) {
            const std::string png = plain_png(8192, 4096 + 16 * k, 8, 6).substr(0, 9999);
            const std::size_t view = writer.add_view(png.data(), png.size());
            writer.json["images"].push_back({{"bufferView", view}, {"mimeType", "image/png"}});
            writer.json["textures"].push_back({{"source", k}});
        }
        writer.json["materials"] = {
            {{"pbrMetallicRoughness",
              {{"baseColorTexture", {{"index", 0}}}, {"metallicRoughnessTexture", {{"index", 1}}}}},
             {"emissiveTexture", {{"index", 2}}},
             {"normalTexture", {{"index", 3}}}}};
        CHECK(contains(import_error(writer, "pictures"), "/images/"));
    }
}
