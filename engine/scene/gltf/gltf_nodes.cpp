// gltf_nodes.cpp — local transforms, roots, and the walk.
#include "engine/scene/gltf/gltf_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

std::array<double, 3> triple(const std::vector<double>& values, double stand_in) {
    return values.size() == 3 ? std::array<double, 3>{values[0], values[1], values[2]}
                              : std::array<double, 3>{stand_in, stand_in, stand_in};
}

Matrix local_matrix(const tinygltf::Node& node) {
    if (node.matrix.size() == 16) {
        Matrix m{};
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 4; ++column) {
                m[4 * row + column] = node.matrix[4 * column + row];  // columns in the file
            }
        }
        return m;
    }
    std::array<double, 4> rotation = {0, 0, 0, 1};
    if (node.rotation.size() == 4) {
        std::copy(node.rotation.begin(), node.rotation.end(), rotation.begin());
    }
    return from_trs(triple(node.translation, 0), rotation, triple(node.scale, 1));
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

bool is_hidden(const Document& document, std::size_t node) {
    const Json* extension = find_extension(element(document, "nodes", node), "KHR_node_visibility");
    const Json* visible = extension == nullptr ? nullptr : find(*extension, "visible");
    return visible != nullptr && !flag_of(*visible);
}

// Calls visit(node, world matrix) in depth-first order; false leaves out the children of the node.
// Returns how many times the walk met a node again.
template <typename Visit>
u64 walk(const tinygltf::Model& model,
         const std::vector<std::size_t>& roots,
         std::vector<bool>& is_met,
         const Visit& visit) {
    u64 met_again = 0;
    std::vector<PlacedNode> stack;
    for (auto root = roots.rbegin(); root != roots.rend(); ++root) {
        stack.push_back({*root, kIdentityMatrix});
    }
    while (!stack.empty()) {
        const PlacedNode parent = stack.back();
        stack.pop_back();
        if (is_met[parent.node]) {
            ++met_again;
            continue;
        }
        is_met[parent.node] = true;
        const tinygltf::Node& node = model.nodes[parent.node];
        const Matrix world = multiply(parent.to_world, local_matrix(node));
        if (!visit(PlacedNode{parent.node, world})) {
            continue;
        }
        for (auto child = node.children.rbegin(); child != node.children.rend(); ++child) {
            stack.push_back({static_cast<std::size_t>(*child), world});
        }
    }
    return met_again;
}

}  // namespace

Matrix multiply(const Matrix& a, const Matrix& b) {
    Matrix product{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            product[4 * row + column] = a[4 * row] * b[column] + a[4 * row + 1] * b[4 + column] +
                                        a[4 * row + 2] * b[8 + column] +
                                        (column == 3 ? a[4 * row + 3] : 0.0);
        }
    }
    return product;
}

double determinant(const Matrix& m) {
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

bool is_finite(const Matrix& m) {
    return std::all_of(
        m.begin(), m.end(), [](double value) { return std::isfinite(static_cast<float>(value)); });
}

Matrix from_trs(const std::array<double, 3>& translation,
                const std::array<double, 4>& rotation,
                const std::array<double, 3>& scale) {
    const double length = std::sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] +
                                    rotation[2] * rotation[2] + rotation[3] * rotation[3]);
    // A quaternion of length zero counts as no rotation.
    const bool turns = length > 0 && std::isfinite(length);
    const double x = turns ? rotation[0] / length : 0;
    const double y = turns ? rotation[1] / length : 0;
    const double z = turns ? rotation[2] / length : 0;
    const double w = turns ? rotation[3] / length : 1;
    const std::array<double, 9> r = {1 - 2 * (y * y + z * z),
                                     2 * (x * y - z * w),
                                     2 * (x * z + y * w),
                                     2 * (x * y + z * w),
                                     1 - 2 * (x * x + z * z),
                                     2 * (y * z - x * w),
                                     2 * (x * z - y * w),
                                     2 * (y * z + x * w),
                                     1 - 2 * (x * x + y * y)};
    Matrix m{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            m[4 * row + column] = r[3 * row + column] * scale[column];
        }
        m[4 * row + 3] = translation[row];
    }
    return m;
}

Affine to_affine(const Matrix& m) {
    Affine affine{};
    for (std::size_t i = 0; i < m.size(); ++i) {
        affine[i] = static_cast<float>(m[i]);
    }
    return affine;
}

std::vector<PlacedNode> flatten_nodes(const Document& document, Notes& notes) {
    std::vector<PlacedNode> shown;
    std::vector<bool> is_met(document.model.nodes.size(), false);
    const u64 met_again =
        walk(document.model, shown_roots(document, notes), is_met, [&](const PlacedNode& placed) {
            if (is_hidden(document, placed.node)) {
                notes.add(Note::Kind::Ignored,
                          node_name(document, placed.node) +
                              " is hidden (KHR_node_visibility) and left out");
                return false;
            }
            if (!is_finite(placed.to_world)) {
                notes.add(
                    Note::Kind::Repaired,
                    node_name(document, placed.node) + " is left out, its transform is not finite");
                return false;
            }
            shown.push_back(placed);
            return true;
        });
    if (met_again != 0) {
        notes.add(Note::Kind::Repaired,
                  "a node has two parents or is part of a loop, only its first place counts",
                  met_again);
    }
    return shown;
}

std::vector<Matrix> world_matrices(const Document& document) {
    const tinygltf::Model& model = document.model;
    std::vector<Matrix> matrices(model.nodes.size(), kIdentityMatrix);
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

std::string node_name(const Document& document, std::size_t node) {
    const std::string& name = document.model.nodes[node].name;
    return name.empty() ? "node " + std::to_string(node) : name;
}

}  // namespace weft::scene::gltf
