// embree_reference.h — Embree 3.13 over the same scene: the opponent of `--scheduler embree` and
// the judge in tests.
//
// One Embree scene with instances, RTC_SCENE_FLAG_ROBUST. Alpha decisions and tints go through
// filter functions that call the same scalar code as our kernels; so does the choice between hits
// that are equally near, and thus a hit does not depend on packets or on the tree. Thread-safe
// after building; the calls below may run on many threads at once.
#pragma once

#include <memory>

#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"
#include "shaders/traverse/trace_kernels.h"

struct RTCSceneTy;  // Embree's own: what an RTCScene points to

namespace weft::accel {

class EmbreeReference {
public:
    // `is_visible` and `asked` as in BuildConfig. Without filters Embree takes every triangle as
    // opaque and rays may hit what they start on; closest() and any() may not be called then.
    static base::Result<std::unique_ptr<EmbreeReference>> build(
        const scene::Scene& scene,
        u32 thread_count,
        const std::vector<bool>& is_visible,
        const std::vector<bool>& flagged = {},
        bool has_filters = true);
    ~EmbreeReference();
    EmbreeReference(const EmbreeReference&) = delete;
    EmbreeReference& operator=(const EmbreeReference&) = delete;

    // The bodies of the closest-hit and any-hit fibres in the embree mode: the same inputs and
    // outputs as TraceKernels::closest_group and any_group. Calls Embree's packets of 16 for
    // coherent lists, single rays else.
    void closest(const shaders::TraceScene& scene,
                 shaders::TraceRay* rays,
                 const u32* ids,
                 u32 count) const;
    void any(const shaders::TraceScene& scene,
             shaders::TraceRay* rays,
             const u32* ids,
             u32 count) const;

    // Seconds that Embree took to build its trees, triangles already in its buffers: at medium
    // quality with filters, as our builder at its best; at high quality without.
    [[nodiscard]] double commit_s() const;

    // The scene itself, for whoever measures Embree's own calls.
    [[nodiscard]] RTCSceneTy* top() const;

private:
    struct State;
    explicit EmbreeReference(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace weft::accel
