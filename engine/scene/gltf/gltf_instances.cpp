// gltf_instances.cpp — one Mesh per (primitive, morph weights, skin), one Instance per (node,
// primitive, placement).
//
// Primitives of the same accessors share their arrays; large ones share the Mesh as well, and with
// it the BLAS.
#include "engine/scene/gltf/gltf_instances.h"

#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_draws.h"
#include "engine/scene/gltf/gltf_geometry.h"
#include "engine/scene/gltf/gltf_material.h"
#include "engine/scene/gltf/gltf_places.h"
#include "engine/scene/gltf/gltf_sharing.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene::gltf {

namespace {

using base::Result;
using base::Status;

// From this size on one shared BLAS costs less than a copy of the triangles for each use.
constexpr u32 kSharedTriangles = 1024;

// Meshes of one file that are already in the arenas.
class MeshBook {
public:
    MeshBook(const Document& document,
             const ImportConfig& config,
             const std::vector<u32>& materials,
             Scene& scene,
             Notes& notes)
        : document_(document),
          config_(config),
          materials_(materials),
          scene_(scene),
          notes_(notes) {
        // Know the meshes of the frame before by what they were made from.
        const u64 rows = config.former && config.pose ? config.former->mesh_sources.size() : 0;
        for (u32 mesh = 0; mesh < rows; ++mesh) {
            former_.try_emplace(config.former->mesh_sources[mesh], mesh);
        }
    }

    // Records that a node shows a primitive; call before make_meshes().
    void want(const tinygltf::Node& node, std::size_t primitive, std::size_t node_index) {
        Key key = key_of(node, primitive);
        const auto next = static_cast<u32>(wanted_.size());
        if (!places_.try_emplace(key, next).second) {
            return;
        }
        const PrimitiveUse use = use_of(key);
        const auto [same, is_new] = sources_.try_emplace(geometry_key(document_, use), next);
        wanted_.push_back({std::move(key), node_index, kNone, same->second});
        const GeometrySize size = geometry_size(document_, use);
        array_bytes_ += is_new ? size.bytes : 0;
        making_bytes_ = std::max(making_bytes_, size.making_bytes);
        tree_bytes_ +=
            is_new || size.triangles < kSharedTriangles ? size.triangles * kTreeBytesOfTriangle : 0;
    }

    // Bytes of the arenas, and of a BLAS of every mesh.
    [[nodiscard]] u64 array_bytes() const { return array_bytes_; }

    [[nodiscard]] u64 tree_bytes() const { return tree_bytes_; }

    // The most that one mesh takes while it is made; they are made one by one.
    [[nodiscard]] u64 making_bytes() const { return making_bytes_; }

    // Makes all recorded meshes, in the order of first use, by executing their command lists.
    Status make_meshes() {
        std::vector<PrimitiveName> names;
        std::vector<u32> drawn;  // indices into wanted_, as names
        for (u32 k = 0; k < wanted_.size(); ++k) {
            if (wanted_[k].source == k) {
                names.push_back({std::get<0>(wanted_[k].key), std::get<1>(wanted_[k].key)});
                drawn.push_back(k);
            }
        }
        const auto make = [&](u32 name, const IndexSource& source) -> Status {
            Wanted& wanted = wanted_[drawn[name]];
            Result<u32> mesh = read(wanted.key, wanted.node, source);
            WEFT_TRY(mesh);
            wanted.mesh = mesh.value();
            return base::Done{};
        };
        const Status made = draw_geometry(document_, config_, names, make);
        for (u32 k = 0; made.is_ok() && k < wanted_.size(); ++k) {
            share_mesh(k);
        }
        return made;
    }

    // The scene's mesh, kNone where there is nothing to draw. Call after make_meshes().
    [[nodiscard]] u32 mesh_of(const tinygltf::Node& node, std::size_t primitive) const {
        return wanted_[places_.at(key_of(node, primitive))].mesh;
    }

    // The scene's material of a primitive.
    [[nodiscard]] u32 material_of(std::size_t mesh, std::size_t primitive) const {
        const int material = document_.model.meshes[mesh].primitives[primitive].material;
        return material < 0 ? 0 : materials_[static_cast<std::size_t>(material)];
    }

private:
    using Key = std::tuple<std::size_t, std::size_t, std::vector<double>, int>;

    struct Wanted {
        Key key;
        std::size_t node = 0;  // the first that shows it
        u32 mesh = kNone;
        u32 source = 0;  // the first of the same geometry, in wanted_
    };

    [[nodiscard]] PrimitiveUse use_of(const Key& key) const {
        const auto& [mesh, primitive, weights, skin] = key;
        const u32 material = material_of(mesh, primitive);
        return {mesh,
                primitive,
                weights,
                skin,
                tangent_uv_set(scene_, scene_.materials[material].record)};
    }

    [[nodiscard]] std::string mesh_name(const Wanted& wanted) const {
        const std::string& name = document_.model.meshes[std::get<0>(wanted.key)].name;
        return name.empty() ? node_name(document_, wanted.node) : name;
    }

    // Gives a primitive the mesh of another one with the same geometry, or a mesh of its own over
    // the same arrays.
    void share_mesh(u32 k) {
        Wanted& wanted = wanted_[k];
        const u32 source = wanted_[wanted.source].mesh;
        if (wanted.source == k || source == kNone) {
            return;
        }
        wanted.mesh = source;
        Mesh mesh = std::as_const(scene_.meshes)[source];
        if (mesh.record.triangle_count < kSharedTriangles) {
            mesh.name = mesh_name(wanted);
            mesh.material = material_of(std::get<0>(wanted.key), std::get<1>(wanted.key));
            wanted.mesh = static_cast<u32>(scene_.meshes.size());
            scene_.meshes.push_back(std::move(mesh));
        }
    }

    [[nodiscard]] Key key_of(const tinygltf::Node& node, std::size_t primitive) const {
        const auto mesh = static_cast<std::size_t>(node.mesh);
        const tinygltf::Mesh& from = document_.model.meshes[mesh];
        const bool has_morphs = !from.primitives[primitive].targets.empty();
        return {mesh,
                primitive,
                has_morphs ? (node.weights.empty() ? from.weights : node.weights)
                           : std::vector<double>(),
                node.skin};
    }

    Result<u32> read(const Key& key, std::size_t node_index, const IndexSource& source) {
        const auto& [mesh, primitive, weights, skin] = key;
        const tinygltf::Mesh& from = document_.model.meshes[mesh];
        const std::string name = from.name.empty() ? node_name(document_, node_index) : from.name;
        const u32 scene_material = material_of(mesh, primitive);
        std::vector<math::DAffine> joints;
        if (skin >= 0) {
            Result<std::vector<math::DAffine>> read = joints_of(static_cast<std::size_t>(skin));
            WEFT_TRY(read);
            joints = std::move(read.value());
        }
        // Take it from the frame before.
        const std::string made_from = config_.pose ? source_text(key, joints) : std::string();
        const auto former = former_.find(made_from);
        if (former != former_.end()) {
            return append(
                shape_of(*config_.former, former->second), name, scene_material, made_from);
        }
        // Or read it.
        Result<std::optional<Shape>> read =
            read_shape(document_, {mesh, primitive, weights, skin >= 0, source}, notes_);
        WEFT_TRY(read);
        if (!read.value()) {
            return kNone;
        }
        Shape& shape = *read.value();
        const std::string title = "mesh " + std::to_string(mesh) + " \"" + name + "\" primitive " +
                                  std::to_string(primitive);
        if (skin >= 0) {
            skin_shape(shape, joints, title, notes_);
        }
        clean_shape(shape, title, notes_);
        if (shape.indices.empty()) {
            notes_.add(Note::Kind::Ignored, title + " has no triangles");
            return kNone;
        }
        give_tangents(shape, scene_, scene_material);
        return append(shape, name, scene_material, made_from);
    }

    // All that the arrays of a primitive depend on, beside the bytes of the file.
    [[nodiscard]] std::string source_text(const Key& key,
                                          const std::vector<math::DAffine>& joints) const {
        std::string text = document_.path() + '\n' + geometry_key(document_, use_of(key)) + '\n';
        text.append(reinterpret_cast<const char*>(joints.data()),
                    joints.size() * sizeof(math::DAffine));
        return text;
    }

    Result<u32> append(const Shape& shape,
                       const std::string& name,
                       u32 material,
                       const std::string& made_from) {
        Result<u32> mesh = append_shape(scene_, shape, name, material);
        if (mesh.is_ok() && config_.pose) {
            scene_.mesh_sources.resize(scene_.meshes.size());
            scene_.mesh_sources.back() = made_from;
        }
        return mesh;
    }

    // For each joint of a skin, the matrix that takes its vertices to the world.
    Result<std::vector<math::DAffine>> joints_of(std::size_t index) {
        const tinygltf::Skin& skin = document_.model.skins[index];
        if (worlds_.empty()) {
            worlds_ = world_matrices(document_);
        }
        std::vector<math::DAffine> joints;
        for (const int joint : skin.joints) {
            joints.push_back(worlds_[static_cast<std::size_t>(joint)]);
        }
        if (skin.inverseBindMatrices >= 0) {
            const Result<FloatArray> inverse = read_floats(document_, skin.inverseBindMatrices);
            WEFT_TRY(inverse);
            if (inverse.value().components != 16 || inverse.value().count < joints.size()) {
                return scene_error(document_.path(),
                                   "/skins/" + std::to_string(index) + "/inverseBindMatrices",
                                   "has " + std::to_string(inverse.value().count) +
                                       " elements of " +
                                       std::to_string(inverse.value().components) +
                                       " components, one MAT4 for each of " +
                                       std::to_string(joints.size()) + " joints expected");
            }
            for (std::size_t j = 0; j < joints.size(); ++j) {
                math::DAffine bind{};
                for (std::size_t i = 0; i < bind.size(); ++i) {
                    bind[i] =
                        static_cast<double>(inverse.value().values[16 * j + 4 * (i % 4) + i / 4]);
                }
                joints[j] = math::compose(joints[j], bind);
            }
        }
        return joints;
    }

    const Document& document_;
    const ImportConfig& config_;
    const std::vector<u32>& materials_;
    Scene& scene_;
    Notes& notes_;
    std::map<Key, u32> places_;           // in wanted_
    std::map<std::string, u32> sources_;  // by geometry_key(), in wanted_
    std::map<std::string, u32> former_;   // by source_text(), meshes of config_.former
    std::vector<Wanted> wanted_;
    std::vector<math::DAffine> worlds_;
    u64 array_bytes_ = 0;
    u64 tree_bytes_ = 0;
    u64 making_bytes_ = 0;
};

// The number of instances before they are made, at most.
u64 count_instances(const Document& document, const std::vector<PlacedNode>& nodes) {
    u64 instances = 0;
    for (const PlacedNode& placed : nodes) {
        const int mesh = shown_mesh(document, placed);
        if (mesh >= 0) {
            instances += count_places(document, placed.node) *
                         document.model.meshes[static_cast<std::size_t>(mesh)].primitives.size();
        }
    }
    return instances;
}

// Numbers the instances that the file could place, in whatever scene and at whatever moment. By
// node: the first of its numbers.
std::vector<u32> number_sources(const Document& document, Scene& scene) {
    std::vector<u32> first(document.model.nodes.size());
    for (std::size_t node = 0; node < first.size(); ++node) {
        first[node] = scene.source_count;
        const int mesh = document.model.nodes[node].mesh;
        if (mesh >= 0) {
            const auto& from = document.model.meshes[static_cast<std::size_t>(mesh)];
            scene.source_count +=
                static_cast<u32>(count_places(document, node) * from.primitives.size());
        }
    }
    return first;
}

// Counts all geometry and instances before any of it is read, and claims the memory.
Result<base::MemoryClaim> claim_size(const Document& document,
                                     u64 instances,
                                     const MeshBook& book,
                                     const Scene& scene,
                                     SizeRule& rule) {
    WEFT_TRY(rule.add_made(book.array_bytes(), "triangles and vertices"));
    WEFT_TRY(rule.add_made(book.tree_bytes(), "a tree over them"));
    WEFT_TRY(rule.add_made(instances * kBytesOfInstance, "instances"));
    // Triangles beyond a budget lie in a file, which takes its room itself.
    const bool is_in_file = scene.indices.allocator().maybe_file() != nullptr;
    return base::claim_memory((is_in_file ? 0 : book.array_bytes()) + book.making_bytes() +
                                  instances * (sizeof(Instance) + sizeof(math::DAffine)),
                              document.path() + ": its geometry");
}

}  // namespace

Status append_instances(const Document& document,
                        const ImportConfig& config,
                        const std::vector<PlacedNode>& nodes,
                        const std::vector<u32>& materials,
                        SizeRule& rule,
                        Scene& scene,
                        Notes& notes) {
    // List the meshes that are used, and claim the memory.
    MeshBook book(document, config, materials, scene, notes);
    for (const PlacedNode& placed : nodes) {
        const tinygltf::Node& node = document.model.nodes[placed.node];
        const std::size_t primitives =
            shown_mesh(document, placed) < 0
                ? 0
                : document.model.meshes[static_cast<std::size_t>(node.mesh)].primitives.size();
        for (std::size_t p = 0; p < primitives; ++p) {
            book.want(node, p, placed.node);
        }
    }
    const u64 instances = count_instances(document, nodes);
    const Result<base::MemoryClaim> claim = claim_size(document, instances, book, scene, rule);
    WEFT_TRY(claim);
    // Make them. Without spare room: an array that grows is there twice.
    WEFT_TRY(book.make_meshes());
    scene.instances.reserve(scene.instances.size() + instances);
    const std::vector<u32> first_source = number_sources(document, scene);
    std::unordered_map<std::size_t, u32> asset_of_root;
    for (const PlacedNode& placed : nodes) {
        const tinygltf::Node& node = document.model.nodes[placed.node];
        if (shown_mesh(document, placed) < 0) {
            continue;
        }
        // Find the node's places.
        const Result<std::vector<math::DAffine>> places = places_of(document, placed);
        WEFT_TRY(places);
        // Place every primitive of its mesh there.
        const std::string name = node_name(document, placed.node);
        const auto next_asset = static_cast<u32>(scene.assets.size());
        const auto [asset, is_new] = asset_of_root.try_emplace(placed.root, next_asset);
        if (is_new) {
            scene.assets.push_back(node_name(document, placed.root));
        }
        const std::size_t primitives =
            document.model.meshes[static_cast<std::size_t>(node.mesh)].primitives.size();
        for (std::size_t p = 0; p < primitives; ++p) {
            const u32 mesh = book.mesh_of(node, p);
            const u32 material = book.material_of(static_cast<std::size_t>(node.mesh), p);
            for (std::size_t k = 0; k < places.value().size() && mesh != kNone; ++k) {
                const std::optional<math::DAffine> place = invertible(places.value()[k]);
                if (!place) {
                    notes.add(Note::Kind::Ignored,
                              name + " is left out, it is scaled to nothing or beyond all bounds");
                    continue;
                }
                Instance instance{mesh, material, math::to_float(*place), name};
                instance.asset = asset->second;
                instance.group = placed.group;
                instance.source =
                    first_source[placed.node] + static_cast<u32>(p * places.value().size() + k);
                scene.instances.push_back(std::move(instance));
            }
        }
    }
    return base::Done{};
}

}  // namespace weft::scene::gltf
