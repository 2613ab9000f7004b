// path_slots.h — the memory behind the shaders::PathView of one cluster.
//
// Sized before the frame and never grown (F16). Used by its owner cluster and the cluster's
// kernels.
#pragma once

#include <bit>

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

// Ends the pending light sample of a path, if it has one: adds its light with its tint and what
// media leave of it, or drops it if its shadow ray was blocked.
inline void add_light(const shaders::SceneView& scene, const shaders::PathView& paths, u32 slot) {
    shaders::PathGain& gain = paths.gain[slot];
    const u32 flags = gain.flags;
    const float distance = paths.shadow[slot].t;
    const bool has_light = (flags & shaders::kPathShadow) != 0;
    if (has_light && distance >= 0 && paths.shadow_media != nullptr) {
        shaders::attenuate_along(scene, paths.shadow_media[slot], distance, gain.light);
    }
    if (has_light && paths.shadow_tint != nullptr) {
        const u32* const tint = paths.shadow_tint + std::size_t{3} * slot;
        for (u32 c = 0; c < 3; ++c) {
            gain.light[c] *= tint_factor(tint[c]);
        }
    }
    // Half of the rays are blocked, in no order, and their t is negative: they add 0 by a mask of
    // bits, without a branch to mispredict.
    const u32 blocked = static_cast<u32>(std::bit_cast<i32>(distance) >> 31);
    const u32 kept = (has_light ? ~0U : 0U) & ~blocked;
    for (u32 c = 0; c < 3; ++c) {
        gain.radiance[c] += std::bit_cast<float>(std::bit_cast<u32>(gain.light[c]) & kept);
    }
    gain.flags = flags & ~shaders::kPathShadow;
}

}  // namespace weft::trace
