// assimp_parts.h — the steps of import_assimp() on the pack: materials and pictures, then meshes.
//
// Private to the assimp importer. Each step appends to the scene and fills a table from
// assimp's indices to ours; one thread. The mapping of material keys is described in README.md.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/assimp/mtl_file.h"
#include "engine/scene/import.h"
#include "engine/scene/model/size_rule.h"
#include "engine/scene/model/texture.h"

struct aiScene;
struct aiString;

namespace weft::scene {

// One import: its source, its scene, and the tables from assimp's indices to the scene's.
struct AssimpImport {
    std::string path;
    std::string extension;  // lower case, without the dot
    ImportConfig config;
    Scene& scene;
    MtlLibrary libraries{};        // named by an OBJ
    std::vector<u32> materials{};  // by assimp's material index
    std::vector<u32> meshes{};     // by assimp's mesh index; kNone where no triangle was left
    // Pictures already in the arena: by (source and use, meaning).
    std::map<std::pair<std::string, TexelMeaning>, u32> textures{};
    std::vector<bool> is_vertex_colored{};  // by assimp's material index: meshes have colours
    SizeRule pictures = SizeRule(path);     // what the pictures take together
    std::set<std::string> counted{};        // pictures whose files `pictures` has counted

    [[nodiscard]] std::string name_or_file(
        const char* name) const;  // the file for formats without names

    void note(Note::Kind kind, const std::string& sentence) {
        scene.notes.push_back({kind, path + ": " + sentence});
    }
};

// The name of a picture that a library in this folder names: the picture is searched beside the
// model, then beside the library.
std::string library_picture(const AssimpImport& import,
                            const std::string& folder,
                            const std::string& name);

// The picture that a material names: embedded, or a file beside the model. If it cannot be read,
// ImportConfig::missing_file decides between an error and (with a note) one black texel or a
// checker. Error, too, where the pictures of the import take too much memory together.
base::Result<DecodedImage> read_assimp_picture(AssimpImport& import,
                                               const aiScene& source,
                                               const std::string& name,
                                               TexelMeaning meaning);

// Whether most texels look like unit normals with z > 0 (as opposed to a grey height map).
bool looks_like_normal_map(const DecodedImage& image);

// Appends the scene of a pack to `scene`. The bytes come from a process that read a hostile file,
// so nothing in them is trusted. They begin at a multiple of kPackGrain.
base::Status import_pack(std::span<const char> bytes,
                         const std::string& path,
                         const ImportConfig& config,
                         Scene& scene);

base::Status append_assimp_materials(AssimpImport& import, const aiScene& source);

// Appends one mesh, whose arrays are sound (assimp_pack.h). Returns kNone where it has no triangle.
base::Result<u32> append_packed_mesh(AssimpImport& import, const PackedMesh& mesh);

}  // namespace weft::scene
