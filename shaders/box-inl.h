// box-inl.h — the slab test of one ray against the eight boxes of a node, and the same interval for
// a single box.
//
// Included by traversal kernels once per instruction set (foreach_target). An interval with a box
// is [near, far·(1 + 2⁻²¹)] of (bound − origin)·reciprocal, near at least 0; the factor makes up
// for the rounding of both ends (Ize, "Robust BVH Ray Traversal", JCGT 2013). Nothing is fused, so
// every instruction set has the same intervals, and every operation is monotone, so that a larger
// box has an interval that contains the smaller one's.
#if defined(SHADERS_BOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_BOX_INL_H_
#        undef SHADERS_BOX_INL_H_
#    else
#        define SHADERS_BOX_INL_H_
#    endif

#    include "hwy/highway.h"
#    include "shaders/bvh_view.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr float kFarFactor = 1.0f + 0x1p-21f;

// Bits of the children whose interval starts no later than it ends and than `t`; entry[c] is where
// it starts. `entry` has room for eight and is aligned to 32 B.
HWY_INLINE u32 hit_children(const BvhNode& node,
                            const float origin[3],
                            const float reciprocal[3],
                            float t,
                            float* HWY_RESTRICT entry) {
    const hn::CappedTag<float, 8> d;
    constexpr size_t kLanes = HWY_MAX_BYTES >= 32 ? 8 : 4;
    u32 hits = 0;
    for (size_t first = 0; first < 8; first += kLanes) {
        auto near = hn::Zero(d);
        auto far = hn::Set(d, __builtin_huge_valf());
        for (u32 axis = 0; axis < 3; ++axis) {
            const auto from = hn::Set(d, origin[axis]);
            const auto scale = hn::Set(d, reciprocal[axis]);
            const u32 high_first = reciprocal[axis] < 0 ? 1 : 0;
            const auto bound_near = hn::Load(d, node.bounds[axis][high_first] + first);
            const auto bound_far = hn::Load(d, node.bounds[axis][1 - high_first] + first);
            near = hn::Max(near, hn::Mul(hn::Sub(bound_near, from), scale));
            far = hn::Min(far, hn::Mul(hn::Sub(bound_far, from), scale));
        }
        far = hn::Min(hn::Mul(far, hn::Set(d, kFarFactor)), hn::Set(d, t));
        hn::Store(near, d, entry + first);
        u8 bits[8];
        hn::StoreMaskBits(d, hn::Le(near, far), bits);
        hits |= static_cast<u32>(bits[0]) << first;
    }
    return hits;
}

// Where the interval of a ray with one box starts; −1 where it is empty or starts behind `t`.
HWY_INLINE float box_entry(const float bounds[3][2],
                           const float origin[3],
                           const float reciprocal[3],
                           float t) {
    float near = 0;
    float far = __builtin_huge_valf();
    for (u32 axis = 0; axis < 3; ++axis) {
        const u32 high_first = reciprocal[axis] < 0 ? 1 : 0;
        const float enter = (bounds[axis][high_first] - origin[axis]) * reciprocal[axis];
        const float leave = (bounds[axis][1 - high_first] - origin[axis]) * reciprocal[axis];
        near = enter > near ? enter : near;
        far = leave < far ? leave : far;
    }
    far *= kFarFactor;
    return near <= far && near <= t ? near : -1.0f;
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::shaders

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
