#include "engine/scene/parts/mesh_data.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/scene/model/tangents.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene {

namespace {

using math::DVec3;
using math::Vec3;

// A large mesh reserves exactly its size; many small ones grow the arena by half each time.
void append_to(GeometryArena<float>& arena, std::span<const float> values) {
    auto& items = arena.own();
    const std::size_t needed = items.size() + values.size();
    if (needed > items.capacity()) {
        items.reserve(std::max(needed, items.capacity() + items.capacity() / 2));
    }
    items.insert(items.end(), values.begin(), values.end());
}

// The row of the first element; kNone where the mesh has none.
u32 append_attribute(GeometryArena<float>& arena, std::span<const float> values, u32 per_vertex) {
    if (values.empty()) {
        return kNone;
    }
    const u32 first = static_cast<u32>(arena.size() / per_vertex);
    append_to(arena, values);
    return first;
}

// Vertex v of the result is vertex source[v].
std::vector<float> gathered(std::span<const float> values,
                            u32 per_vertex,
                            const std::vector<u32>& source) {
    std::vector<float> picked;
    if (!values.empty()) {
        picked.reserve(std::size_t{per_vertex} * source.size());
        for (const u32 vertex : source) {
            const float* const from = values.data() + std::size_t{per_vertex} * vertex;
            picked.insert(picked.end(), from, from + per_vertex);
        }
    }
    return picked;
}

u32 append_arrays(Scene& scene,
                  const std::string& name,
                  const MeshView& mesh,
                  std::span<const float> tangents,
                  u32 material) {
    shaders::MeshRecord record{};
    record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    record.triangle_count = static_cast<u32>(mesh.corners.size() / 3);
    scene.indices.insert(scene.indices.end(), mesh.corners.begin(), mesh.corners.end());
    record.first_position = append_attribute(scene.positions, mesh.positions, 3);
    record.first_normal = append_attribute(scene.normals, mesh.normals, 3);
    record.first_tangent = append_attribute(scene.tangents, tangents, 4);
    record.first_uv0 = append_attribute(scene.uvs, mesh.uvs[0], 2);
    record.first_uv1 = append_attribute(scene.uvs, mesh.uvs[1], 2);
    record.first_color = append_attribute(scene.colors, mesh.colors, 4);
    scene.meshes.push_back({name, record, material});
    return static_cast<u32>(scene.meshes.size() - 1);
}

// The angle at a corner, in radians; 0 for a triangle without area there.
double angle_between(const DVec3& one, const DVec3& other) {
    return shaders::acos_of(math::dot(math::normalize(one), math::normalize(other)));
}

}  // namespace

base::Status check_room(const Scene& scene, const std::string& file, u64 corners, u64 vertices) {
    const u64 all_corners = scene.indices.size() + corners;
    if (all_corners < kNone && scene.positions.size() / 3 + vertices < kNone) {
        return base::Done{};
    }
    return base::Error{base::ErrorKind::Scene,
                       file + ": has " + std::to_string(all_corners / 3) +
                           " triangles; expected fewer than 1.4 thousand million in one scene."};
}

bool needs_tangents(const Scene& scene, u32 material) {
    const shaders::MaterialRecord& record = scene.materials[material].record;
    return record.normal_slot != kNone || record.anisotropy > 0;
}

base::Result<u32> append_mesh(Scene& scene,
                              const std::string& file,
                              const std::string& name,
                              const MeshView& mesh,
                              u32 material) {
    // No mesh has more vertices with tangents than corners and vertices.
    WEFT_TRY(check_room(
        scene, file, mesh.corners.size(), mesh.corners.size() + mesh.positions.size() / 3));
    const u32 map = std::as_const(scene.materials)[material].record.normal_slot;
    const u32 uv_set = map == kNone ? 0 : std::as_const(scene.slots)[map].uv_set;
    if (!needs_tangents(scene, material) || mesh.uvs[uv_set].empty()) {
        return append_arrays(scene, name, mesh, {}, material);
    }
    TangentMesh made = make_tangents(mesh.corners, mesh.positions, mesh.normals, mesh.uvs[uv_set]);
    for (std::size_t k = 3; mesh.is_right_handed && k < made.tangents.size(); k += 4) {
        made.tangents[k] = 1;
    }
    const std::vector<float> positions = gathered(mesh.positions, 3, made.source);
    const std::vector<float> normals = gathered(mesh.normals, 3, made.source);
    const std::vector<float> uvs[2] = {gathered(mesh.uvs[0], 2, made.source),
                                       gathered(mesh.uvs[1], 2, made.source)};
    const std::vector<float> colors = gathered(mesh.colors, 4, made.source);
    return append_arrays(scene,
                         name,
                         {made.indices, positions, normals, {uvs[0], uvs[1]}, colors, false},
                         made.tangents,
                         material);
}

void MeshData::add_vertex(const DVec3& position, const DVec3& normal, double u, double v) {
    for (glm::length_t axis = 0; axis < 3; ++axis) {
        positions.push_back(static_cast<float>(position[axis]));
        normals.push_back(static_cast<float>(normal[axis]));
    }
    uvs.push_back(static_cast<float>(u));
    uvs.push_back(static_cast<float>(v));
}

void MeshData::add_grid(u32 columns, u32 rows, u32 first) {
    for (u32 row = 0; row < rows; ++row) {
        for (u32 column = 0; column < columns; ++column) {
            const u32 at = first + row * (columns + 1) + column;
            const u32 above = at + columns + 1;
            corners.insert(corners.end(), {at, at + 1, above + 1, at, above + 1, above});
        }
    }
}

void MeshData::give_triangle_uvs() {
    constexpr float kOfCorners[3][2] = {{0, 0}, {1, 0}, {1, 1}};
    MeshData made;
    made.positions = gathered(positions, 3, corners);
    made.normals = gathered(normals, 3, corners);
    for (u32 k = 0; k < corners.size(); ++k) {
        made.corners.push_back(k);
        made.uvs.insert(made.uvs.end(), kOfCorners[k % 3], kOfCorners[k % 3] + 2);
    }
    *this = std::move(made);
}

void MeshData::normalize_normals() {
    for (std::size_t k = 0; k + 2 < normals.size(); k += 3) {
        const Vec3 unit = math::normalize(math::vec3_at(&normals[k]));
        std::copy_n(&unit.x, 3, &normals[k]);
    }
}

void MeshData::smooth_normals() {
    std::vector<DVec3> sums(vertex_count());
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
        const std::array<DVec3, 3> p = {DVec3(position(corners[k])),
                                        DVec3(position(corners[k + 1])),
                                        DVec3(position(corners[k + 2]))};
        const DVec3 face = math::normalize(math::cross(p[1] - p[0], p[2] - p[0]));
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const DVec3& here = p[corner];
            sums[corners[k + corner]] +=
                face * angle_between(p[(corner + 1) % 3] - here, p[(corner + 2) % 3] - here);
        }
    }
    normals.clear();
    normals.reserve(positions.size());
    for (const DVec3& sum : sums) {
        const Vec3 unit(math::normalize(sum));
        normals.insert(normals.end(), {unit.x, unit.y, unit.z});
    }
}

void MeshData::orient(bool is_reversed) {
    for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
        bool swaps = is_reversed;
        if (!normals.empty()) {
            Vec3 points[3];
            Vec3 sum{};
            for (std::size_t corner = 0; corner < 3; ++corner) {
                points[corner] = position(corners[k + corner]);
                sum += math::vec3_at(&normals[std::size_t{3} * corners[k + corner]]);
            }
            const Vec3 front = math::cross(points[1] - points[0], points[2] - points[0]);
            swaps = swaps != (math::dot(front, sum) < 0);
        }
        if (swaps) {
            std::swap(corners[k + 1], corners[k + 2]);
        }
    }
    if (is_reversed) {
        for (float& value : normals) {
            value = -value;
        }
    }
}

}  // namespace weft::scene
