// path_slots.h — the memory behind the shaders::PathView of one cluster.
//
// Sized before the frame and never grown (F16). Used by its owner cluster and the cluster's
// kernels.
#pragma once

#include "engine/trace/result_slots.h"
#include "engine/trace/unit_memory.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scalar_math.h"
#include "shaders/lights/shadow_media.h"

namespace weft::trace {

class PathSlots {
public:
    // `layers`: what slots hold as well. The memory must outlive the slots.
    PathSlots(u32 capacity, PathLayers layers, UnitMemory& memory);

    // False if memory ran out; do not use view() then.
    [[nodiscard]] bool is_allocated() const { return size_bytes_ > 0; }

    [[nodiscard]] const shaders::PathView& view() const { return view_; }

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

    // Bytes of one path, without the scheduler's own: a thread declares them per element.
    static u32 bytes_per_path(PathLayers layers);

private:
    shaders::PathView view_{};
    u64 size_bytes_ = 0;
};

// What a tint of a shadow ray leaves of its light.
inline float tint_factor(u32 tint) {
    return tint == 0 ? 1
                     : static_cast<float>(shaders::exp2_of(-static_cast<double>(tint) * 0x1p-20));
}

// Resolves the pending light sample after its shadow ray: adds it with its tint and what media
// leave of it, or drops it if the ray was blocked.
inline void add_light(const shaders::SceneView& scene, const shaders::PathView& paths, u32 slot) {
    shaders::PathGain& gain = paths.gain[slot];
    gain.flags &= ~shaders::kPathShadow;
    const float distance = paths.shadow[slot].t;
    const bool is_open = distance >= 0;
    if (is_open && paths.shadow_media != nullptr) {
        shaders::attenuate_along(scene, paths.shadow_media[slot], distance, gain.light);
    }
    // Half of the rays are blocked, in no order: they add 0, without a branch.
    const u32* const tint = paths.shadow_tint + std::size_t{3} * slot;
    for (u32 c = 0; c < 3; ++c) {
        gain.radiance[c] += is_open ? gain.light[c] * tint_factor(tint[c]) : 0;
    }
}

}  // namespace weft::trace
