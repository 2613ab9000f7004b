// aside_memory.h — how large a tree may be to be kept aside for the next edit.
//
// Beside the tree in use up to five trees are kept: the built tree with the most triangles, that of
// the frame before, a copy made ahead, and the arrays of two patched trees. They spare first
// pictures a build; all of them together may take some half of the free memory. Any thread.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::live {

// The size of the largest tree to keep aside. `free_bytes`: available memory and that of trees
// aside; `limit_bytes`: RenderSettings::memory_limit_bytes (0: no limit).
u64 most_bytes_aside(u64 free_bytes, u64 limit_bytes);

}  // namespace weft::live
