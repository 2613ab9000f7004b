// mtl_material.h — one material of an MTL library as a glTF-like material; mtl.md has the table.
// Inside of the assimp importer only.
#pragma once

#include "engine/scene/assimp/assimp_maps.h"
#include "engine/scene/assimp/mtl_file.h"

namespace weft::scene {

// Errors (pictures that cannot be read) stay in `maps`.
void map_mtl_material(AssimpImport& import,
                      const MtlMaterial& from,
                      bool is_vertex_colored,
                      MaterialMaps& maps,
                      Material& material);

}  // namespace weft::scene
