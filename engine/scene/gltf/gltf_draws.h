// gltf_draws.h — the geometry of a glTF file as command lists: index buffers as the file has them
// (8, 16 or 32 bits), topology, and one draw per mesh to be made.
//
// Lists are recorded by several threads, one per group of meshes, and executed in order; index
// format and topology are plain state there (C4a, C4b), and the draw expands them to a triangle
// list. Called by gltf_instances.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/import.h"
#include "scheduler/base/result.h"
#include "scheduler/command/render_state.h"

namespace weft::scene::gltf {

// The indices of a draw, from the state of its command list.
struct IndexSource {
    command::Topology topology = command::Topology::TriangleList;
    bool is_indexed = false;  // false: vertices in their order
    command::IndexSize index_size = command::IndexSize::Bits32;
    std::span<const u8> bytes;  // little-endian as in the file, without gaps
};

// The primitive of a draw.
struct PrimitiveName {
    std::size_t mesh = 0;
    std::size_t primitive = 0;
};

// Calls make(k, source) for each of the primitives in their order. Errors: indices that cannot be
// read, an error of `make`, or a cancelled import.
base::Status draw_geometry(const Document& document,
                           const ImportConfig& config,
                           const std::vector<PrimitiveName>& primitives,
                           const std::function<base::Status(u32, const IndexSource&)>& make);

// The corners of all triangles. Without indices the vertices 0 to `vertex_count` take their place.
std::vector<u32> triangle_corners(const IndexSource& source, std::size_t vertex_count);

}  // namespace weft::scene::gltf
