// assimp_source.h — the steps of the process that runs assimp: faces mended, then materials, meshes
// and nodes packed.
//
// Inside of that process only (assimp_reader.h); one thread. Whatever assimp asserts, crashes on or
// never ends with ends this process alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/model/scene.h"

struct aiMesh;
struct aiScene;

namespace weft::scene {

// What is read, and what there is to say about it.
struct AssimpSource {
    std::string path;
    std::string extension;  // lower case, without the dot
    std::vector<Note> notes;
    // Totals for notes.
    u64 dropped_triangles = 0;  // a corner is not finite or does not exist
    u64 ignored_points = 0;
    u64 ignored_lines = 0;

    [[nodiscard]] std::string name_or_file(const char* name) const;  // formats without names

    void note(Note::Kind kind, const std::string& sentence) {
        notes.push_back({kind, path + ": " + sentence});
    }
};

// Before assimp cuts faces into triangles, which it does in the square of a face's corners, and
// which ends the program where a face is empty or names a vertex that does not exist: drops such
// faces, and cuts those of very many corners.
void mend_faces(AssimpSource& source, aiMesh& mesh);

// Of a mesh of triangles; identical vertices are welded where the file repeats them.
void pack_assimp_mesh(AssimpSource& source, const aiMesh& mesh, PackWriter& pack);

// Instances, cameras and lights of the node tree, in the world.
void pack_nodes(AssimpSource& source, const aiScene& scene, PackWriter& pack);

}  // namespace weft::scene
