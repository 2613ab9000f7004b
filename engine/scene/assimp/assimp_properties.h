// assimp_properties.h — packs and unpacks assimp's materials and embedded pictures.
//
// The reader process packs them. The importer unpacks them into an aiScene that holds nothing else,
// for the mapping in assimp_material.cpp. Unpacking checks every property, because assimp's own
// functions abort where the bytes of one do not match its type. One thread each.
#pragma once

#include <memory>

#include "engine/scene/assimp/assimp_pack.h"

struct aiScene;

namespace weft::scene {

void pack_materials(const aiScene& scene, PackWriter& pack);

// Null where the pack is broken.
std::unique_ptr<aiScene> unpack_materials(PackReader& pack);

}  // namespace weft::scene
