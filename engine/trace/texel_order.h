// texel_order.h — the order in which a packet of hits is shaded on a device: by material, then by
// the place on its textures.
//
// Hits that follow each other then read the same tiles of texels, so that fewer tiles are copied
// into local memory again (texel_cache.h). The place is the point of the Morton curve at which the
// texture coordinates lie; textures of a material mostly share these. A place decides the order and
// nothing else, so the picture has the same bits. One per cluster, on the cluster's thread.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "scheduler/base/ids.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"

namespace weft::trace {

class TexelOrder {
public:
    explicit TexelOrder(u32 most_hits);

    // The hits of `rays` in order; valid until the next call. At most `most_hits`. `is_by_slot`:
    // the scene's corners are those of paths, not of primitives (hit_slots.h).
    std::span<const u32> sorted(const shaders::SceneView& scene,
                                const shaders::TraceRay* rays,
                                std::span<const u32> hits,
                                bool is_by_slot = false);

private:
    std::vector<std::pair<u64, u32>> places_;  // and slots
    std::vector<u32> sorted_;
};

// The material of a hit in the high half, and its place on the material's first texture in the low
// half: 0 where it has none.
u64 texel_place(const shaders::SceneView& scene, const shaders::TraceRay& ray, u32 primitive);

}  // namespace weft::trace
