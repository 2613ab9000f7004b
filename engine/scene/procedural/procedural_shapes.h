// procedural_shapes.h — the two shapes that procedural scenes are made of, at any triangle count.
//
// A patch is a flat parallelogram of exactly N triangles; a blob is a sphere of 8 f² triangles (an
// octahedron divided f times along each edge) with bumps. append_shapes() plans where each shape
// lies in the arenas, sizes the arenas once and fills them with oneTBB; the result does not depend
// on the number of threads. Called by procedural_*.cpp.
#pragma once

#include <string>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/import.h"
#include "engine/scene/model/scene.h"

namespace weft::scene {

struct Shape {
    enum class Kind { Patch, Blob };
    Kind kind = Kind::Blob;
    u32 group = 0;  // which mesh it belongs to
    // Patch: origin + u edge_u + v edge_v; the front side is where cross(edge_u, edge_v) points.
    // Blob: the centre.
    math::Vec3 origin{};
    math::Vec3 edge_u{};
    math::Vec3 edge_v{};
    u64 triangles = 2;    // patch: exactly so many, at least 1 (1: half of the parallelogram)
    u32 frequency = 1;    // blob: divisions of an octahedron's edge
    float radius = 1;     // blob
    float bumpiness = 0;  // blob: bumps as a fraction of the radius; 0 is a smooth sphere
    u32 seed = 0;         // blob: of its bumps
};

// One mesh of the scene, placed once and untransformed.
struct ShapeGroup {
    std::string name;
    u32 material = 0;
};

u64 triangle_count(const Shape& shape);
u64 vertex_count(const Shape& shape);

// The largest frequency whose blob has no more than `triangles` triangles; 0 below 8.
u32 blob_frequency(u64 triangles);

// Appends one mesh and one instance per group that has shapes. Shapes of one group keep their
// order. Once the import is cancelled, the remaining shapes stay empty.
void append_shapes(const ImportConfig& config,
                   Scene& scene,
                   const std::vector<ShapeGroup>& groups,
                   const std::vector<Shape>& shapes);

// Parts shared by procedural scenes.
u32 append_material(Scene& scene,
                    const std::string& name,
                    const math::Vec3& base_color,
                    float metallic,
                    float roughness);
math::Affine look_at(const math::Vec3& eye, const math::Vec3& target);
math::Vec3 hue_color(float hue, float saturation, float value);  // hue in [0, 1)

}  // namespace weft::scene
