// embree_reference.h — Embree 3.13 over the same scene: traces rays for `--scheduler embree`, and
// checks the kernels' hits in tests.
//
// One Embree scene with instances, RTC_SCENE_FLAG_ROBUST. Filter functions decide alpha, tints and
// ties in t, with the same scalar code as our kernels, so a hit does not depend on packets or on
// Embree's tree. After building the calls below may run on many threads at once.
#pragma once

#include <memory>
#include <optional>

#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/trace_kernels.h"

struct RTCSceneTy;  // Embree's own: what an RTCScene points to

namespace weft::accel {

class EmbreeReference {
public:
    // `is_visible` and `flagged` as in BuildConfig. Without filters Embree treats every triangle as
    // opaque, and rays may hit the triangle they start on; closest() and any() may not be called
    // then. Embree's own kernels use `maybe_isa` at most; none: the best that the machine has.
    static base::Result<std::unique_ptr<EmbreeReference>> build(
        const scene::Scene& scene,
        u32 thread_count,
        const std::vector<bool>& is_visible,
        const std::vector<bool>& flagged = {},
        bool has_filters = true,
        std::optional<shaders::Isa> maybe_isa = std::nullopt);
    ~EmbreeReference();
    EmbreeReference(const EmbreeReference&) = delete;
    EmbreeReference& operator=(const EmbreeReference&) = delete;

    // Closest hits and any hits in embree mode: inputs and outputs as TraceKernels::closest_group
    // and any_group. Uses Embree's packets of 16 for coherent rays, else single rays.
    void closest(const shaders::TraceScene& scene,
                 shaders::TraceRay* rays,
                 const u32* ids,
                 u32 count) const;
    void any(const shaders::TraceScene& scene,
             shaders::TraceRay* rays,
             const u32* ids,
             u32 count) const;

    // False for rays that Embree's own calls may not get: origins beyond the boxes that Embree can
    // handle, or long directions. closest() and any() let them hit nothing.
    [[nodiscard]] bool accepts(const shaders::TraceRay& ray) const;

    // Seconds of Embree's builds alone, without filling buffers. Quality: medium with filters, like
    // our builder's high quality; high without.
    [[nodiscard]] double commit_s() const;

    // The Embree scene, for benchmarks of Embree's own calls.
    [[nodiscard]] RTCSceneTy* top() const;

private:
    struct State;
    explicit EmbreeReference(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::accel
