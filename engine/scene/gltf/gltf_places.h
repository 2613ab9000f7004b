// gltf_places.h — where a node places its mesh: at the node, or with EXT_mesh_gpu_instancing at
// many places relative to it.
//
// Read-only on the document; any thread.
#pragma once

#include <optional>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_nodes.h"
#include "scheduler/base/result.h"

namespace weft::scene::gltf {

// The world matrices of all places. Error: the extension's accessors do not fit together.
base::Result<std::vector<math::DAffine>> places_of(const Document& document,
                                                   const PlacedNode& placed);

// The number of places of a node before they are read: the longest of their accessors.
u64 count_places(const Document& document, std::size_t node);

// The matrix, if floats can hold its inverse. One that flattens a mesh to a plane, which shows both
// of its sides, gets a thickness of 1/100,000 of the plane's scale. None: it leaves no area, or
// lies beyond all bounds.
std::optional<math::DAffine> invertible(const math::DAffine& m);

}  // namespace weft::scene::gltf
