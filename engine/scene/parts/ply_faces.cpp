// ply_faces.cpp — see ply_faces.h.
#include "engine/scene/parts/ply_faces.h"

#include <algorithm>
#include <cmath>

#include "engine/scene/parts/polygon_cut.h"

namespace weft::scene {

namespace {

// Appends the `each` numbers of one vertex or corner; nothing where the list is empty.
void append_of(std::vector<float>& to,
               const std::vector<float>& from,
               std::size_t each,
               std::size_t at) {
    if (!from.empty()) {
        const float* const numbers = from.data() + each * at;
        to.insert(to.end(), numbers, numbers + each);
    }
}

}  // namespace

void PlyFaces::add(std::span<const u32> corners,
                   std::span<const float> uvs,
                   std::span<const float> color) {
    if (corners.size() > 3) {
        polygons_.push_back({corners_.size(), corners.size()});
    }
    if (uvs.size() == 2 * corners.size()) {
        uvs_.resize(2 * corners_.size());
        uvs_.insert(uvs_.end(), uvs.begin(), uvs.end());
    }
    if (!color.empty()) {
        colors_.resize(4 * corners_.size(), 1.0F);
        for (std::size_t k = 0; k < corners.size(); ++k) {
            colors_.insert(colors_.end(), color.begin(), color.end());
        }
    }
    corners_.insert(corners_.end(), corners.begin(), corners.end());
}

void PlyFaces::give_uvs() {
    constexpr float kOfCorners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    uvs_.clear();
    uvs_.reserve(2 * corners_.size());
    auto polygon = polygons_.begin();
    while (uvs_.size() < 2 * corners_.size()) {
        const bool is_polygon = polygon != polygons_.end() && 2 * polygon->first == uvs_.size();
        const std::size_t count = is_polygon ? polygon++->count : 3;
        for (std::size_t k = 0; k < count; ++k) {
            const float* const uv = kOfCorners[std::min<std::size_t>(k, 3)];
            uvs_.insert(uvs_.end(), uv, uv + 2);
        }
    }
}

bool PlyFaces::is_sound(const MeshData& mesh, std::span<const u32> corners) {
    const auto broken = std::find_if(corners.begin(), corners.end(), [&mesh](u32 corner) {
        if (corner >= mesh.vertex_count()) {
            return true;
        }
        const float* const p = &mesh.positions[std::size_t{3} * corner];
        return !std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]);
    });
    if (broken != corners.end() && !broken_corner_) {
        broken_corner_ = *broken;
    }
    return broken == corners.end();
}

void PlyFaces::make_triangles(MeshData& mesh, std::vector<float>& colors) {
    if (polygons_.empty() && !has_attributes() && is_sound(mesh, corners_)) {
        mesh.corners = std::move(corners_);
        return;
    }
    auto polygon = polygons_.begin();
    std::size_t count = 0;
    for (std::size_t first = 0; first < corners_.size(); first += count) {
        const bool is_polygon = polygon != polygons_.end() && polygon->first == first;
        count = is_polygon ? polygon++->count : 3;
        if (is_sound(mesh, {&corners_[first], count})) {
            cut(mesh, first, count);
        } else {
            dropped_triangles_ += count - 2;
        }
    }
    if (has_attributes()) {
        split(mesh, colors);
    }
}

void PlyFaces::cut(MeshData& mesh, std::size_t first, std::size_t count) {
    if (count == 3) {
        add_triangle(mesh, first, {0, 1, 2});
        return;
    }
    outline_.clear();
    for (std::size_t k = 0; k < count; ++k) {
        outline_.push_back(mesh.position(corners_[first + k]));
    }
    for (const std::array<u32, 3>& triangle : cut_polygon(outline_)) {
        add_triangle(mesh, first, triangle);
    }
}

void PlyFaces::add_triangle(MeshData& mesh, std::size_t first, const std::array<u32, 3>& triangle) {
    for (const u32 corner : triangle) {
        if (has_attributes()) {
            split_.push_back(first + corner);
        } else {
            mesh.corners.push_back(corners_[first + corner]);
        }
    }
}

// Makes a vertex for each corner of the triangles.
void PlyFaces::split(MeshData& mesh, std::vector<float>& colors) {
    const bool has_uvs = !uvs_.empty();
    const bool has_colors = !colors_.empty();
    uvs_.resize(has_uvs ? 2 * corners_.size() : 0);
    colors_.resize(has_colors ? 4 * corners_.size() : 0, 1.0F);
    MeshData made;
    std::vector<float> made_colors;
    for (const std::size_t at : split_) {
        const std::size_t vertex = corners_[at];
        made.corners.push_back(static_cast<u32>(made.corners.size()));
        append_of(made.positions, mesh.positions, 3, vertex);
        append_of(made.normals, mesh.normals, 3, vertex);
        append_of(made.uvs, has_uvs ? uvs_ : mesh.uvs, 2, has_uvs ? at : vertex);
        append_of(made_colors, has_colors ? colors_ : colors, 4, has_colors ? at : vertex);
    }
    mesh = std::move(made);
    colors = std::move(made_colors);
}

}  // namespace weft::scene
