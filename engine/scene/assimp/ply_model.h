// ply_model.h — a PLY as a scene of assimp's types, so that it is packed as all other formats are.
//
// Runs in the reader process, on one thread.
#pragma once

#include <assimp/scene.h>
#include <memory>

#include "engine/scene/assimp/assimp_source.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// One node with one mesh of triangles and one white material, with the picture that the file names.
// Adds to the source's notes and totals. Error: the sentence of mesh_files.h.
base::Result<std::unique_ptr<aiScene>> read_ply_scene(AssimpSource& source);

}  // namespace weft::scene
