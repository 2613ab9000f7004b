// gltf_attributes.h — the attributes of a primitive by name, from accessors or out of Draco's
// packing.
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
    bool is_indexed = false;   // by these
};

// `with_joints`: JOINTS_n and WEIGHTS_n, too.
base::Result<Attributes> read_attributes(const Document& document,
                                         std::size_t mesh,
                                         std::size_t primitive,
                                         bool with_joints);

// Colours and weights are normalised where they are integers, whatever the accessor says.
bool is_always_normalized(const std::string& attribute);

}  // namespace weft::scene::gltf
