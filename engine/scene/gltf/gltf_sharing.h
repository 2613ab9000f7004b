// gltf_sharing.h — finds primitives of a glTF file with the same geometry, and the memory of each.
//
// Two primitives that name the same accessors in the same way become the same arrays, whatever
// their materials and meshes. Read-only on the document; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"

namespace weft::scene::gltf {

// A primitive as a node shows it.
struct PrimitiveUse {
    std::size_t mesh = 0;
    std::size_t primitive = 0;
    std::vector<double> morph_weights{};
    int skin = -1;
    std::optional<u32> tangent_uv_set{};  // the set that its material needs tangents for
};

// Equal keys for uses that make the same arrays.
std::string geometry_key(const Document& document, const PrimitiveUse& use);

// Elements of an accessor, at most as many as its view has bytes; 0 where it cannot be read.
u64 element_count(const Document& document, int accessor);

// From the counts of accessors; 0 for counts that only Draco knows.
struct GeometrySize {
    u64 triangles = 0;
    u64 bytes = 0;         // of the arenas, at most
    u64 making_bytes = 0;  // beside those, while it is read: the same before it is copied there, a
                           // mark per vertex, and one morph target
};

GeometrySize geometry_size(const Document& document, const PrimitiveUse& use);

// Memory that an import causes beside its arrays: of a triangle in a BLAS during its build, and of
// an instance in all tables and the TLAS. Measured (tests/bench/notebook/scenes.md, 2026-11-22).
inline constexpr u64 kTreeBytesOfTriangle = 125;
inline constexpr u64 kBytesOfInstance = 720;

}  // namespace weft::scene::gltf
