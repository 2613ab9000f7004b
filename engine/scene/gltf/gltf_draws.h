// gltf_draws.h — the geometry of a glTF file as command lists: index buffers as the file has them
// (8, 16 or 32 bits), topology, and one draw per mesh to be made.
//
// Lists are recorded by several threads, one per group of meshes, and executed in order; index
// format and topology are plain state there (C4a, C4b), and the draw makes a triangle list of
// them. Called by gltf_instances.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/import.h"
#include "scheduler/base/result.h"
#include "scheduler/command/render_state.h"

namespace weft::scene::gltf {

// What indices are, as the state of a draw says.
struct IndexSource {
    command::Topology topology = command::Topology::TriangleList;
    bool is_indexed = false;  // false: vertices in their order
    command::IndexSize index_size = command::IndexSize::Bits32;
    std::span<const u8> bytes;  // in the file's order of bytes, without gaps
};

// Which primitive a draw is about.
struct PrimitiveName {
    std::size_t mesh = 0;
    std::size_t primitive = 0;
};

// Calls make(k, source) for each of the primitives in their order. Errors: indices that cannot be
// read, what `make` says, or that the import is given up.
base::Status draw_geometry(const Document& document,
                           const ImportConfig& config,
                           const std::vector<PrimitiveName>& primitives,
                           const std::function<base::Status(u32, const IndexSource&)>& make);

// Corners of all triangles. `vertex_count` stands for the number of indices where there are none.
std::vector<u32> triangle_corners(const IndexSource& source, std::size_t vertex_count);

}  // namespace weft::scene::gltf
