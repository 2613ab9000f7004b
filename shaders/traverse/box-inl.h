// box-inl.h — the slab test of one ray against the eight boxes of a node.
//
// Included by traversal kernels once per instruction set (foreach_target). An interval with a box
// is [near, far] of (bound − origin)·reciprocal, near at least 0. The origin is moved outwards on
// both sides by 2⁻²⁰ of its largest coordinate; engine/accel widens triangle boxes by the same
// fraction. Nothing is fused, so every instruction set computes the same interval. Every operation
// is monotone, so the interval of a larger box contains that of a smaller one.
#if defined(SHADERS_BOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_BOX_INL_H_
#        undef SHADERS_BOX_INL_H_
#    else
#        define SHADERS_BOX_INL_H_
#    endif

#    include "hwy/highway.h"
#    include "shaders/host/path_view.h"
#    include "shaders/lanes/width.h"
#    include "shaders/traverse/bvh_view.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A ray prepared for slab tests. The fourth component is padding.
struct SlabRay {
    alignas(16) float near_origin[4];  // moved along the ray's direction, axis by axis
    alignas(16) float far_origin[4];   // moved against it
    alignas(16) float reciprocal[4];
};

HWY_INLINE void prepare_slabs(const TraceRay& ray, SlabRay& out) {
    const hn::FixedTag<float, 4> d;
    const auto origin = hn::Load(d, ray.origin);
    const auto reciprocal = hn::Load(d, ray.reciprocal);
    const auto size = hn::Abs(origin);
    const auto x = hn::Broadcast<0>(size);
    const auto y = hn::Broadcast<1>(size);
    const auto z = hn::Broadcast<2>(size);
    const auto margin = hn::Mul(hn::Max(hn::Max(x, y), z), hn::Set(d, 0x1p-20f));
    const auto along = hn::CopySign(margin, reciprocal);
    hn::Store(hn::Add(origin, along), d, out.near_origin);
    hn::Store(hn::Sub(origin, along), d, out.far_origin);
    hn::Store(reciprocal, d, out.reciprocal);
}

// Mask of the children that the ray hits before `t`; entry[c] is the start of the interval with
// child c. `entry` holds eight floats and is aligned to 32 B.
HWY_INLINE u32 hit_children(const float (&bounds)[3][2][8],
                            const SlabRay& ray,
                            float t,
                            float* HWY_RESTRICT entry) {
    const hn::CappedTag<float, 8> d;
    constexpr size_t kBoxLanes = HWY_MAX_BYTES >= 32 ? 8 : 4;
    u32 hits = 0;
    for (size_t first = 0; first < 8; first += kBoxLanes) {
        // Intersect the intervals of the three slabs with [0, t].
        auto near = hn::Zero(d);
        auto far = hn::Set(d, t);
        for (u32 axis = 0; axis < 3; ++axis) {
            const auto scale = hn::Set(d, ray.reciprocal[axis]);
            const u32 high_first = ray.reciprocal[axis] < 0 ? 1 : 0;
            const auto bound_near = hn::Load(d, bounds[axis][high_first] + first);
            const auto bound_far = hn::Load(d, bounds[axis][1 - high_first] + first);
            near = hn::Max(near,
                           hn::Mul(hn::Sub(bound_near, hn::Set(d, ray.near_origin[axis])), scale));
            far =
                hn::Min(far, hn::Mul(hn::Sub(bound_far, hn::Set(d, ray.far_origin[axis])), scale));
        }
        hn::Store(near, d, entry + first);
        u8 bits[8];
        hn::StoreMaskBits(d, hn::Le(near, far), bits);
        hits |= static_cast<u32>(bits[0]) << first;
    }
    return hits;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
