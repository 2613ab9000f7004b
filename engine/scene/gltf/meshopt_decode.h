// meshopt_decode.h — unpacks one buffer view of EXT_meshopt_compression with meshoptimizer, after a
// check of every size.
//
// Called by the glTF importer for each compressed view. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::scene {

// The content of the extension object.
struct MeshoptView {
    std::span<const u8> packed;
    u64 count = 0;       // elements
    u64 stride = 0;      // bytes per element, once unpacked
    std::string mode;    // ATTRIBUTES, TRIANGLES or INDICES
    std::string filter;  // empty or NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL (ATTRIBUTES only)
};

// count · stride bytes. The error has no file; `place` begins its sentence.
base::Result<std::vector<u8>> decode_meshopt(const MeshoptView& view, const std::string& place);

}  // namespace weft::scene
