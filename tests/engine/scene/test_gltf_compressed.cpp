// test_gltf_compressed.cpp — EXT_meshopt_compression and KHR_draco_mesh_compression, packed here by
// their own libraries.
#include <cmath>
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>
#include <meshoptimizer.h>
#include <random>

#include "engine/scene/gltf/draco_decode.h"
#include "engine/scene/gltf/meshopt_decode.h"
#include "tests/engine/scene/gltf_writer.h"

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

// A strip of n quads in the plane.
struct Grid {
    std::vector<float> positions;
    std::vector<u32> indices;
};

Grid make_grid(u32 quads) {
    Grid grid;
    for (u32 i = 0; i <= quads; ++i) {
        grid.positions.insert(grid.positions.end(),
                              {static_cast<float>(i), 0, 0, static_cast<float>(i), 1, 0});
    }
    for (u32 i = 0; i < quads; ++i) {
        const u32 v = 2 * i;
        grid.indices.insert(grid.indices.end(), {v, v + 2, v + 1, v + 1, v + 2, v + 3});
    }
    return grid;
}

std::vector<u8> pack_vertices(const void* data, std::size_t count, std::size_t stride) {
    std::vector<u8> packed(meshopt_encodeVertexBufferBound(count, stride));
    packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), data, count, stride));
    return packed;
}

std::vector<u8> pack_triangles(const std::vector<u32>& indices, std::size_t vertices) {
    meshopt_encodeIndexVersion(1);
    std::vector<u8> packed(meshopt_encodeIndexBufferBound(indices.size(), vertices));
    packed.resize(
        meshopt_encodeIndexBuffer(packed.data(), packed.size(), indices.data(), indices.size()));
    return packed;
}

std::vector<u8> pack_sequence(const std::vector<u32>& indices, std::size_t vertices) {
    std::vector<u8> packed(meshopt_encodeIndexSequenceBound(indices.size(), vertices));
    packed.resize(
        meshopt_encodeIndexSequence(packed.data(), packed.size(), indices.data(), indices.size()));
    return packed;
}

// A document whose two views are packed; buffer 1 is the fallback without bytes.
Writer packed_document(const Grid& grid, const std::string& index_mode) {
    Writer writer;
    const std::size_t vertices = grid.positions.size() / 3;
    const std::vector<u8> packed[2] = {pack_vertices(grid.positions.data(), vertices, 12),
                                       index_mode == "TRIANGLES"
                                           ? pack_triangles(grid.indices, vertices)
                                           : pack_sequence(grid.indices, vertices)};
    const std::size_t unpacked_bytes[2] = {grid.positions.size() * 4, grid.indices.size() * 4};
    Json views = Json::array();
    for (int i = 0; i < 2; ++i) {
        const std::size_t offset = writer.buffer.size();
        writer.buffer.insert(writer.buffer.end(), packed[i].begin(), packed[i].end());
        views.push_back({{"buffer", 1},
                         {"byteLength", unpacked_bytes[i]},
                         {"extensions",
                          {{"EXT_meshopt_compression",
                            {{"buffer", 0},
                             {"byteOffset", offset},
                             {"byteLength", packed[i].size()},
                             {"byteStride", i == 0 ? 12 : 4},
                             {"count", i == 0 ? vertices : grid.indices.size()},
                             {"mode", i == 0 ? "ATTRIBUTES" : index_mode}}}}}});
    }
    writer.json["bufferViews"] = views;
    writer.json["buffers"] = {
        {{"byteLength", writer.buffer.size()}, {"uri", data_uri(writer.buffer)}},
        {{"byteLength", unpacked_bytes[0] + unpacked_bytes[1]},
         {"extensions", {{"EXT_meshopt_compression", {{"fallback", true}}}}}}};
    writer.json["accessors"] = {
        {{"bufferView", 0}, {"componentType", 5126}, {"count", vertices}, {"type", "VEC3"}},
        {{"bufferView", 1},
         {"componentType", 5125},
         {"count", grid.indices.size()},
         {"type", "SCALAR"}}};
    writer.json["extensionsRequired"] = {"EXT_meshopt_compression"};
    writer.add_mesh({{"attributes", {{"POSITION", 0}}}, {"indices", 1}});
    return writer;
}

std::vector<char> pack_draco(const Grid& grid) {
    draco::TriangleSoupMeshBuilder builder;
    const u32 triangles = static_cast<u32>(grid.indices.size() / 3);
    builder.Start(static_cast<int>(triangles));
    const int id = builder.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
    for (u32 t = 0; t < triangles; ++t) {
        const float* corners[3];
        for (u32 k = 0; k < 3; ++k) {
            corners[k] = &grid.positions[3 * std::size_t{grid.indices[3 * std::size_t{t} + k]}];
        }
        builder.SetAttributeValuesForFace(
            id, draco::FaceIndex(t), corners[0], corners[1], corners[2]);
    }
    const std::unique_ptr<draco::Mesh> mesh = builder.Finalize();
    REQUIRE(mesh != nullptr);
    draco::Encoder encoder;
    draco::EncoderBuffer buffer;
    REQUIRE(encoder.EncodeMeshToBuffer(*mesh, &buffer).ok());
    return {buffer.data(), buffer.data() + buffer.size()};
}

Writer draco_document(const Grid& grid) {
    Writer writer;
    const std::vector<char> packed = pack_draco(grid);
    const std::size_t view = writer.add_view(packed.data(), packed.size());
    writer.json["accessors"] = {
        {{"componentType", 5126}, {"count", grid.positions.size() / 3}, {"type", "VEC3"}},
        {{"componentType", 5125}, {"count", grid.indices.size()}, {"type", "SCALAR"}}};
    writer.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
    writer.add_mesh({{"attributes", {{"POSITION", 0}}},
                     {"indices", 1},
                     {"extensions",
                      {{"KHR_draco_mesh_compression",
                        {{"bufferView", view}, {"attributes", {{"POSITION", 0}}}}}}}});
    return writer;
}

double area_of(const Scene& scene) {
    double area = 0;
    for (u32 t = 0; t < scene.meshes[0].record.triangle_count; ++t) {
        const std::vector<float> c = corners_of(scene, 0, t);
        area += 0.5 * std::fabs(static_cast<double>((c[3] - c[0]) * (c[7] - c[1]) -
                                                    (c[6] - c[0]) * (c[4] - c[1])));
    }
    return area;
}

MeshoptView view_of(
    const std::vector<u8>& packed, u64 count, u64 stride, const char* mode, const char* filter) {
    return {packed, count, stride, mode, filter};
}

}  // namespace

TEST_SUITE("engine/scene/gltf_compressed") {
    TEST_CASE("meshopt triangles and index sequences unpack to the same mesh") {
        const Grid grid = make_grid(37);
        for (const char* mode : {"TRIANGLES", "INDICES"}) {
            CAPTURE(mode);
            const Scene scene = import_ok(packed_document(grid, mode), "meshopt");
            REQUIRE(scene_size(scene).triangles == grid.indices.size() / 3);
            CHECK(scene.positions == grid.positions);
            CHECK(area_of(scene) == doctest::Approx(37));
        }
    }

    TEST_CASE("the octahedral filter gives back unit normals for any count") {
        for (const std::size_t count :
             {std::size_t{1}, std::size_t{3}, std::size_t{4}, std::size_t{7}}) {
            std::vector<float> normals;
            for (std::size_t i = 0; i < count; ++i) {
                const float x = 0.1f * static_cast<float>(i);
                normals.insert(normals.end(), {x, 0.6f, std::sqrt(0.64f - x * x), 0});
            }
            std::vector<u8> encoded(count * 8);
            meshopt_encodeFilterOct(encoded.data(), count, 8, 16, normals.data());
            const std::vector<u8> packed = pack_vertices(encoded.data(), count, 8);
            const auto bytes =
                decode_meshopt(view_of(packed, count, 8, "ATTRIBUTES", "OCTAHEDRAL"), "view");
            REQUIRE(bytes.is_ok());
            for (std::size_t i = 0; i < count; ++i) {
                std::int16_t xyz[3];
                std::memcpy(xyz, &bytes.value()[8 * i], 6);
                for (std::size_t c = 0; c < 3; ++c) {
                    CHECK(xyz[c] / 32767.0 ==
                          doctest::Approx(static_cast<double>(normals[4 * i + c])).epsilon(0.001));
                }
            }
        }
    }

    TEST_CASE("the exponential and quaternion filters give back their input") {
        const std::vector<float> values = {1.5f, -200, 0.001f, 0, 7, 8, 9, 10};
        std::vector<u8> encoded(32);
        meshopt_encodeFilterExp(encoded.data(), 2, 16, 15, values.data());
        const std::vector<u8> packed = pack_vertices(encoded.data(), 2, 16);
        const auto floats =
            decode_meshopt(view_of(packed, 2, 16, "ATTRIBUTES", "EXPONENTIAL"), "view");
        REQUIRE(floats.is_ok());
        for (std::size_t i = 0; i < values.size(); ++i) {
            float value = 0;
            std::memcpy(&value, &floats.value()[4 * i], 4);
            CHECK(value == doctest::Approx(values[i]).epsilon(0.02));
        }
        const std::vector<float> turn = {0, 0.6f, 0, 0.8f};
        std::vector<u8> quaternion(8);
        meshopt_encodeFilterQuat(quaternion.data(), 1, 8, 16, turn.data());
        const auto shorts = decode_meshopt(
            view_of(pack_vertices(quaternion.data(), 1, 8), 1, 8, "ATTRIBUTES", "QUATERNION"),
            "view");
        REQUIRE(shorts.is_ok());
        std::int16_t xyzw[4];
        std::memcpy(xyzw, shorts.value().data(), 8);
        CHECK(std::fabs(xyzw[1] / 32767.0) == doctest::Approx(0.6).epsilon(0.001));
        CHECK(std::fabs(xyzw[3] / 32767.0) == doctest::Approx(0.8).epsilon(0.001));
    }

    TEST_CASE("meshopt views with impossible sizes are refused before they are unpacked") {
        const std::vector<u8> packed(64, 0xa0);
        const MeshoptView impossible[] = {view_of(packed, 10, 0, "ATTRIBUTES", ""),
                                          view_of(packed, 10, 6, "ATTRIBUTES", ""),
                                          view_of(packed, 10, 260, "ATTRIBUTES", ""),
                                          view_of(packed, u64{1} << 62, 16, "ATTRIBUTES", ""),
                                          view_of(packed, 100000000, 4, "ATTRIBUTES", ""),
                                          view_of(packed, 10, 12, "ATTRIBUTES", "OCTAHEDRAL"),
                                          view_of(packed, 10, 4, "ATTRIBUTES", "QUATERNION"),
                                          view_of(packed, 10, 4, "TRIANGLES", ""),
                                          view_of(packed, 9, 3, "TRIANGLES", ""),
                                          view_of(packed, 9, 4, "TRIANGLES", "OCTAHEDRAL"),
                                          view_of(packed, 9, 4, "CUBES", ""),
                                          view_of(packed, 9, 4, "ATTRIBUTES", "MAGIC"),
                                          view_of({}, 9, 4, "ATTRIBUTES", "")};
        for (const MeshoptView& view : impossible) {
            CAPTURE(view.mode);
            CAPTURE(view.count);
            const auto bytes = decode_meshopt(view, "FILE: /bufferViews/0");
            REQUIRE(!bytes.is_ok());
            CHECK(contains(bytes.error().sentence, "/bufferViews/0"));
        }
    }

    TEST_CASE("scrambled meshopt and Draco bytes end in a mesh or an error") {
        std::mt19937 random(7);
        const Grid grid = make_grid(50);
        std::vector<u8> bytes[3] = {
            pack_vertices(grid.positions.data(), 102, 12), pack_triangles(grid.indices, 102), {}};
        const std::vector<char> draco = pack_draco(grid);
        bytes[2].assign(draco.begin(), draco.end());
        int ends = 0;
        for (int round = 0; round < 60; ++round) {
            for (int kind = 0; kind < 3; ++kind) {
                std::vector<u8> broken = bytes[kind];
                for (int hit = 0; hit < 4; ++hit) {
                    // Draco's header stays, so that the damage reaches the decoder.
                    const std::size_t first = kind == 2 ? 11 : 1;
                    broken[first + random() % (broken.size() - first)] = static_cast<u8>(random());
                }
                broken.resize(broken.size() - random() % 8);
                if (kind == 2) {
                    const u32 id = 0;
                    const auto mesh = decode_draco(broken, {&id, 1}, "view");
                    for (const u32 index :
                         mesh.is_ok() ? mesh.value().indices : std::vector<u32>()) {
                        REQUIRE(index < mesh.value().vertex_count);
                    }
                } else {
                    const auto view =
                        kind == 0 ? view_of(broken, 102, 12, "ATTRIBUTES", "")
                                  : view_of(broken, grid.indices.size(), 4, "TRIANGLES", "");
                    const auto mesh = decode_meshopt(view, "view");
                    REQUIRE((!mesh.is_ok() || mesh.value().size() == view.count * view.stride));
                }
                ++ends;
            }
        }
        CHECK(ends == 180);
    }

    TEST_CASE("a Draco primitive unpacks without accessors of its own") {
        const Scene scene = import_ok(draco_document(make_grid(12)), "draco");
        CHECK(scene_size(scene).triangles == 24);
        CHECK(area_of(scene) == doctest::Approx(12).epsilon(0.01));
    }

    TEST_CASE("Draco bytes that are cut or ids that do not exist are errors with their pointer") {
        Writer writer = draco_document(make_grid(12));
        Json& extension =
            writer.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"];
        extension["attributes"]["POSITION"] = 99;
        CHECK(contains(import_error(writer, "draco_id"), "KHR_draco_mesh_compression"));
        extension["attributes"]["POSITION"] = 0;
        writer.json["bufferViews"][0]["byteLength"] = 20;
        CHECK(contains(import_error(writer, "draco_cut"),
                       "/meshes/0/primitives/0/extensions/KHR_draco_mesh_compression"));
    }
}
