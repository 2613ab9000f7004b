// packed_file.h — files that may be packed by gzip, and streams of zlib.
//
// What unpacks to more than a scene may have of its bytes (size_rule.h) is refused before it is
// unpacked further. Any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/scene/model/size_rule.h"

namespace weft::scene {

// All bytes of a file, unpacked where they begin as gzip does. `expected` is for sentences ("a PLY
// mesh"). Counts them in `size`.
base::Result<std::vector<u8>> read_packed_file(const std::string& path,
                                               const std::string& expected,
                                               SizeRule& size);

// The bytes of a stream of zlib at the beginning of `packed`; what follows it is ignored.
base::Result<std::vector<u8>> unpack_zlib(std::span<const u8> packed,
                                          const std::string& path,
                                          SizeRule& size);

}  // namespace weft::scene
