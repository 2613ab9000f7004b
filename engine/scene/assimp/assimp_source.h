// assimp_source.h — the steps of the reader process: repair faces, then pack materials, meshes and
// nodes.
//
// Runs in that process only (assimp_reader.h), on one thread. A crash, an abort or an endless loop
// of assimp ends this process alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/scene/assimp/assimp_pack.h"
#include "engine/scene/model/scene.h"

struct aiMesh;
struct aiScene;

namespace weft::scene {

// The file that is read, and the notes on it.
struct AssimpSource {
    std::string path;
    std::string extension;  // lower case, without the dot
    std::vector<Note> notes;
    std::string refusal;  // the sentence of a file that a reader of Weft's own refuses
    // Totals for notes.
    u64 dropped_triangles = 0;  // a corner is not finite or does not exist
    u64 ignored_points = 0;
    u64 ignored_lines = 0;

    [[nodiscard]] std::string name_or_file(
        const char* name) const;  // the file for formats without names

    void note(Note::Kind kind, const std::string& sentence) {
        notes.push_back({kind, path + ": " + sentence});
    }
};

// Runs on each mesh before assimp cuts quads into triangles. assimp aborts on a face that is empty
// or names a missing vertex, and fills the notches of larger polygons; this drops the first and
// cuts the others.
void mend_faces(AssimpSource& source, aiMesh& mesh);

// Gives the vertices of an OFF or STL the colours that the file means. The vertices are still those
// that assimp read.
void mend_colors(const AssimpSource& source, aiMesh& mesh);

// Packs a mesh of triangles; welds identical vertices where the file repeats them.
void pack_assimp_mesh(AssimpSource& source, const aiMesh& mesh, PackWriter& pack);

// Packs the instances, cameras and lights of the node tree, in the world.
void pack_nodes(AssimpSource& source, const aiScene& scene, PackWriter& pack);

}  // namespace weft::scene
