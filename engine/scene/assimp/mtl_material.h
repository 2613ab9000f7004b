// mtl_material.h — maps one material of an MTL library to the scene's; mtl.md has the table.
// Private to the assimp importer.
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
