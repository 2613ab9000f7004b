// packed_surfaces.h — the vertices that a device needs of a scene whose surfaces lie in pages:
// those of meshes without records, packed.
//
// Shading reads the other meshes' corners from the slots of its paths (hit_slots.h), and nothing
// else reads them while rays are traced (engine/accel/surface_pages.h). So the device's copy of the
// vertex arrays is small, whatever the scene's size. Mesh records say where the packed vertices
// are; those of meshes in pages keep which parts they have.
//
// Made once per frame by one thread; read-only afterwards.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/accel/surface_pages.h"
#include "engine/pages/record_table.h"

namespace weft::trace {

class PackedSurfaces {
public:
    PackedSurfaces(const shaders::SceneView& scene,
                   std::span<const shaders::MeshRecord> meshes,
                   const pages::RecordView& records);

    // The packed array in place of one of device_scene.h; none: the scene's own.
    [[nodiscard]] std::optional<std::span<const std::byte>> bytes_of(std::string_view name) const;

private:
    void pack(const accel::SurfaceArrays& arrays, shaders::MeshRecord& mesh);
    u32 pack_part(const accel::SurfaceArrays& arrays, u32 part, u32 first, u32 vertex_count);

    std::vector<shaders::MeshRecord> meshes_;
    std::vector<u32> indices_;
    std::array<std::vector<float>, accel::kSurfaceParts> parts_;  // both uv sets are in the first's
};

}  // namespace weft::trace
