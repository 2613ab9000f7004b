// ply_faces.h — the faces of a PLY until its vertices are known, and then their triangles.
//
// Faces may have uvs and colours of their own; a vertex is then made for each corner. One thread.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "engine/scene/parts/mesh_data.h"

namespace weft::scene {

class PlyFaces {
public:
    // A face of three corners or more. It has 2 uvs per corner, or they are left out; 4 numbers of
    // a colour, or none.
    void add(std::span<const u32> corners,
             std::span<const float> uvs,
             std::span<const float> color);

    [[nodiscard]] std::size_t corner_count() const { return corners_.size(); }

    // Whether triangles will need vertices of their own.
    [[nodiscard]] bool has_attributes() const { return !uvs_.empty() || !colors_.empty(); }

    // The vertices have colours, which the mesh keeps.
    void leave_colors_out() { colors_.clear(); }

    // Gives the corners of each face the uvs (0, 0), (1, 0), (1, 1) and, behind these, (0, 1).
    void give_uvs();

    // Appends the triangles of all faces to a mesh of vertices alone, and to their colours, which
    // are 4 per vertex or none. Comes last.
    void make_triangles(MeshData& mesh, std::vector<float>& colors);

    // What make_triangles() left out: faces with a corner that names no vertex or one that is not
    // finite, and the first such corner.
    [[nodiscard]] u64 dropped_triangles() const { return dropped_triangles_; }

    [[nodiscard]] std::optional<u32> broken_corner() const { return broken_corner_; }

private:
    struct Polygon {
        std::size_t first = 0;  // in corners_
        std::size_t count = 0;
    };

    bool is_sound(const MeshData& mesh, std::span<const u32> corners);
    void cut(MeshData& mesh, std::size_t first, std::size_t count);
    void add_triangle(MeshData& mesh, std::size_t first, const std::array<u32, 3>& triangle);
    void split(MeshData& mesh, std::vector<float>& colors);

    // Of all faces: threes, but for the polygons.
    std::vector<u32> corners_;
    std::vector<Polygon> polygons_;
    // Of each corner; shorter where the last faces have none.
    std::vector<float> uvs_;
    std::vector<float> colors_;

    std::vector<std::size_t> split_;   // the corners of triangles that become vertices, in corners_
    std::vector<math::Vec3> outline_;  // of the present polygon
    u64 dropped_triangles_ = 0;
    std::optional<u32> broken_corner_;
};

}  // namespace weft::scene
