// mesh_files.h — meshes of PLY and OBJ files that other scene files name.
//
// Scenes of pbrt and Mitsuba name thousands of such files, so they are read here, in this process,
// and not through assimp's, which takes some 20 ms for each. Triangles, quads and polygons (as
// fans), normals and uvs are read; the rest is skipped. A broken file is one sentence with its
// name and place. Any thread.
#pragma once

#include <span>
#include <string>

#include "engine/scene/model/size_rule.h"
#include "engine/scene/parts/mesh_data.h"

namespace weft::scene {

// ASCII or binary PLY, packed by gzip or not. uvs are those of the file: u, v or s, t.
base::Result<MeshData> read_ply_mesh(const std::string& path, SizeRule& size);
base::Result<MeshData> parse_ply_mesh(std::span<const u8> bytes,
                                      const std::string& path,
                                      SizeRule& size);

// All faces of an OBJ as one mesh, without its materials. A vertex is one combination of position,
// uv and normal; normals are left out where a face lacks them.
base::Result<MeshData> read_obj_mesh(const std::string& path, SizeRule& size);
base::Result<MeshData> parse_obj_mesh(std::string_view text,
                                      const std::string& path,
                                      SizeRule& size);

}  // namespace weft::scene
