// test_hit_slots.cpp — the corners of hits by path: the shade kernel finds in them what it would
// find in the scene.
#include <cstring>

#include <doctest/doctest.h>

#include "engine/trace/hit_slots.h"
#include "engine/trace/scene_tables.h"
#include "tests/engine/trace/small_scenes.h"

namespace weft::trace {

namespace {

constexpr u32 kPaths = 100;

// Calls `look(mesh, primitive, slot)` for triangles of all meshes, as many as there are paths.
template <typename Look>
void for_some_hits(const scene::Scene& scene, const Look& look) {
    u32 slot = 0;
    for (u32 k = 0; k < kPaths; ++k) {
        const u32 mesh = k % static_cast<u32>(scene.meshes.size());
        const u32 primitive = k * 7 % scene.meshes[mesh].record.triangle_count;
        look(mesh, primitive, slot++);
    }
}

// Floats of a vertex attribute that differ between both views, found as the kernel does.
u32 wrong_floats(const shaders::SceneView& scene,
                 const shaders::SceneView& hits,
                 u32 mesh,
                 u32 primitive,
                 u32 slot) {
    const shaders::MeshRecord& right = scene.meshes[mesh];
    const shaders::MeshRecord& copied = hits.meshes[mesh];
    u32 wrong = 0;
    for (u32 corner = 0; corner < 3; ++corner) {
        const u32 vertex = scene.indices[(right.first_triangle + primitive) * 3 + corner];
        const u32 place = hits.indices[(copied.first_triangle + slot) * 3 + corner];
        const auto compare = [&](const float* from, u32 first, const float* to, u32 begin, u32 n) {
            wrong += (first == kNone) != (begin == kNone) ? 1U : 0U;
            if (first != kNone) {
                wrong += std::memcmp(from + (first + vertex) * n,
                                     to + (begin + place) * n,
                                     n * sizeof(float)) == 0
                             ? 0U
                             : 1U;
            }
        };
        compare(scene.positions, right.first_position, hits.positions, copied.first_position, 3);
        compare(scene.normals, right.first_normal, hits.normals, copied.first_normal, 3);
        compare(scene.uvs, right.first_uv0, hits.uvs, copied.first_uv0, 2);
        compare(scene.uvs, right.first_uv1, hits.uvs, copied.first_uv1, 2);
        compare(scene.tangents, right.first_tangent, hits.tangents, copied.first_tangent, 4);
        compare(scene.colors, right.first_color, hits.colors, copied.first_color, 4);
    }
    return wrong;
}

// The record of a triangle as a page holds it.
std::vector<float> record_of(const shaders::SceneView& scene, u32 mesh, u32 primitive) {
    std::vector<float> record(accel::surface_floats(scene.meshes[mesh]));
    float* to = record.data();
    const auto first = accel::first_corners(scene.meshes[mesh]);
    for (u32 part = 0; part < accel::kSurfaceParts; ++part) {
        if (first[part] != kNone) {
            accel::copy_corners(accel::SurfaceArrays::of(scene),
                                scene.meshes[mesh],
                                primitive,
                                accel::SurfacePart{static_cast<u8>(part)},
                                to);
            to += 3 * accel::kCornerFloats[part];
        }
    }
    return record;
}

}  // namespace

TEST_SUITE("engine/trace/hit_slots") {
    TEST_CASE("copied corners are those of the scene whatever a mesh has") {
        std::vector<scene::Scene> scenes;
        for (const u32 seed : {1U, 2U, 3U, 4U, 5U}) {
            scenes.push_back(tests::random_scene(seed));
        }
        for (tests::SmallScene& small : tests::ten_scenes()) {
            scenes.push_back(std::move(small.scene));
        }
        for (const scene::Scene& scene : scenes) {
            const SceneTables tables = make_scene_tables(scene, {});
            const HitTables hits = make_hit_tables(tables.meshes, kPaths);
            UnitMemory memory;
            HitSlots from_records(tables.view, hits, kPaths, memory);
            HitSlots from_scene(tables.view, hits, kPaths, memory);
            REQUIRE(from_records.is_allocated());
            REQUIRE(from_scene.is_allocated());
            for_some_hits(scene, [&](u32 mesh, u32 primitive, u32 slot) {
                const std::vector<float> record = record_of(tables.view, mesh, primitive);
                from_records.copy_record(slot, mesh, reinterpret_cast<const char*>(record.data()));
                from_scene.copy_from_scene(slot, mesh, primitive);
            });
            // After all copies, so that none has written to another's place.
            u32 wrong = 0;
            for_some_hits(scene, [&](u32 mesh, u32 primitive, u32 slot) {
                wrong += wrong_floats(tables.view, from_records.view(), mesh, primitive, slot);
                wrong += wrong_floats(tables.view, from_scene.view(), mesh, primitive, slot);
            });
            CHECK(wrong == 0);
            CHECK(from_scene.size_bytes() == u64{kPaths} * HitSlots::bytes_per_path(hits));
        }
    }
}

}  // namespace weft::trace
