#include "engine/accel/surface_pages.h"

#include <algorithm>

#include "engine/accel/placing.h"

namespace weft::accel {

namespace {

// Records that are handed to the writer at once.
constexpr u32 kRecordsAtOnce = 4096;

bool emits(const scene::Scene& scene, const BuildConfig& config, u32 instance) {
    if (!config.is_light.empty()) {
        return config.is_light[instance];
    }
    const shaders::MaterialRecord& material =
        scene.materials[scene.instances[instance].material].record;
    return std::any_of(std::begin(material.emissive),
                       std::end(material.emissive),
                       [](float strength) { return strength > 0; });
}

// Bytes of a record; 0: the mesh has none.
u32 record_bytes(const shaders::MeshRecord& mesh, bool has_any) {
    return has_any ? surface_floats(mesh) * static_cast<u32>(sizeof(float)) : 0;
}

// Writes the records of one mesh.
base::Status write_mesh(const SurfaceArrays& arrays,
                        const shaders::MeshRecord& mesh,
                        pages::PageFileWriter& writer) {
    const u32 floats = surface_floats(mesh);
    std::vector<float> records(std::size_t{floats} * kRecordsAtOnce);
    for (u32 begin = 0; begin < mesh.triangle_count; begin += kRecordsAtOnce) {
        const u32 count = std::min(kRecordsAtOnce, mesh.triangle_count - begin);
        float* to = records.data();
        for (u32 k = 0; k < count; ++k) {
            const std::array<u32, kSurfaceParts> first = first_corners(mesh);
            for (u32 part = 0; part < kSurfaceParts; ++part) {
                if (first[part] != kNone) {
                    copy_corners(arrays, mesh, begin + k, SurfacePart{static_cast<u8>(part)}, to);
                    to += 3 * kCornerFloats[part];
                }
            }
        }
        WEFT_TRY(writer.append_records(records.data(), count));
    }
    return base::Done{};
}

}  // namespace

SurfaceArrays SurfaceArrays::of(const scene::Scene& scene) {
    return {scene.indices.data(),
            {scene.positions.data(),
             scene.normals.data(),
             scene.uvs.data(),
             scene.uvs.data(),
             scene.tangents.data(),
             scene.colors.data()}};
}

SurfaceArrays SurfaceArrays::of(const shaders::SceneView& view) {
    return {view.indices,
            {view.positions, view.normals, view.uvs, view.uvs, view.tangents, view.colors}};
}

std::array<u32, kSurfaceParts> first_corners(const shaders::MeshRecord& mesh) {
    return {mesh.first_position,
            mesh.first_normal,
            mesh.first_uv0,
            mesh.first_uv1,
            mesh.first_tangent,
            mesh.first_color};
}

u32 surface_floats(const shaders::MeshRecord& mesh) {
    const std::array<u32, kSurfaceParts> first = first_corners(mesh);
    u32 floats = 0;
    for (u32 part = 0; part < kSurfaceParts; ++part) {
        floats += first[part] == kNone ? 0 : 3 * kCornerFloats[part];
    }
    return floats;
}

void copy_corners(const SurfaceArrays& arrays,
                  const shaders::MeshRecord& mesh,
                  u32 primitive,
                  SurfacePart part,
                  float* to) {
    const u32 number = static_cast<u32>(part);
    const u32 floats = kCornerFloats[number];
    const u32 first = first_corners(mesh)[number];
    const u32* const corners = arrays.indices + (std::size_t{mesh.first_triangle} + primitive) * 3;
    for (u32 k = 0; k < 3; ++k) {
        std::copy_n(arrays.parts[number] + (std::size_t{first} + corners[k]) * floats, floats, to);
        to += floats;
    }
}

std::vector<bool> has_records(const scene::Scene& scene, const BuildConfig& config) {
    std::vector<bool> is_drawn(scene.meshes.size());
    std::vector<bool> is_read(scene.meshes.size());  // by something else than shading
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        if (config.is_visible.empty() || config.is_visible[k]) {
            const u32 mesh = scene.instances[k].mesh;
            is_drawn[mesh] = true;
            is_read[mesh] =
                is_read[mesh] || emits(scene, config, k) || must_flag(scene, config.is_flagged, k);
        }
    }
    for (std::size_t mesh = 0; mesh < is_drawn.size(); ++mesh) {
        is_drawn[mesh] =
            is_drawn[mesh] && !is_read[mesh] && scene.meshes[mesh].record.triangle_count > 0;
    }
    return is_drawn;
}

base::Status write_surfaces(const scene::Scene& scene,
                            const BuildConfig& config,
                            pages::PageFileWriter& writer) {
    const std::vector<bool> has_any = has_records(scene, config);
    const SurfaceArrays arrays = SurfaceArrays::of(scene);
    for (std::size_t k = 0; k < scene.meshes.size(); ++k) {
        const shaders::MeshRecord& mesh = scene.meshes[k].record;
        writer.begin_records(record_bytes(mesh, has_any[k]));
        if (has_any[k]) {
            WEFT_TRY(write_mesh(arrays, mesh, writer));
        }
    }
    return base::Done{};
}

bool are_surfaces_of(const pages::ResidentTree& tree,
                     const scene::Scene& scene,
                     const BuildConfig& config) {
    const std::vector<bool> has_any = has_records(scene, config);
    if (tree.tables.size() != has_any.size()) {
        return false;
    }
    for (std::size_t k = 0; k < has_any.size(); ++k) {
        const shaders::MeshRecord& mesh = scene.meshes[k].record;
        const pages::RecordTable& table = tree.tables[k];
        if (table.record_bytes != record_bytes(mesh, has_any[k]) ||
            (table.first_page != kNone) != has_any[k] ||
            table.record_count != (has_any[k] ? mesh.triangle_count : 0)) {
            return false;
        }
    }
    return true;
}

}  // namespace weft::accel
