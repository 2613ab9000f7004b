// path_slots.h — memory for the paths of one cluster: the structure of arrays behind
// shaders::PathView.
//
// Sized before the frame and never grown (F16); one owner, used by the cluster that owns it and its
// kernels.
#pragma once

#include "engine/trace/unit_memory.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

class PathSlots {
public:
    // `has_aovs`: slots carry the first hit's AOVs too. The memory must outlive the slots.
    PathSlots(u32 capacity, bool has_aovs, UnitMemory& memory);

    // False where the memory could not be had; view() may not be used then.
    [[nodiscard]] bool is_allocated() const { return size_bytes_ > 0; }

    [[nodiscard]] const shaders::PathView& view() const { return view_; }

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

    // Of one path, without the scheduler's own memory: what a thread declares per element.
    static u32 bytes_per_path(bool has_aovs);

private:
    shaders::PathView view_{};
    u64 size_bytes_ = 0;
};

// The pending light sample of a path whose shadow ray is through: added, as what tinted the ray
// lets it be seen, or gone where something blocked it.
inline void add_light(const shaders::PathView& paths, u32 slot) {
    shaders::PathGain& gain = paths.gain[slot];
    gain.flags &= ~shaders::kPathShadow;
    if (paths.shadow[slot].t < 0) {
        return;
    }
    for (u32 c = 0; c < 3; ++c) {
        const u32 tint = paths.shadow_tint[3 * slot + c];
        float light = gain.light[c];
        if (tint != 0) {
            light *= static_cast<float>(shaders::exp2_of(-static_cast<double>(tint) * 0x1p-20));
        }
        gain.radiance[c] += light;
    }
}

}  // namespace weft::trace
