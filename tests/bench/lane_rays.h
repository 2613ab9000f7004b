// lane_rays.h — the rays of bench_lanes: camera rays of a scene tile by tile, shadow rays from
// their hits to one light, and cosine-distributed bounces.
//
// In the order in which a renderer makes them. Deterministic: an integer hash. One thread.
#pragma once

#include <vector>

#include "engine/scene/model/scene.h"
#include "shaders/traverse/trace_kernels.h"

namespace weft::bench {

using RayList = std::vector<shaders::TraceRay>;

// A camera of 70° from six numbers as text: where it is and what it looks at.
scene::Camera camera_at(const char* const* numbers);

// One jittered ray per pixel of a square picture of `size` pixels, tiles of 32×32 in rows, and in a
// tile blocks of 8×8 in rows, as a renderer orders them.
RayList camera_rays(const scene::Scene& scene, u32 size);

// From each hit to a point of a square light at the top of the scene, in the order of the rays.
RayList shadow_rays(const scene::Scene& scene, const RayList& traced);

// From each hit into the hemisphere around its face.
RayList bounce_rays(const scene::Scene& scene, const RayList& traced);

// The same, but a tenth of the scene's diagonal long.
RayList ambient_rays(const scene::Scene& scene, const RayList& traced);

}  // namespace weft::bench
