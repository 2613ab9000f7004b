// gltf_attributes.h — the attributes of a primitive by name, from accessors or from Draco.
//
// Called by gltf_geometry alone; read-only on the document.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_notes.h"

namespace weft::scene::gltf {

struct Attributes {
    std::map<std::string, FloatArray>
        arrays;  // POSITION, NORMAL, TANGENT, TEXCOORD_0/1, COLOR_0, JOINTS_n, WEIGHTS_n
    std::vector<u32> indices;  // Draco's
    bool is_indexed = false;   // `indices` holds them
};

// `with_joints`: also reads JOINTS_n and WEIGHTS_n.
base::Result<Attributes> read_attributes(const Document& document,
                                         std::size_t mesh,
                                         std::size_t primitive,
                                         bool with_joints);

// Whether integers of this attribute are normalised whatever the accessor says: colours, weights.
bool is_always_normalized(const std::string& attribute);

}  // namespace weft::scene::gltf
