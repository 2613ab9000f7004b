// assimp_import.cpp — OBJ, PLY, STL and whatever else assimp reads, into the scene.
//
// assimp runs in a process of its own (reader_process.h), because it aborts or never returns on
// some broken files. This checks the pack of that process and appends it. Any thread.
#include <algorithm>
#include <assimp/scene.h>
#include <cmath>
#include <exception>
#include <filesystem>
#include <new>

#include "engine/scene/assimp/assimp_parts.h"
#include "engine/scene/assimp/assimp_properties.h"
#include "engine/scene/assimp/reader_process.h"
#include "engine/scene/import.h"
#include "engine/scene/model/scene_tree.h"
#include "engine/scene/parts/mesh_data.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {
namespace {

base::Error broken_pack(const std::string& path) {
    return {base::ErrorKind::Scene,
            path + ": cannot be read (its reader sent data that fit no scene)."};
}

bool is_finite(const math::Affine& matrix) {
    return std::all_of(matrix.begin(), matrix.end(), [](float m) { return std::isfinite(m); });
}

base::Status append_meshes(AssimpImport& import, PackReader& pack) {
    std::vector<PackedMesh> meshes(pack.count());
    u64 corners = 0;
    u64 vertices = 0;
    for (PackedMesh& mesh : meshes) {
        if (is_given_up(import.config)) {
            return cancelled_error(import.path);
        }
        mesh = read_mesh(pack);
        corners += mesh.corners.size();
        vertices += mesh.vertex_count();
    }
    if (!pack.is_sound()) {
        return broken_pack(import.path);
    }
    WEFT_TRY(check_room(import.scene, import.path, corners, vertices));
    // Reserve once for all meshes.
    import.scene.indices.reserve(import.scene.indices.size() + corners);
    for (const PackedMesh& mesh : meshes) {
        if (is_given_up(import.config)) {
            return cancelled_error(import.path);
        }
        const base::Result<u32> appended = append_packed_mesh(import, mesh);
        WEFT_TRY(appended);
        import.meshes.push_back(appended.value());
    }
    return base::Done{};
}

// The groups of a pack, behind those of the scene.
class GroupNumbers {
public:
    GroupNumbers(Scene& scene, PackReader& pack) : first_(static_cast<u32>(scene.groups.size())) {
        std::vector<PackedGroup> groups = read_groups(pack);
        count_ = groups.size();
        scene.groups.reserve(first_ + count_);
        for (PackedGroup& group : groups) {
            scene.groups.push_back({std::move(group.name),
                                    group_matrix(math::to_double(group.to_world)),
                                    in_scene(group.parent)});
        }
    }

    // Of the scene, by the pack's number; a number that the pack lacks counts as none.
    [[nodiscard]] u32 in_scene(u32 group) const { return group < count_ ? first_ + group : kNone; }

private:
    u32 first_ = 0;
    std::size_t count_ = 0;
};

// A mesh that several nodes show becomes several instances of one mesh.
void append_instances(AssimpImport& import, const GroupNumbers& groups, PackReader& pack) {
    u64 skipped = 0;
    for (auto meshes = pack.array<u32>(); !meshes.empty(); meshes = pack.array<u32>()) {
        const auto matrix = pack.value<math::Affine>();
        const u32 group = groups.in_scene(pack.value<u32>());
        const std::string name = pack.text();
        for (const u32 index : meshes) {
            const u32 mesh = index < import.meshes.size() ? import.meshes[index] : kNone;
            if (mesh != kNone && is_finite(matrix)) {
                const u32 material = std::as_const(import.scene.meshes)[mesh].material;
                Instance instance{mesh, material, matrix, name};
                instance.group = group;
                import.scene.instances.push_back(std::move(instance));
            }
        }
        skipped += is_finite(matrix) ? 0u : 1u;
    }
    if (skipped > 0) {
        import.note(
            Note::Kind::Ignored,
            std::to_string(skipped) + " nodes are left out, their transforms are not finite.");
    }
}

template <typename T>
void append_all(std::vector<T>& to, std::vector<T> more) {
    to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Cameras or lights.
template <typename T>
void append_placed(std::vector<T>& to, std::vector<T> more, const GroupNumbers& groups) {
    for (T& item : more) {
        item.group = groups.in_scene(item.group);
    }
    append_all(to, std::move(more));
}

base::Status import_packed(AssimpImport& import, PackReader& pack) {
    const std::span<const u8> colored = pack.array<u8>();
    import.is_vertex_colored.assign(colored.begin(), colored.end());
    for (u64 left = pack.count(); left > 0; --left) {
        const std::string folder = pack.text();
        import.libraries.append(pack.text(), folder);
    }
    const std::unique_ptr<aiScene> source = unpack_materials(pack);
    if (source == nullptr) {
        return broken_pack(import.path);
    }
    WEFT_TRY(append_assimp_materials(import, *source));
    WEFT_TRY(append_meshes(import, pack));
    const GroupNumbers groups(import.scene, pack);
    append_instances(import, groups, pack);
    append_placed(import.scene.cameras, read_cameras(pack), groups);
    append_placed(import.scene.lights, read_lights(pack), groups);
    append_all(import.scene.notes, read_notes(pack));
    return pack.value<u64>() == kPackEnd && pack.is_sound() ? base::Status(base::Done{})
                                                            : broken_pack(import.path);
}

// Without the dot.
std::string reader_extension(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return extension.empty() ? "" : extension.substr(1);
}

}  // namespace

std::string AssimpImport::name_or_file(const char* name) const {
    return name[0] != '\0' ? std::string(name) : std::filesystem::path(path).stem().string();
}

base::Status import_pack(std::span<const char> bytes,
                         const std::string& path,
                         const ImportConfig& config,
                         Scene& scene) {
    if (scene.materials.empty()) {
        scene.materials.push_back({"default", default_material()});
    }
    AssimpImport import{path, reader_extension(path), config, scene};
    PackReader pack(bytes);
    if (pack.value<u64>() != kPackBegin) {
        return broken_pack(path);
    }
    if (const std::string refusal = pack.text(); !refusal.empty()) {
        return base::Error{base::ErrorKind::Scene, refusal};
    }
    const base::Result<base::MemoryClaim> claim = base::claim_memory(bytes.size(), path);
    WEFT_TRY(claim);
    try {
        return import_packed(import, pack);
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::TooLarge,
                           path + ": does not fit into memory; expected a smaller scene."};
    }
}

base::Status import_assimp(const std::string& path, const ImportConfig& config, Scene& scene) {
    const base::Result<PackBytes> packed = run_reader(path, reader_extension(path), config);
    WEFT_TRY(packed);
    return import_pack(packed.value().bytes(), path, config, scene);
}

}  // namespace weft::scene
