// gltf_nodes.h — flattens the node graph: the nodes of the default scene, each with its world
// matrix.
//
// A hidden node (KHR_node_visibility) and those below it show no mesh and no light, but a camera
// there sees as any other.
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

// Whether each entry is finite as a float.
bool is_finite(const math::DAffine& m);

inline constexpr std::size_t kNoParent = ~std::size_t{0};

struct PlacedNode {
    std::size_t node = 0;
    math::DAffine to_world = math::kDIdentity;
    std::size_t root = 0;            // the topmost node above it, or itself
    std::size_t parent = kNoParent;  // in the list of nodes
    u32 group = kNone;  // of the scene: what its mesh, camera and light stand in (gltf_groups.h)
    bool is_hidden = false;  // itself, or a node above it
};

// Nodes of the default scene in depth-first order of the file, parents before their children.
std::vector<PlacedNode> flatten_nodes(const Document& document, Notes& notes);

// Nodes whose skin has no joints lose it: their own transforms place their meshes. After the last
// read_structure().
void drop_empty_skins(Document& document, Notes& notes);

// The mesh that the node shows; -1: none.
int shown_mesh(const Document& document, const PlacedNode& placed);

// The node's KHR_lights_punctual; null: it shines on nothing.
const Json* shown_light(const Document& document, const PlacedNode& placed);

// World matrices of all nodes, shown or not: joints may be any of them.
std::vector<math::DAffine> world_matrices(const Document& document);

// Whether KHR_node_visibility hides the node itself.
bool is_hidden(const Document& document, std::size_t node);

// The node's name, or "node 7".
std::string node_name(const Document& document, std::size_t node);

}  // namespace weft::scene::gltf
