#include "shaders/lights/shadow_media.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "shaders/host/scalar_math.h"
#include "shaders/lights/placed_normal.h"

namespace weft::shaders {

namespace {

// Whether a ray meets the front of a triangle.
bool meets_front(const SceneView& scene,
                 const InstanceRecord& placed,
                 u32 primitive,
                 const float direction[3]) {
    const std::array<double, 3> normal = placed_normal<double>(scene, placed, primitive);
    double along = 0;
    for (u32 k = 0; k < 3; ++k) {
        along += normal[k] * static_cast<double>(direction[k]);
    }
    const bool is_mirrored = (placed.flags & kInstanceMirrored) != 0;
    return is_mirrored ? along >= 0 : along <= 0;
}

// Media as in medium-inl.h, innermost first.
u32 medium_in_force(const SceneView& scene, const u32 (&stack)[kMediumDepth]) {
    u32 best = stack[0];
    for (u32 k = 1; k < kMediumDepth && stack[k] != kNone; ++k) {
        if (scene.materials[stack[k]].medium_priority > scene.materials[best].medium_priority) {
            best = stack[k];
        }
    }
    return best;
}

void cross(u32 (&stack)[kMediumDepth], u32 material, bool enters) {
    if (enters) {
        if (stack[kMediumDepth - 1] == kNone) {
            std::copy_backward(stack, stack + kMediumDepth - 1, stack + kMediumDepth);
            stack[0] = material;
        }
        return;
    }
    u32* const end = stack + kMediumDepth;
    u32* const found = std::find(stack, end, material);
    if (found != end) {
        std::copy(found + 1, end, found);
        stack[kMediumDepth - 1] = kNone;
    }
}

bool is_before(const MediumCrossing& a, const MediumCrossing& b) {
    return a.t != b.t ? a.t < b.t : a.boundary < b.boundary;
}

}  // namespace

bool pass_boundary(const SceneView& scene,
                   u32 instance,
                   u32 primitive,
                   float t,
                   const float direction[3],
                   ShadowMedia& media) {
    const InstanceRecord& placed = scene.instances[instance];
    if ((scene.materials[placed.material].flags & kMaterialBoundary) == 0 ||
        media.count == kMostCrossings) {
        return false;
    }
    const bool enters = meets_front(scene, placed, primitive, direction);
    media.crossing[media.count++] = {t, placed.material << 1 | (enters ? 1U : 0U)};
    return true;
}

void attenuate_along(const SceneView& scene, ShadowMedia& media, float distance, float light[3]) {
    MediumCrossing* const end = media.crossing + media.count;
    std::sort(media.crossing, end, is_before);
    double depth[3] = {};
    double from = 0;
    const auto travel_to = [&](double to) {
        const u32 medium = medium_in_force(scene, media.medium);
        if (medium != kNone) {
            const MaterialRecord& record = scene.materials[medium];
            for (u32 c = 0; c < 3; ++c) {
                const double sigma_t =
                    static_cast<double>(record.sigma_a[c]) + static_cast<double>(record.sigma_s[c]);
                depth[c] += sigma_t * (to - from);
            }
        }
        from = to;
    };
    for (const MediumCrossing* at = media.crossing; at != end; ++at) {
        // Where a ray passes an edge, both triangles beside it name the same boundary.
        const bool is_same =
            at != media.crossing && at->t == at[-1].t && at->boundary == at[-1].boundary;
        if (!is_same) {
            travel_to(static_cast<double>(at->t));
            cross(media.medium, at->boundary >> 1, (at->boundary & 1) != 0);
        }
    }
    if (distance < HUGE_VALF) {
        travel_to(static_cast<double>(distance));
    }
    for (u32 c = 0; c < 3; ++c) {
        light[c] *= static_cast<float>(exp_of(-depth[c]));
    }
}

}  // namespace weft::shaders
