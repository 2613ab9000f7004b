#include "engine/trace/hit_slots.h"

#include <cstring>
#include <numeric>

namespace weft::trace {

using accel::kCornerFloats;
using accel::kSurfaceParts;

namespace {

constexpr u32 kUv0 = static_cast<u32>(accel::SurfacePart::Uv0);
constexpr u32 kUv1 = static_cast<u32>(accel::SurfacePart::Uv1);

// Corners of all slots.
u32 corner_count(u32 path_count) {
    return 3 * path_count;
}

}  // namespace

HitTables make_hit_tables(std::span<const shaders::MeshRecord> meshes, u32 path_count) {
    HitTables tables;
    tables.indices.resize(corner_count(path_count));
    std::iota(tables.indices.begin(), tables.indices.end(), 0U);
    // Both uv sets share an array: the second set follows the first.
    const auto begin_of = [](u32 first, u32 begin) { return first == kNone ? kNone : begin; };
    for (const shaders::MeshRecord& mesh : meshes) {
        tables.meshes.push_back({.first_triangle = 0,
                                 .triangle_count = path_count,
                                 .first_position = 0,
                                 .first_normal = begin_of(mesh.first_normal, 0),
                                 .first_tangent = begin_of(mesh.first_tangent, 0),
                                 .first_uv0 = begin_of(mesh.first_uv0, 0),
                                 .first_uv1 = begin_of(mesh.first_uv1, corner_count(path_count)),
                                 .first_color = begin_of(mesh.first_color, 0)});
        const std::array<u32, kSurfaceParts> first = accel::first_corners(mesh);
        for (u32 part = 0; part < kSurfaceParts; ++part) {
            tables.has_part[part] = tables.has_part[part] || first[part] != kNone;
        }
    }
    // The second set is found behind the first.
    tables.has_part[kUv0] = tables.has_part[kUv0] || tables.has_part[kUv1];
    return tables;
}

u32 HitSlots::bytes_per_path(const HitTables& tables) {
    u32 floats = 0;
    for (u32 part = 0; part < kSurfaceParts; ++part) {
        floats += tables.has_part[part] ? 3 * kCornerFloats[part] : 0;
    }
    return floats * static_cast<u32>(sizeof(float));
}

HitSlots::HitSlots(const shaders::SceneView& scene,
                   const HitTables& tables,
                   u32 path_count,
                   UnitMemory& memory)
    : meshes_(scene.meshes), arrays_(accel::SurfaceArrays::of(scene)), view_(scene) {
    const u64 bytes = u64{path_count} * bytes_per_path(tables);
    auto* next = static_cast<float*>(memory.take(bytes));
    if (next == nullptr) {
        return;
    }
    size_bytes_ = bytes;
    for (u32 part = 0; part < kSurfaceParts; ++part) {
        if (tables.has_part[part]) {
            corners_[part] = next;
            next += std::size_t{corner_count(path_count)} * kCornerFloats[part];
        }
    }
    view_.indices = tables.indices.data();
    view_.meshes = tables.meshes.data();
    view_.positions = corners_[static_cast<u32>(accel::SurfacePart::Position)];
    view_.normals = corners_[static_cast<u32>(accel::SurfacePart::Normal)];
    view_.uvs = corners_[kUv0];
    view_.tangents = corners_[static_cast<u32>(accel::SurfacePart::Tangent)];
    view_.colors = corners_[static_cast<u32>(accel::SurfacePart::Color)];
}

void HitSlots::copy_record(u32 slot, u32 mesh, const char* record) {
    const std::array<u32, kSurfaceParts> first = accel::first_corners(meshes_[mesh]);
    for (u32 part = 0; part < kSurfaceParts; ++part) {
        if (first[part] != kNone) {
            const std::size_t floats = std::size_t{3} * kCornerFloats[part];
            std::memcpy(corners_[part] + floats * slot, record, floats * sizeof(float));
            record += floats * sizeof(float);
        }
    }
}

void HitSlots::copy_from_scene(u32 slot, u32 mesh, u32 primitive) {
    const std::array<u32, kSurfaceParts> first = accel::first_corners(meshes_[mesh]);
    for (u32 part = 0; part < kSurfaceParts; ++part) {
        if (first[part] != kNone) {
            accel::copy_corners(arrays_,
                                meshes_[mesh],
                                primitive,
                                accel::SurfacePart{static_cast<u8>(part)},
                                corners_[part] + std::size_t{3} * kCornerFloats[part] * slot);
        }
    }
}

}  // namespace weft::trace
