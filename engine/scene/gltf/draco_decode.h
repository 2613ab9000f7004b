// draco_decode.h — one primitive of KHR_draco_mesh_compression, unpacked by libdraco into plain
// arrays.
//
// Called by the glTF importer for each compressed primitive; catches what the library throws. Any
// thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

struct DracoAttribute {
    u32 components = 0;
    bool is_integer = false;    // integers; the accessor may still ask for normalised ones
    std::vector<float> values;  // `components` per vertex
};

struct DracoMesh {
    u32 vertex_count = 0;
    std::vector<u32> indices;                // 3 per triangle, below vertex_count
    std::vector<DracoAttribute> attributes;  // in the order of `ids`
};

// `ids` are Draco's unique attribute ids. The error has no file; `place` begins its sentence.
base::Result<DracoMesh> decode_draco(std::span<const u8> packed,
                                     std::span<const u32> ids,
                                     const std::string& place);

}  // namespace weft::scene
