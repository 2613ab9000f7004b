// gltf_geometry.h — one glTF primitive as plain arrays: read it, morph it, skin it, clean it, add
// tangents, append it to the arenas.
//
// The steps run in that order; each works on a Shape. A frame of an animation takes finished shapes
// from the frame before (shape_of). read_* may run on any thread;
// append_shape on the scene's importer thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_draws.h"
#include "engine/scene/gltf/gltf_notes.h"
#include "engine/scene/model/scene.h"

namespace weft::scene::gltf {

// Arrays are empty where the primitive lacks the attribute; all others have vertex_count rows.
struct Shape {
    std::size_t vertex_count = 0;
    std::vector<float> positions;             // 3
    std::vector<float> normals;               // 3
    std::vector<float> tangents;              // 4
    std::vector<float> uv0;                   // 2
    std::vector<float> uv1;                   // 2
    std::vector<float> colors;                // 4
    std::vector<std::vector<float>> joints;   // 4 per vertex, one array per set of JOINTS_n
    std::vector<std::vector<float>> weights;  // 4
    std::vector<u32> indices;                 // 3 per triangle
};

// A primitive and how to read it.
struct ShapeRequest {
    std::size_t mesh = 0;
    std::size_t primitive = 0;
    std::span<const double> morph_weights;
    bool is_skinned = false;
    IndexSource source{};  // its indices; Draco's take precedence
};

// Empty, with a note, where the primitive draws points or lines or has an unknown mode.
base::Result<std::optional<Shape>> read_shape(const Document& document,
                                              const ShapeRequest& request,
                                              Notes& notes);

// Rest pose: joints[j] takes a vertex to the world; there is at least one. Weights of joints that
// are not there do not count. glTF ignores the transform of the node, so a vertex that has no
// weights follows joint 0. Notes count both kinds of vertices; `name` is for them.
void skin_shape(Shape& shape,
                std::span<const math::DAffine> joints,
                const std::string& name,
                Notes& notes);

// Drops triangles that name missing vertices or have no finite corner, then the vertices that no
// triangle uses; makes every value finite. Call it after skin_shape(), because it leaves joints and
// weights as they are. `name` is for the notes.
void clean_shape(Shape& shape, const std::string& name, Notes& notes);

// A mesh of another import as it was appended: a finished shape.
Shape shape_of(const Scene& scene, u32 mesh);

// `uv_set` is that of the material's normal texture.
void add_tangents(Shape& shape, u32 uv_set);

// Keeps or makes tangents where a material of the scene needs them, and drops them elsewhere.
void give_tangents(Shape& shape, const Scene& scene, u32 material);

// The new mesh's index, or an error where the scene would outgrow 32-bit offsets.
base::Result<u32> append_shape(Scene& scene,
                               const Shape& shape,
                               const std::string& name,
                               u32 material);

}  // namespace weft::scene::gltf
