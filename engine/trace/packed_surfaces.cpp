#include "engine/trace/packed_surfaces.h"

#include <algorithm>

namespace weft::trace {

using accel::SurfacePart;

namespace {

template <typename T>
std::span<const std::byte> bytes_from(const std::vector<T>& items) {
    return std::as_bytes(std::span(items));
}

// Both uv sets share an array.
u32 array_of(u32 part) {
    return part == static_cast<u32>(SurfacePart::Uv1) ? static_cast<u32>(SurfacePart::Uv0) : part;
}

}  // namespace

PackedSurfaces::PackedSurfaces(const shaders::SceneView& scene,
                               std::span<const shaders::MeshRecord> meshes,
                               const pages::RecordView& records)
    : meshes_(meshes.begin(), meshes.end()) {
    const accel::SurfaceArrays arrays = accel::SurfaceArrays::of(scene);
    for (u32 mesh = 0; mesh < meshes_.size(); ++mesh) {
        const bool lies_in_pages =
            mesh < records.tables.size() && records.tables[mesh].first_page != kNone;
        if (!lies_in_pages) {
            pack(arrays, meshes_[mesh]);
        }
    }
}

void PackedSurfaces::pack(const accel::SurfaceArrays& arrays, shaders::MeshRecord& mesh) {
    const std::span<const u32> corners(arrays.indices + std::size_t{mesh.first_triangle} * 3,
                                       std::size_t{mesh.triangle_count} * 3);
    const u32 vertex_count =
        corners.empty() ? 0 : *std::max_element(corners.begin(), corners.end()) + 1;
    mesh.first_triangle = static_cast<u32>(indices_.size() / 3);
    indices_.insert(indices_.end(), corners.begin(), corners.end());
    const std::array<u32*, accel::kSurfaceParts> first = {&mesh.first_position,
                                                          &mesh.first_normal,
                                                          &mesh.first_uv0,
                                                          &mesh.first_uv1,
                                                          &mesh.first_tangent,
                                                          &mesh.first_color};
    for (u32 part = 0; part < accel::kSurfaceParts; ++part) {
        if (*first[part] != kNone) {
            *first[part] = pack_part(arrays, part, *first[part], vertex_count);
        }
    }
}

// Returns where the part begins, in vertices.
u32 PackedSurfaces::pack_part(const accel::SurfaceArrays& arrays,
                              u32 part,
                              u32 first,
                              u32 vertex_count) {
    std::vector<float>& packed = parts_[array_of(part)];
    const std::size_t floats = accel::kCornerFloats[part];
    const auto place = static_cast<u32>(packed.size() / floats);
    const float* const from = arrays.parts[part] + first * floats;
    packed.insert(packed.end(), from, from + vertex_count * floats);
    return place;
}

std::optional<std::span<const std::byte>> PackedSurfaces::bytes_of(std::string_view name) const {
    const auto part = [this](SurfacePart of) { return bytes_from(parts_[static_cast<u32>(of)]); };
    if (name == "meshes") {
        return bytes_from(meshes_);
    }
    if (name == "indices") {
        return bytes_from(indices_);
    }
    return name == "positions"  ? std::optional(part(SurfacePart::Position))
           : name == "normals"  ? std::optional(part(SurfacePart::Normal))
           : name == "tangents" ? std::optional(part(SurfacePart::Tangent))
           : name == "uvs"      ? std::optional(part(SurfacePart::Uv0))
           : name == "colors"   ? std::optional(part(SurfacePart::Color))
                                : std::nullopt;
}

}  // namespace weft::trace
