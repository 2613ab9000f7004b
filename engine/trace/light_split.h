// light_split.h — divides the light of a path among layers, without a quantum too much or too
// little (shaders/bsdf.md section 8).
//
// The film rounds a path's radiance to quanta once. Here the radiance is rounded the same way after
// each contribution, and what the rounded sum rises by goes to the contribution's parts: so the
// parts of a path add up to the quanta that the film counts, and where no contribution is negative,
// no part is. Clamps and roulette have acted before.
//
// Called by the parent of a path's fibres, on its cluster's thread.
#pragma once

#include "engine/trace/result_slots.h"
#include "shaders/host/path_view.h"

namespace weft::trace {

// Counts what the last shade or miss kernel added to a path's radiance: after that kernel, before
// anything else is added. `split`: the path's split_words(layers) words, 0 at its start.
void split_found(PathLayers layers, const shaders::PathView& paths, u32 slot, i64* split);

// The same for the light sample that was pending, just after it was added.
void split_pending(PathLayers layers, const shaders::PathView& paths, u32 slot, i64* split);

}  // namespace weft::trace
