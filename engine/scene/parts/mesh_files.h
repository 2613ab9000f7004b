// mesh_files.h — PLY files, as scenes or as meshes that other scene files name, and OBJ meshes of
// the latter kind.
//
// Scenes of pbrt and Mitsuba name thousands of such files, so they are read here, in this process,
// and not in that of assimp, which takes some 20 ms for each. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scene/model/size_rule.h"
#include "engine/scene/parts/mesh_data.h"

namespace weft::scene {

// What a mesh without uvs has in their place: none, or those of pbrt, which go around each face of
// three or four corners from (0, 0) and make a vertex of each corner.
enum class MissingUvs { None, OfFaces };

// All triangles of an ASCII or binary PLY, packed by gzip or not: those of faces (polygon_cut.h)
// and of strips, with normals and uvs (u v, s t, or these after texture_). A broken file is one
// sentence with its name and place, and so is a face with a corner that does not exist, or a vertex
// that is not finite.
base::Result<MeshData> read_ply_mesh(const std::string& path,
                                     SizeRule& size,
                                     MissingUvs missing = MissingUvs::None);
base::Result<MeshData> parse_ply_mesh(std::span<const u8> bytes,
                                      const std::string& path,
                                      SizeRule& size,
                                      MissingUvs missing = MissingUvs::None);

// A PLY that is a scene by itself.
struct PlyModel {
    // Normals have any length. Where faces have uvs or colours of their own, each corner is a
    // vertex.
    MeshData mesh;
    // 4 per vertex, display-coded from 0 to 1; empty: none. Those of faces where vertices have
    // none.
    std::vector<float> colors;
    std::vector<std::string> pictures;  // that the model names (ply_file.h)
    std::vector<std::string> unread;    // elements that mean nothing here
    u64 dropped_triangles = 0;          // of faces with a corner that is missing or not finite
    u64 points = 0;                     // faces of one corner, or the vertices of a mere cloud
    u64 lines = 0;                      // edges, and faces of two corners
};

// Of broken files as above; but what is wrong with single faces is dropped and counted.
base::Result<PlyModel> read_ply_model(const std::string& path, SizeRule& size);
base::Result<PlyModel> parse_ply_model(std::span<const u8> bytes,
                                       const std::string& path,
                                       SizeRule& size);

// All faces of an OBJ as one mesh, without its materials. Concave polygons are cut along their
// outline. A vertex is one combination of position, uv and normal; normals are left out where a
// face lacks them. A broken file is one sentence with its name and line.
base::Result<MeshData> read_obj_mesh(const std::string& path, SizeRule& size);
base::Result<MeshData> parse_obj_mesh(std::string_view text,
                                      const std::string& path,
                                      SizeRule& size);

}  // namespace weft::scene
