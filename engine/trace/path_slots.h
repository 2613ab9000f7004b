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

// Whether tints or media may dim light samples.
inline bool may_dim_light(const shaders::PathView& paths) {
    return paths.shadow_tint != nullptr || paths.shadow_media != nullptr;
}

// Leaves of a path's pending light sample, if it has one that nothing blocks, what tints and media
// let through.
inline void dim_light(const shaders::SceneView& scene, const shaders::PathView& paths, u32 slot) {
    shaders::PathGain& gain = paths.gain[slot];
    const float distance = paths.shadow[slot].t;
    if ((gain.flags & shaders::kPathShadow) == 0 || distance < 0) {
        return;
    }
    if (paths.shadow_media != nullptr) {
        shaders::attenuate_along(scene, paths.shadow_media[slot], distance, gain.light);
    }
    if (paths.shadow_tint != nullptr) {
        const u32* const tint = paths.shadow_tint + std::size_t{3} * slot;
        // Most panes tint all channels alike.
        u32 last = tint[0];
        float left = tint_factor(last);
        for (u32 c = 0; c < 3; ++c) {
            if (tint[c] != last) {
                last = tint[c];
                left = tint_factor(last);
            }
            gain.light[c] *= left;
        }
    }
}

// Ends the pending light sample of a path, if it has one: adds its light, or drops it if its shadow
// ray was blocked, whose `distance` is then negative.
inline void add_light(shaders::PathGain& gain, float distance) {
    // Half of the rays are blocked, in no order: they add 0 by a mask of bits. The mask comes from
    // shifts, since of a comparison the compiler makes a branch to mispredict.
    constexpr i32 kShadowShift = 31 - std::countr_zero(shaders::kPathShadow);
    const i32 has_light = static_cast<i32>(gain.flags << kShadowShift) >> 31;
    const i32 is_blocked = std::bit_cast<i32>(distance) >> 31;
    const auto kept = static_cast<u32>(has_light & ~is_blocked);
    for (u32 c = 0; c < 3; ++c) {
        gain.radiance[c] += std::bit_cast<float>(std::bit_cast<u32>(gain.light[c]) & kept);
    }
    gain.flags &= ~shaders::kPathShadow;
}

}  // namespace weft::trace
