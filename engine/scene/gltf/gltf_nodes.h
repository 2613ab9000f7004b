// gltf_nodes.h — flattens the node graph: the nodes that the default scene shows, each with its
// world matrix.
//
// Repairs graphs that are no tree: a node with two parents or in a loop counts where the walk meets
// it first. No recursion, so depth costs memory only. Read-only on the document; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_geometry.h"
#include "engine/scene/gltf/gltf_notes.h"

namespace weft::scene::gltf {

inline constexpr Matrix kIdentityMatrix = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// a after b: p' = a(b(p)).
Matrix multiply(const Matrix& a, const Matrix& b);
double determinant(const Matrix& m);
bool is_finite(const Matrix& m);
Matrix from_trs(const std::array<double, 3>& translation,
                const std::array<double, 4>& rotation,
                const std::array<double, 3>& scale);
Affine to_affine(const Matrix& m);

struct PlacedNode {
    std::size_t node = 0;
    Matrix to_world = kIdentityMatrix;
};

// Shown nodes in depth-first order of the file.
std::vector<PlacedNode> flatten_nodes(const Document& document, Notes& notes);

// World matrices of all nodes, shown or not: joints may be any of them.
std::vector<Matrix> world_matrices(const Document& document);

// The node's name, or "node 7".
std::string node_name(const Document& document, std::size_t node);

}  // namespace weft::scene::gltf
