// gltf_shape.cpp — the steps after reading a Shape: rest pose, repairs, tangents, and the copy into
// the arenas.
#include <algorithm>
#include <cmath>

#include "engine/scene/gltf/gltf_geometry.h"
#include "engine/scene/gltf/gltf_material.h"
#include "engine/scene/model/tangents.h"

namespace weft::scene::gltf {

namespace {

// What the influences of a shape lack, in vertices.
struct BadInfluences {
    u64 no_weight = 0;
    u64 no_joint = 0;  // a weight is for a joint that the skin lacks
};

math::DAffine blend(const Shape& shape,
                    std::size_t vertex,
                    std::span<const math::DAffine> joints,
                    BadInfluences& bad) {
    math::DAffine sum{};
    double total = 0;
    bool misses_joint = false;
    for (std::size_t set = 0; set < shape.joints.size(); ++set) {
        for (std::size_t k = 4 * vertex; k < 4 * vertex + 4; ++k) {
            const auto weight = static_cast<double>(shape.weights[set][k]);
            const float joint = shape.joints[set][k];
            if (!(weight > 0)) {
                continue;
            }
            if (!(joint >= 0) || joint >= static_cast<float>(joints.size())) {
                misses_joint = true;
                continue;
            }
            const math::DAffine& matrix = joints[static_cast<std::size_t>(joint)];
            for (std::size_t i = 0; i < matrix.size(); ++i) {
                sum[i] += weight * matrix[i];
            }
            total += weight;
        }
    }
    bad.no_joint += misses_joint ? 1 : 0;
    if (!(total > 0)) {
        bad.no_weight += misses_joint ? 0 : 1;
        return joints[0];
    }
    for (double& value : sum) {
        value /= total;
    }
    return sum;
}

void note_bad_influences(const BadInfluences& bad,
                         std::size_t joint_count,
                         const std::string& name,
                         Notes& notes) {
    if (bad.no_weight != 0) {
        notes.add(Note::Kind::Repaired,
                  name + ": " + std::to_string(bad.no_weight) +
                      " vertices have no weights, they follow the first joint of their skin");
    }
    if (bad.no_joint != 0) {
        notes.add(Note::Kind::Repaired,
                  name + ": " + std::to_string(bad.no_joint) +
                      " vertices have weights for joints beyond the " +
                      std::to_string(joint_count) + " of their skin, those weights are left out");
    }
}

void transform_vector_in_place(const math::DAffine& m, float* v) {
    const math::Vec3 placed(math::transform_vector(m, math::DVec3(math::vec3_at(v))));
    std::copy_n(&placed.x, 3, v);
}

void transform_point_in_place(const math::DAffine& m, float* p) {
    const math::Vec3 placed(math::transform_point(m, math::DVec3(math::vec3_at(p))));
    std::copy_n(&placed.x, 3, p);
}

// Makes rows unit length; one that is too short or not finite becomes zero, for which the renderer
// uses the geometric normal.
void normalize_rows(std::vector<float>& values, std::size_t row) {
    for (std::size_t i = 0; i + row <= values.size(); i += row) {
        float* v = &values[i];
        const math::DVec3 from(math::vec3_at(v));
        const bool is_good = length(from) > 1e-12 && length(from) < 1e30;
        const math::Vec3 unit(is_good ? math::normalize(from) : math::DVec3{});
        std::copy_n(&unit.x, 3, v);
    }
}

void replace_non_finite(std::vector<float>& values, float stand_in) {
    for (float& value : values) {
        value = std::isfinite(value) ? value : stand_in;
    }
}

// Tangents without length become some direction along the surface; handedness is ±1.
void repair_tangents(Shape& shape) {
    normalize_rows(shape.tangents, 4);
    for (std::size_t v = 0; v < shape.tangents.size() / 4; ++v) {
        float* tangent = &shape.tangents[4 * v];
        if (tangent[0] == 0 && tangent[1] == 0 && tangent[2] == 0) {
            any_tangent(&shape.normals[3 * v], tangent);
        }
        tangent[3] = tangent[3] < 0 ? -1.0f : 1.0f;
    }
}

bool is_finite_vertex(const Shape& shape, u32 vertex) {
    const float* p = &shape.positions[3 * std::size_t{vertex}];
    return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

void drop_bad_triangles(Shape& shape, const std::string& name, Notes& notes) {
    u64 missing = 0;
    u64 infinite = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 2 < shape.indices.size(); i += 3) {
        const std::array<u32, 3> corners = {
            shape.indices[i], shape.indices[i + 1], shape.indices[i + 2]};
        if (*std::max_element(corners.begin(), corners.end()) >= shape.vertex_count) {
            ++missing;
        } else if (!std::all_of(corners.begin(), corners.end(), [&](u32 v) {
                       return is_finite_vertex(shape, v);
                   })) {
            ++infinite;
        } else {
            std::copy(corners.begin(),
                      corners.end(),
                      shape.indices.begin() + static_cast<std::ptrdiff_t>(kept));
            kept += 3;
        }
    }
    shape.indices.resize(kept);
    if (missing != 0) {
        notes.add(Note::Kind::Repaired,
                  name + ": " + std::to_string(missing) +
                      " triangles left out, their indices name vertices beyond the " +
                      std::to_string(shape.vertex_count) + " there are");
    }
    if (infinite != 0) {
        notes.add(Note::Kind::Repaired,
                  name + ": " + std::to_string(infinite) +
                      " triangles left out, a position is not finite");
    }
}

template <typename T>
std::vector<T> gather(const std::vector<T>& rows,
                      std::size_t width,
                      const std::vector<u32>& source) {
    std::vector<T> gathered;
    if (rows.empty()) {
        return gathered;
    }
    gathered.reserve(source.size() * width);
    for (const u32 from : source) {
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(from * width);
        gathered.insert(gathered.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return gathered;
}

// Makes vertex v a copy of the former vertex source[v], in every attribute.
void take_vertices(Shape& shape, const std::vector<u32>& source) {
    shape.positions = gather(shape.positions, 3, source);
    shape.normals = gather(shape.normals, 3, source);
    shape.tangents = gather(shape.tangents, 4, source);
    shape.uv0 = gather(shape.uv0, 2, source);
    shape.uv1 = gather(shape.uv1, 2, source);
    shape.colors = gather(shape.colors, 4, source);
    shape.vertex_count = source.size();
}

// Many primitives may share one set of attributes and each use a part of it; keeps only that part,
// in the same order.
void drop_unused_vertices(Shape& shape) {
    std::vector<u32> new_index(shape.vertex_count, kNone);
    for (const u32 index : shape.indices) {
        new_index[index] = 0;
    }
    std::vector<u32> source;
    for (u32 v = 0; v < new_index.size(); ++v) {
        if (new_index[v] != kNone) {
            new_index[v] = static_cast<u32>(source.size());
            source.push_back(v);
        }
    }
    if (source.size() == shape.vertex_count) {
        return;
    }
    for (u32& index : shape.indices) {
        index = new_index[index];
    }
    take_vertices(shape, source);
}

// Row number of the first element in its arena, kNone where there are none.
u32 append_rows(GeometryArena<float>& arena, const std::vector<float>& rows, std::size_t width) {
    if (rows.empty()) {
        return kNone;
    }
    const std::size_t first = arena.size() / width;
    arena.insert(arena.end(), rows.begin(), rows.end());
    return static_cast<u32>(first);
}

}  // namespace

void skin_shape(Shape& shape,
                std::span<const math::DAffine> joints,
                const std::string& name,
                Notes& notes) {
    BadInfluences bad;
    for (std::size_t v = 0; v < shape.vertex_count; ++v) {
        const math::DAffine matrix = blend(shape, v, joints, bad);
        transform_point_in_place(matrix, &shape.positions[3 * v]);
        if (!shape.normals.empty()) {
            transform_vector_in_place(math::normal_matrix(matrix), &shape.normals[3 * v]);
        }
        if (!shape.tangents.empty()) {
            transform_vector_in_place(matrix, &shape.tangents[4 * v]);
        }
    }
    note_bad_influences(bad, joints.size(), name, notes);
}

void clean_shape(Shape& shape, const std::string& name, Notes& notes) {
    drop_bad_triangles(shape, name, notes);
    drop_unused_vertices(shape);
    replace_non_finite(shape.positions, 0.0f);
    replace_non_finite(shape.uv0, 0.0f);
    replace_non_finite(shape.uv1, 0.0f);
    replace_non_finite(shape.colors, 1.0f);
    normalize_rows(shape.normals, 3);
    if (!shape.tangents.empty()) {
        repair_tangents(shape);
    }
}

void add_tangents(Shape& shape, u32 uv_set) {
    const std::vector<float>& uvs = uv_set == 0 ? shape.uv0 : shape.uv1;
    if (uvs.empty() || shape.indices.empty()) {
        return;
    }
    TangentMesh mesh = make_tangents(shape.indices, shape.positions, shape.normals, uvs);
    take_vertices(shape, mesh.source);
    shape.indices = std::move(mesh.indices);
    shape.tangents = std::move(mesh.tangents);
}

void give_tangents(Shape& shape, const Scene& scene, u32 material) {
    const std::optional<u32> uv_set = tangent_uv_set(scene, scene.materials[material].record);
    if (!uv_set) {
        shape.tangents.clear();
    } else if (shape.tangents.empty()) {
        add_tangents(shape, *uv_set);
    }
}

Shape shape_of(const Scene& scene, u32 mesh) {
    const shaders::MeshRecord& record = scene.meshes[mesh].record;
    Shape shape;
    const u32* first = scene.indices.data() + std::size_t{3} * record.first_triangle;
    shape.indices.assign(first, first + std::size_t{3} * record.triangle_count);
    // A finished shape has no vertex without a triangle.
    shape.vertex_count =
        std::size_t{*std::max_element(shape.indices.begin(), shape.indices.end())} + 1;
    const auto take = [&](const GeometryArena<float>& arena, u32 row, u32 width) {
        if (row == kNone) {
            return std::vector<float>();
        }
        const float* values = arena.data() + std::size_t{row} * width;
        return std::vector<float>(values, values + shape.vertex_count * width);
    };
    shape.positions = take(scene.positions, record.first_position, 3);
    shape.normals = take(scene.normals, record.first_normal, 3);
    shape.tangents = take(scene.tangents, record.first_tangent, 4);
    shape.uv0 = take(scene.uvs, record.first_uv0, 2);
    shape.uv1 = take(scene.uvs, record.first_uv1, 2);
    shape.colors = take(scene.colors, record.first_color, 4);
    return shape;
}

base::Result<u32> append_shape(Scene& scene,
                               const Shape& shape,
                               const std::string& name,
                               u32 material) {
    const std::size_t triangles = (scene.indices.size() + shape.indices.size()) / 3;
    const std::size_t vertices =
        (std::max(scene.positions.size(), scene.uvs.size() * 3 / 2) / 3) + 2 * shape.vertex_count;
    if (triangles >= kNone || vertices >= kNone) {
        return base::Error{base::ErrorKind::Scene,
                           name + ": the scene outgrows 2^32 - 1 triangles or vertices here"};
    }
    Mesh mesh;
    mesh.name = name;
    mesh.material = material;
    mesh.record.first_triangle = static_cast<u32>(scene.indices.size() / 3);
    mesh.record.triangle_count = static_cast<u32>(shape.indices.size() / 3);
    scene.indices.insert(scene.indices.end(), shape.indices.begin(), shape.indices.end());
    mesh.record.first_position = append_rows(scene.positions, shape.positions, 3);
    mesh.record.first_normal = append_rows(scene.normals, shape.normals, 3);
    mesh.record.first_tangent = append_rows(scene.tangents, shape.tangents, 4);
    mesh.record.first_uv0 = append_rows(scene.uvs, shape.uv0, 2);
    mesh.record.first_uv1 = append_rows(scene.uvs, shape.uv1, 2);
    mesh.record.first_color = append_rows(scene.colors, shape.colors, 4);
    scene.meshes.push_back(std::move(mesh));
    return static_cast<u32>(scene.meshes.size() - 1);
}

}  // namespace weft::scene::gltf
