// assimp_properties.h — assimp's materials and embedded pictures as bytes, and made again of them.
//
// The process that runs assimp packs them; the importer makes an aiScene that holds them alone, for
// the steps that map materials (assimp_material.cpp). What is unpacked is checked first: assimp's
// own functions, which end the program where a property's bytes are not what its type says, then
// find nothing wrong. One thread each.
#pragma once

#include <memory>

#include "engine/scene/assimp/assimp_pack.h"

struct aiScene;

namespace weft::scene {

void pack_materials(const aiScene& scene, PackWriter& pack);

// Null where the pack is broken.
std::unique_ptr<aiScene> unpack_materials(PackReader& pack);

}  // namespace weft::scene
