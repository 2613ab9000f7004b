// page_wait-inl.h — a ray comes to the root of a subtree in a page (bvh_view.h): it enters a page
// that is near, and waits where the page is far.
//
// Waiting records (slot, page root, placement, entry distance) in the caller's list, and traversal
// goes on with the rest of the tree. The caller traverses the subtree later, from its root. A hit
// is a function of ray, instance and primitive alone, so the order in which subtrees are traversed
// changes no closest hit and no sum of tints. Included by traversal kernels; marks pages as used.
#if defined(WEFT_SHADERS_PAGE_WAIT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PAGE_WAIT_INL_H_
#        undef WEFT_SHADERS_PAGE_WAIT_INL_H_
#    else
#        define WEFT_SHADERS_PAGE_WAIT_INL_H_
#    endif

#    include "shaders/traverse/box-inl.h"
#    include "shaders/traverse/trace_kernels.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Start of the ray's interval with the box, as hit_children() computes it; −1 where it misses the
// box before t.
HWY_INLINE float box_entry(const float (&bounds)[3][2], const SlabRay& ray, float t) {
    float near = 0;
    float far = t;
    for (u32 axis = 0; axis < 3; ++axis) {
        const u32 near_side = ray.reciprocal[axis] < 0 ? 1 : 0;
        const float enter =
            (bounds[axis][near_side] - ray.near_origin[axis]) * ray.reciprocal[axis];
        const float leave =
            (bounds[axis][1 - near_side] - ray.far_origin[axis]) * ray.reciprocal[axis];
        near = near > enter ? near : enter;
        far = far < leave ? far : leave;
    }
    return near <= far ? near : -1.0f;
}

// Records that a ray waits.
HWY_INLINE void wait_at(const TraceScene& scene, const PageWait& wait) {
    PageWaits& waits = *scene.waits;
    if (waits.count < waits.capacity) {
        waits.items[waits.count] = wait;
    }
    ++waits.count;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
