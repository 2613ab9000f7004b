// gltf_nodes.cpp — local transforms, roots, and the walk.
#include "engine/scene/gltf/gltf_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/math/quaternion.h"
#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

math::DVec3 triple(const std::vector<double>& values, double stand_in) {
    return values.size() == 3 ? math::DVec3{values[0], values[1], values[2]}
                              : math::DVec3(stand_in);
}

math::DAffine local_matrix(const tinygltf::Node& node) {
    if (node.matrix.size() == 16) {
        math::DAffine m{};
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 4; ++column) {
                m[4 * row + column] = node.matrix[4 * column + row];  // columns in the file
            }
        }
        return m;
    }
    const std::vector<double>& r = node.rotation;
    const auto rotation =
        r.size() == 4 ? math::DQuat(r[3], r[0], r[1], r[2]) : math::DQuat(1, 0, 0, 0);
    return math::from_parts(triple(node.translation, 0), rotation, triple(node.scale, 1));
}

std::vector<std::size_t> roots_of_graph(const tinygltf::Model& model) {
    std::vector<bool> is_child(model.nodes.size(), false);
    for (const tinygltf::Node& node : model.nodes) {
        for (const int child : node.children) {
            is_child[static_cast<std::size_t>(child)] = true;
        }
    }
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        if (!is_child[i]) {
            roots.push_back(i);
        }
    }
    return roots;
}

// The roots of the default scene, else of the first one, else all nodes without a parent.
std::vector<std::size_t> shown_roots(const Document& document, Notes& notes) {
    const tinygltf::Model& model = document.model;
    if (model.scenes.empty()) {
        if (!model.nodes.empty()) {
            notes.add(Note::Kind::Repaired, "there is no scene, all root nodes are shown");
        }
        return roots_of_graph(model);
    }
    const std::size_t scene =
        model.defaultScene < 0 ? 0 : static_cast<std::size_t>(model.defaultScene);
    if (model.scenes.size() > 1) {
        notes.add(Note::Kind::Ignored,
                  "scene " + std::to_string(scene) + " of " + std::to_string(model.scenes.size()) +
                      " is shown, the others are ignored");
    }
    std::vector<std::size_t> roots;
    for (const int node : model.scenes[scene].nodes) {
        roots.push_back(static_cast<std::size_t>(node));
    }
    return roots;
}

// Calls visit(PlacedNode&) in depth-first order; false leaves out the children of the node. What it
// hides hides them. Returns how many times the walk met a node again.
template <typename Visit>
u64 walk(const tinygltf::Model& model,
         const std::vector<std::size_t>& roots,
         std::vector<bool>& is_met,
         const Visit& visit) {
    u64 met_again = 0;
    std::size_t visited = 0;
    std::vector<PlacedNode> stack;
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
        stack.push_back({*root, math::kDIdentity, *root});
    }
    while (!stack.empty()) {
        const PlacedNode open = stack.back();  // with the matrix of its parent
        stack.pop_back();
        if (is_met[open.node]) {
            ++met_again;
            continue;
        }
        is_met[open.node] = true;
        const tinygltf::Node& node = model.nodes[open.node];
        const math::DAffine world = math::compose(open.to_world, local_matrix(node));
        PlacedNode placed = open;
        placed.to_world = world;
        if (!visit(placed)) {
            continue;
        }
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
            PlacedNode below = placed;
            below.node = static_cast<std::size_t>(*child);
            below.parent = visited;
            stack.push_back(below);
        }
        ++visited;
    }
    return met_again;
}

}  // namespace

bool is_finite(const math::DAffine& m) {
    return std::all_of(
        m.begin(), m.end(), [](double value) { return std::isfinite(static_cast<float>(value)); });
}

std::vector<PlacedNode> flatten_nodes(const Document& document, Notes& notes) {
    std::vector<PlacedNode> nodes;
    std::vector<bool> is_met(document.model.nodes.size(), false);
    const u64 met_again =
        walk(document.model, shown_roots(document, notes), is_met, [&](PlacedNode& placed) {
            if (!placed.is_hidden && is_hidden(document, placed.node)) {
                placed.is_hidden = true;
                notes.add(Note::Kind::Ignored,
                          node_name(document, placed.node) +
                              " is hidden (KHR_node_visibility) and left out");
            }
            if (!is_finite(placed.to_world)) {
                notes.add(
                    Note::Kind::Repaired,
                    node_name(document, placed.node) + " is left out, its transform is not finite");
                return false;
            }
            nodes.push_back(placed);
            return true;
        });
    if (met_again != 0) {
        notes.add(Note::Kind::Repaired,
                  "a node has two parents or is part of a loop, only its first place counts",
                  met_again);
    }
    return nodes;
}

void drop_empty_skins(Document& document, Notes& notes) {
    for (tinygltf::Node& node : document.model.nodes) {
        if (node.skin >= 0 &&
            document.model.skins[static_cast<std::size_t>(node.skin)].joints.empty()) {
            notes.add(Note::Kind::Repaired,
                      "/skins/" + std::to_string(node.skin) +
                          " has no joints and is left out, nodes place its meshes");
            node.skin = -1;
        }
    }
}

int shown_mesh(const Document& document, const PlacedNode& placed) {
    return placed.is_hidden ? -1 : document.model.nodes[placed.node].mesh;
}

const Json* shown_light(const Document& document, const PlacedNode& placed) {
    return placed.is_hidden
               ? nullptr
               : find_extension(element(document, "nodes", placed.node), "KHR_lights_punctual");
}

std::vector<math::DAffine> world_matrices(const Document& document) {
    const tinygltf::Model& model = document.model;
    std::vector<math::DAffine> matrices(model.nodes.size(), math::kDIdentity);
    std::vector<bool> is_met(model.nodes.size(), false);
    const auto keep = [&](const PlacedNode& placed) {
        matrices[placed.node] = placed.to_world;
        return true;
    };
    walk(model, roots_of_graph(model), is_met, keep);
    // The nodes left over are in loops without a root; each loop starts at its first node.
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
        if (!is_met[i]) {
            walk(model, {i}, is_met, keep);
        }
    }
    return matrices;
}

bool is_hidden(const Document& document, std::size_t node) {
    const Json* extension = find_extension(element(document, "nodes", node), "KHR_node_visibility");
    const Json* visible = extension == nullptr ? nullptr : find(*extension, "visible");
    return visible != nullptr && !flag_of(*visible);
}

std::string node_name(const Document& document, std::size_t node) {
    const std::string& name = document.model.nodes[node].name;
    return name.empty() ? "node " + std::to_string(node) : name;
}

}  // namespace weft::scene::gltf
