// procedural_shapes.cpp — patches and blobs written into the scene's arenas; see the header.
#include "engine/scene/procedural/procedural_shapes.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <tbb/parallel_for.h>

#include "engine/scene/procedural/procedural_noise.h"
#include "scheduler/base/ensure.h"

namespace weft::scene {
namespace {

using math::Vec3;

// Multiplies by the reciprocal of the length, because films of procedural scenes have these bits.
Vec3 by_reciprocal(const Vec3& v) {
    return length(v) > 0 ? glm::normalize(v) : Vec3{};
}

// A patch of T triangles is `rows` rows of `columns` quads; the far edge of its last row has
// `extra` segments more.
struct PatchGrid {
    u64 columns = 1;
    u64 rows = 1;
    u64 extra = 0;
};

PatchGrid patch_grid(u64 triangles) {
    PatchGrid grid;
    grid.columns =
        std::max<u64>(1, static_cast<u64>(std::sqrt(static_cast<double>(triangles) / 2)));
    grid.rows = triangles / (2 * grid.columns);
    grid.extra = triangles - 2 * grid.columns * grid.rows;
    return grid;
}

// Where one shape writes: its own parts of the arenas, and the index of its first vertex within its
// mesh.
struct Target {
    std::span<u32> indices;
    std::span<float> positions;
    std::span<float> normals;
    u32 base = 0;
};

void write_patch(const Shape& shape, const Target& target) {
    const PatchGrid grid = patch_grid(shape.triangles);
    const Vec3 normal = by_reciprocal(cross(shape.edge_u, shape.edge_v));
    std::size_t vertex = 0;
    const auto put_vertex = [&](float u, float v) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            target.positions[3 * vertex + axis] =
                shape.origin[axis] + shape.edge_u[axis] * u + shape.edge_v[axis] * v;
            target.normals[3 * vertex + axis] = normal[axis];
        }
        ++vertex;
    };
    std::size_t corner = 0;
    const auto put_triangle = [&](u64 a, u64 b, u64 c) {
        target.indices[corner++] = target.base + static_cast<u32>(a);
        target.indices[corner++] = target.base + static_cast<u32>(b);
        target.indices[corner++] = target.base + static_cast<u32>(c);
    };
    // One triangle alone is half of the parallelogram.
    if (grid.rows == 0) {
        put_vertex(0, 0);
        put_vertex(1, 0);
        put_vertex(0, 1);
        put_triangle(0, 1, 2);
        return;
    }
    // Put a grid of vertices; the last row may have more.
    for (u64 row = 0; row <= grid.rows; ++row) {
        const u64 segments = grid.columns + (row == grid.rows ? grid.extra : 0);
        for (u64 column = 0; column <= segments; ++column) {
            put_vertex(static_cast<float>(column) / static_cast<float>(segments),
                       static_cast<float>(row) / static_cast<float>(grid.rows));
        }
    }
    // Each row is a zip: advance on the side whose next vertex comes first.
    for (u64 row = 0; row < grid.rows; ++row) {
        const u64 near = grid.columns;
        const u64 far = grid.columns + (row + 1 == grid.rows ? grid.extra : 0);
        const u64 near_first = row * (grid.columns + 1);
        const u64 far_first = near_first + grid.columns + 1;
        for (u64 i = 0, j = 0; i < near || j < far;) {
            if (i < near && (j == far || (i + 1) * far <= (j + 1) * near)) {
                put_triangle(near_first + i, near_first + i + 1, far_first + j);
                ++i;
            } else {
                put_triangle(near_first + i, far_first + j + 1, far_first + j);
                ++j;
            }
        }
    }
}

// Rings of vertices from the upper pole (ring 0) to the lower one (ring 2f); ring j has 4·min(j, 2f
// − j) of them, and each of its quadrants starts on one axis.
u64 ring_first(u64 frequency, u64 ring) {
    if (ring == 0) {
        return 0;
    }
    if (ring <= frequency) {
        return 1 + 2 * ring * (ring - 1);
    }
    const u64 below = 2 * frequency - ring;
    return 4 * frequency * frequency + 1 - 2 * below * (below + 1);
}

void write_blob_indices(const Shape& shape, const Target& target) {
    const u64 f = shape.frequency;
    std::size_t corner = 0;
    const auto vertex_at = [&](u64 ring, u64 quadrant, u64 step) {
        const u64 steps = std::min(ring, 2 * f - ring);
        const u64 around = steps == 0 ? 0 : (quadrant * steps + step) % (4 * steps);
        return target.base + static_cast<u32>(ring_first(f, ring) + around);
    };
    const auto put_triangle = [&](u32 a, u32 b, u32 c) {
        target.indices[corner++] = a;
        target.indices[corner++] = b;
        target.indices[corner++] = c;
    };
    for (u64 ring = 0; ring < 2 * f; ++ring) {
        const bool is_upper = ring < f;
        const u64 shorter =
            is_upper ? ring : 2 * f - ring - 1;  // steps per quadrant of the shorter ring
        for (u64 quadrant = 0; quadrant < 4; ++quadrant) {
            const auto above = [&](u64 step) { return vertex_at(ring, quadrant, step); };
            const auto below = [&](u64 step) { return vertex_at(ring + 1, quadrant, step); };
            for (u64 s = 0; s <= shorter; ++s) {
                if (is_upper) {
                    put_triangle(above(s), below(s), below(s + 1));
                } else {
                    put_triangle(above(s), below(s), above(s + 1));
                }
            }
            for (u64 s = 0; s < shorter; ++s) {
                if (is_upper) {
                    put_triangle(above(s), below(s + 1), above(s + 1));
                } else {
                    put_triangle(below(s), below(s + 1), above(s + 1));
                }
            }
        }
    }
}

// The vertex's direction: its place on the octahedron, pushed out to the sphere.
Vec3 blob_direction(u64 frequency, u64 ring, u64 around) {
    static constexpr std::array<Vec3, 5> kAxes = {
        {{1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0, 0, 1}, {1, 0, 0}}};
    const u64 steps = std::min(ring, 2 * frequency - ring);
    const float f = static_cast<float>(frequency);
    Vec3 place = {0, (f - static_cast<float>(ring)) / f, 0};
    if (steps > 0) {
        const u64 quadrant = around / steps;
        const float to_next = static_cast<float>(around % steps) / f;
        const float to_this = static_cast<float>(steps) / f - to_next;
        for (std::size_t axis = 0; axis < 3; axis += 2) {
            place[axis] = kAxes[quadrant][axis] * to_this + kAxes[quadrant + 1][axis] * to_next;
        }
    }
    return by_reciprocal(place);
}

void write_blob_vertices(const Shape& shape, const Target& target) {
    const u64 f = shape.frequency;
    std::size_t at = 0;
    for (u64 ring = 0; ring <= 2 * f; ++ring) {
        const u64 around_count = std::max<u64>(1, 4 * std::min(ring, 2 * f - ring));
        for (u64 around = 0; around < around_count; ++around, at += 3) {
            const Vec3 d = blob_direction(f, ring, around);
            float radius = shape.radius;
            if (shape.bumpiness > 0) {
                const float x = d[0] * 1.7f;
                const float y = d[1] * 1.7f;
                const float z = d[2] * 1.7f;
                radius *= 1.0f + shape.bumpiness * layered_noise(x, y, z, shape.seed, 4);
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                target.positions[at + axis] = shape.origin[axis] + radius * d[axis];
                target.normals[at + axis] = shape.bumpiness > 0 ? 0.0f : d[axis];
            }
        }
    }
}

// Vertex normals of a bumpy blob: face normals weighted by area, added in the order of its
// triangles.
void write_blob_normals(const Target& target) {
    const auto position = [&](u32 index) {
        const std::size_t at = std::size_t{3} * (index - target.base);
        return Vec3{target.positions[at], target.positions[at + 1], target.positions[at + 2]};
    };
    for (std::size_t corner = 0; corner < target.indices.size(); corner += 3) {
        const Vec3 a = position(target.indices[corner]);
        const Vec3 face = cross(position(target.indices[corner + 1]) - a,
                                position(target.indices[corner + 2]) - a);
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t at = std::size_t{3} * (target.indices[corner + k] - target.base);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                target.normals[at + axis] += face[axis];
            }
        }
    }
    for (std::size_t at = 0; at < target.normals.size(); at += 3) {
        const Vec3 n =
            by_reciprocal({target.normals[at], target.normals[at + 1], target.normals[at + 2]});
        std::copy_n(&n.x, 3, &target.normals[at]);
    }
}

void write_shape(const Shape& shape, const Target& target) {
    if (shape.kind == Shape::Kind::Patch) {
        write_patch(shape, target);
        return;
    }
    write_blob_indices(shape, target);
    write_blob_vertices(shape, target);
    if (shape.bumpiness > 0) {
        write_blob_normals(target);
    }
}

}  // namespace

u64 triangle_count(const Shape& shape) {
    return shape.kind == Shape::Kind::Patch ? shape.triangles
                                            : u64{8} * shape.frequency * shape.frequency;
}

u64 vertex_count(const Shape& shape) {
    if (shape.kind == Shape::Kind::Blob) {
        return u64{4} * shape.frequency * shape.frequency + 2;
    }
    const PatchGrid grid = patch_grid(shape.triangles);
    return grid.rows == 0 ? 3 : (grid.rows + 1) * (grid.columns + 1) + grid.extra;
}

u32 blob_frequency(u64 triangles) {
    u64 f = static_cast<u64>(std::sqrt(static_cast<double>(triangles) / 8));
    while (8 * (f + 1) * (f + 1) <= triangles) {
        ++f;
    }
    while (f > 0 && 8 * f * f > triangles) {
        --f;
    }
    return static_cast<u32>(f);
}

void append_shapes(const ImportConfig& config,
                   Scene& scene,
                   const std::vector<ShapeGroup>& groups,
                   const std::vector<Shape>& shapes) {
    struct Place {
        u64 triangle;
        u64 vertex;
        u64 mesh_vertex;
    };

    std::vector<Place> places(shapes.size());
    u64 triangle = scene.indices.size() / 3;
    u64 vertex = scene.positions.size() / 3;
    const u64 normal_shift =
        vertex - scene.normals.size() / 3;  // earlier meshes may have no normals
    // Plan: every group's shapes lie one after the other.
    for (u32 group = 0; group < groups.size(); ++group) {
        const u64 first_triangle = triangle;
        const u64 first_vertex = vertex;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (shapes[i].group == group) {
                places[i] = {triangle, vertex, vertex - first_vertex};
                triangle += triangle_count(shapes[i]);
                vertex += vertex_count(shapes[i]);
            }
        }
        if (triangle == first_triangle) {
            continue;
        }
        shaders::MeshRecord record{};
        record.first_triangle = static_cast<u32>(first_triangle);
        record.triangle_count = static_cast<u32>(triangle - first_triangle);
        record.first_position = static_cast<u32>(first_vertex);
        record.first_normal = static_cast<u32>(first_vertex - normal_shift);
        record.first_tangent = record.first_uv0 = record.first_uv1 = record.first_color = kNone;
        const u32 mesh = static_cast<u32>(scene.meshes.size());
        scene.meshes.push_back({groups[group].name, record, groups[group].material});
        scene.instances.push_back(
            {mesh, groups[group].material, math::kIdentity, groups[group].name});
    }
    // Resize the arrays.
    ENSURE(3 * triangle, <, u64{kNone});
    if (is_given_up(config)) {
        return;
    }
    scene.indices.resize(3 * triangle);
    scene.positions.resize(3 * vertex);
    scene.normals.resize(3 * (vertex - normal_shift));
    // Write the shapes in parallel.
    tbb::parallel_for(std::size_t{0}, shapes.size(), [&](std::size_t i) {
        if (is_given_up(config)) {
            return;
        }
        const std::size_t floats = 3 * vertex_count(shapes[i]);
        Target target;
        target.indices = {scene.indices.data() + 3 * places[i].triangle,
                          3 * triangle_count(shapes[i])};
        target.positions = {scene.positions.data() + 3 * places[i].vertex, floats};
        target.normals = {scene.normals.data() + 3 * (places[i].vertex - normal_shift), floats};
        target.base = static_cast<u32>(places[i].mesh_vertex);
        write_shape(shapes[i], target);
    });
}

u32 append_material(Scene& scene,
                    const std::string& name,
                    const Vec3& base_color,
                    float metallic,
                    float roughness) {
    Material material{name, default_material()};
    std::copy_n(&base_color.x, 3, material.record.base_color);
    material.record.metallic = metallic;
    material.record.roughness = roughness;
    scene.materials.push_back(std::move(material));
    return static_cast<u32>(scene.materials.size() - 1);
}

math::Affine look_at(const Vec3& eye, const Vec3& target) {
    const Vec3 back = by_reciprocal(eye - target);
    const Vec3 up_hint = std::fabs(back[1]) > 0.999f ? Vec3{0, 0, -1} : Vec3{0, 1, 0};
    const Vec3 right = by_reciprocal(cross(up_hint, back));
    const Vec3 up = cross(back, right);
    return math::from_columns(right, up, back, eye);
}

Vec3 hue_color(float hue, float saturation, float value) {
    Vec3 color{};
    for (std::size_t channel = 0; channel < 3; ++channel) {
        const float shifted = hue * 6.0f + (channel == 0 ? 0.0f : channel == 1 ? 4.0f : 2.0f);
        const float wrapped = shifted >= 6.0f ? shifted - 6.0f : shifted;
        const float ramp = std::fmin(std::fmax(std::fabs(wrapped - 3.0f) - 1.0f, 0.0f), 1.0f);
        color[channel] = value * (1.0f - saturation + saturation * ramp);
    }
    return color;
}

}  // namespace weft::scene
