// mesh_data.h — a mesh as plain arrays, and the one way in which importers append it to the scene.
//
// The arrays are in object space; corners count vertices of the mesh from 0. One thread per scene.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/math/vector.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// The arrays of a mesh that somebody else owns. What it lacks is empty.
struct MeshView {
    std::span<const u32> corners;      // 3 per triangle
    std::span<const float> positions;  // 3 per vertex; finite
    std::span<const float> normals;    // 3, of unit length or zero
    std::span<const float> uvs[2];     // 2
    std::span<const float> colors;     // 4, linear
    // The bitangent is normal × tangent, whichever way v grows; else as glTF says.
    bool is_right_handed = false;
};

// Whether meshes of the material need tangents: it has a normal map or is anisotropic.
bool needs_tangents(const Scene& scene, u32 material);

// Appends the mesh as one of `material` (of the scene), with tangents where the material needs them
// and the mesh has uvs: vertices that need two are doubled. Returns its index. Error, which names
// `file`: the scene's triangles or vertices outgrow 32-bit indices.
base::Result<u32> append_mesh(Scene& scene,
                              const std::string& file,
                              const std::string& name,
                              const MeshView& mesh,
                              u32 material);

// Whether so many more fit into the scene; else the same error.
base::Status check_room(const Scene& scene, const std::string& file, u64 corners, u64 vertices);

// A mesh that is being made.
struct MeshData {
    std::vector<u32> corners;
    std::vector<float> positions;
    std::vector<float> normals;  // empty: none
    std::vector<float> uvs;      // empty: none

    [[nodiscard]] std::size_t vertex_count() const { return positions.size() / 3; }

    [[nodiscard]] MeshView view() const {
        return {corners, positions, normals, {uvs, {}}, {}, true};
    }

    [[nodiscard]] u64 size_bytes() const {
        return sizeof(float) * (corners.size() + positions.size() + normals.size() + uvs.size());
    }

    [[nodiscard]] math::Vec3 position(u32 vertex) const {
        return math::vec3_at(&positions[std::size_t{3} * vertex]);
    }

    void add_vertex(const math::DVec3& position, const math::DVec3& normal, double u, double v);

    // Two triangles for each cell of a grid of columns + 1 times rows + 1 vertices, from vertex
    // `first` on. They turn counter-clockwise where columns grow to the right and rows upwards.
    void add_grid(u32 columns, u32 rows, u32 first = 0);

    // Makes a vertex of each corner, and gives those of each triangle the uvs (0, 0), (1, 0), (1,
    // 1).
    void give_triangle_uvs();

    // Gives normals unit length; those without a direction become 0.
    void normalize_normals();

    // Replaces the normals by means of those of the triangles around each vertex, weighted by their
    // angles (Thürmer and Wüthrich, "Computing Vertex Normals from Polygonal Facets", 1998).
    void smooth_normals();

    // Orders the corners of each triangle so that its front is where its normals point to, or, for
    // `is_reversed`, the other side; the normals then turn, too. Without normals the order says
    // which side is the front.
    void orient(bool is_reversed);
};

}  // namespace weft::scene
