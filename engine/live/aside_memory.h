// aside_memory.h — how large a tree may be so that it is kept aside for the next edit.
//
// Beside the tree in use up to five go with edits: the built one that held most, that of the frame
// before, a copy made ahead, and what two patched trees left. They pay with memory for first
// pictures without a build, so all of them together may take some half of what is free. Any thread.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::live {

// What the system could give without swapping; 0: it does not say.
u64 available_memory_bytes();

// The largest tree that is kept aside, where `free_bytes` is what is available and what is aside
// already, and `limit_bytes` what was allowed at all (RenderSettings; 0: no limit).
u64 most_bytes_aside(u64 free_bytes, u64 limit_bytes);

}  // namespace weft::live
