// gltf_bytes.h — the bytes of glTF files and their buffers, in memory or, with a geometry budget,
// in the scene's geometry file. Any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/scene/model/geometry_allocator.h"
#include "scheduler/base/result.h"

namespace weft::scene::gltf {

using Bytes = std::vector<u8, GeometryAllocator<u8>>;

// All bytes of a file. Errors: as of base::read_input_file().
base::Result<Bytes> read_bytes(const std::string& path,
                               const std::string& expected,
                               const std::shared_ptr<GeometryFile>& maybe_file);

}  // namespace weft::scene::gltf
