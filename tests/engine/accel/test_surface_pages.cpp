// test_surface_pages.cpp — which meshes have records of their triangles, and what these hold.
#include <algorithm>
#include <cstring>

#include <doctest/doctest.h>

#include "engine/accel/paged_tree.h"
#include "engine/accel/surface_pages.h"
#include "tests/engine/accel/test_stage.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::accel {

namespace {

using TestFolder = pages::testing::TestFolder;

// A mesh of `triangle_count` triangles over shared vertices, with the parts of the mask.
shaders::MeshRecord add_mesh(scene::Scene& scene, u32 triangle_count, u32 parts, Dice& dice) {
    const u32 vertex_count = triangle_count + 2;
    const auto add = [&](scene::GeometryArena<float>& arena, SurfacePart part) {
        const u32 number = static_cast<u32>(part);
        if (part != SurfacePart::Position && (parts >> number & 1) == 0) {
            return kNone;
        }
        const auto first = static_cast<u32>(arena.size() / kCornerFloats[number]);
        for (u32 k = 0; k < vertex_count * kCornerFloats[number]; ++k) {
            arena.push_back(dice.between(-1, 1));
        }
        return first;
    };
    shaders::MeshRecord mesh{};
    mesh.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    mesh.triangle_count = triangle_count;
    mesh.first_position = add(scene.positions, SurfacePart::Position);
    mesh.first_normal = add(scene.normals, SurfacePart::Normal);
    mesh.first_uv0 = add(scene.uvs, SurfacePart::Uv0);
    mesh.first_uv1 = add(scene.uvs, SurfacePart::Uv1);
    mesh.first_tangent = add(scene.tangents, SurfacePart::Tangent);
    mesh.first_color = add(scene.colors, SurfacePart::Color);
    for (u32 k = 0; k < triangle_count; ++k) {
        for (const u32 corner : {k + 2, k, k + 1}) {
            scene.indices.push_back(corner);
        }
    }
    scene.meshes.push_back({"mesh", mesh, 0});
    return mesh;
}

// A scene with a mesh of each set of parts, one instance of each.
scene::Scene scene_of_all_parts() {
    Dice dice(5);
    scene::Scene scene;
    scene.materials.push_back({"", plain_material()});
    for (u32 parts = 0; parts < 32; ++parts) {
        add_mesh(scene, 1 + 13 * parts, parts << 1, dice);
        scene.instances.push_back({parts, 0, math::kIdentity, ""});
    }
    return scene;
}

void bring(pages::PageStore& store, u32 reader, u32 page) {
    for (u64 arrivals = store.arrivals();
         store.fetch(reader, page) != pages::Fetch::Near && !store.has_failed();
         arrivals = store.arrivals()) {
        store.wait_beyond(arrivals);
    }
    store.end_walk(reader, page);
    REQUIRE_FALSE(store.has_failed());
}

}  // namespace

TEST_SUITE("engine/accel/surface_pages") {
    TEST_CASE("a record holds every float of its corners for every set of attributes") {
        const scene::Scene scene = scene_of_all_parts();
        const TestFolder folder;
        const auto made = page_acceleration(
            scene,
            {},
            {.folder = folder.file("pages"), .budget_bytes = 1 << 30, .page_bytes = 16 << 10});
        REQUIRE_MESSAGE(made.is_ok(), made.error().sentence);
        pages::PageStore& store = *made.value().store;
        const pages::RecordView records = store.records();
        REQUIRE(records.tables.size() == 32);
        const u32 reader = store.join();
        u64 compared = 0;
        for (u32 k = 0; k < 32; ++k) {
            const shaders::MeshRecord& mesh = scene.meshes[k].record;
            for (u32 primitive = 0; primitive < mesh.triangle_count; ++primitive) {
                bring(store, reader, records.page_of(k, primitive));
                store.enter(reader);
                const char* record = records.record_of(k, primitive);
                // The corners as a kernel finds them, part by part.
                const auto check =
                    [&](const scene::GeometryArena<float>& arena, u32 first, u32 floats) {
                        for (u32 corner = 0; first != kNone && corner < 3; ++corner) {
                            const u32 vertex =
                                scene.indices[(mesh.first_triangle + primitive) * 3 + corner];
                            REQUIRE(std::memcmp(record,
                                                arena.data() + (first + vertex) * floats,
                                                floats * sizeof(float)) == 0);
                            record += floats * sizeof(float);
                            compared += floats;
                        }
                    };
                check(scene.positions, mesh.first_position, 3);
                check(scene.normals, mesh.first_normal, 3);
                check(scene.uvs, mesh.first_uv0, 2);
                check(scene.uvs, mesh.first_uv1, 2);
                check(scene.tangents, mesh.first_tangent, 4);
                check(scene.colors, mesh.first_color, 4);
                store.leave(reader);
            }
            CHECK(records.tables[k].record_bytes == surface_floats(mesh) * sizeof(float));
        }
        CHECK(compared > 100000);
        CHECK(surface_floats(scene.meshes.back().record) == kMostSurfaceFloats);
        store.part(reader);
    }

    TEST_CASE("meshes that light samples or traversal read have no records nor have hidden ones") {
        scene::Scene scene = scene_of_all_parts();
        const BuildConfig plain;
        const auto count = [](const std::vector<bool>& has_any) {
            return std::count(has_any.begin(), has_any.end(), true);
        };
        CHECK(count(has_records(scene, plain)) == 32);
        // By material.
        scene.materials.push_back({"", plain_material()});
        scene.materials.back().record.emissive[2] = 1;
        scene.instances[3].material = 1;
        scene.materials.push_back({"", veil_material(0.5f)});
        scene.instances[7].material = 2;
        std::vector<bool> has_any = has_records(scene, plain);
        CHECK(count(has_any) == 30);
        CHECK_FALSE(has_any[3]);
        CHECK_FALSE(has_any[7]);
        // By what was drawn, whatever the materials say.
        BuildConfig drawn;
        drawn.is_light = std::vector<bool>(32);
        drawn.is_flagged = std::vector<bool>(32);
        drawn.is_visible = std::vector<bool>(32, true);
        CHECK(count(has_records(scene, drawn)) == 32);
        drawn.is_light[1] = true;
        drawn.is_flagged[2] = true;
        drawn.is_visible[4] = false;
        has_any = has_records(scene, drawn);
        CHECK(count(has_any) == 29);
        CHECK_FALSE(has_any[1]);
        CHECK_FALSE(has_any[2]);
        CHECK_FALSE(has_any[4]);
        // One of several instances is enough, unless it is hidden.
        scene.instances.push_back({5, 0, math::kIdentity, ""});
        drawn.is_light.push_back(true);
        drawn.is_flagged.push_back(false);
        drawn.is_visible.push_back(true);
        CHECK_FALSE(has_records(scene, drawn)[5]);
        drawn.is_visible.back() = false;
        CHECK(has_records(scene, drawn)[5]);
    }
}

}  // namespace weft::accel
