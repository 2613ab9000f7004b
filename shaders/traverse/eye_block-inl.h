// eye_block-inl.h — a leaf block as seen by a packet whose rays start at one point, the eye.
//
// What a ray subtracts its origin from is subtracted once for all rays, with the same rounding, and
// the beam culls triangles, four at a time. From one origin an edge function is linear in the
// ray's shear (x, y): with corners a and b relative to the eye,
//
//     (b.x − x·b.z)·(a.y − y·a.z) − (b.y − y·b.z)·(a.x − x·a.z) = n.z − x·n.x − y·n.y,
//     n = (b.z·a.y − b.y·a.z,  b.x·a.z − b.z·a.x,  b.x·a.y − b.y·a.x).
//
// A triangle is culled where, over the whole range of shears, one edge function stays above zero
// and another stays below it, both by more than all rounding: there each ray finds edge functions
// of both signs. With M the largest coordinate of the corners and u = 2⁻²⁴, the edge function that
// a ray computes is off by at most 40·M²·u (|x|, |y| ≤ 1), and the bound here by 45·M²·u; the
// margin is 256·M²·u and a little more than what underflows. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_EYE_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_EYE_BLOCK_INL_H_
#        undef WEFT_SHADERS_EYE_BLOCK_INL_H_
#    else
#        define WEFT_SHADERS_EYE_BLOCK_INL_H_
#    endif

#    include "shaders/traverse/beam-inl.h"
#    include "shaders/traverse/triangle-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

struct EyeBlock {
    alignas(16) float vertex[3][3][4];  // [corner][axis in the order of ShearRay][triangle]
    u32 met;                            // bit k: some ray may hit triangle k
};

// The margin of an edge function's sign, by the largest coordinate.
HWY_INLINE QuadV edge_margin(QuadV size) {
    const Quad d;
    return hn::MulAdd(hn::Mul(size, size), hn::Set(d, 0x1p-16f), hn::Set(d, 1e-30f));
}

HWY_INLINE void look_at_block(const LeafBlock& block, const LaneSpace& s, EyeBlock& out) {
    const Quad d;
    // Subtract the eye from the corners.
    QuadV at[3][3];
    QuadV sizes[3];
    for (u32 corner = 0; corner < 3; ++corner) {
        for (u32 axis = 0; axis < 3; ++axis) {
            at[corner][axis] =
                hn::Sub(hn::Load(d, block.vertex[corner][s.axis[axis]]), hn::Set(d, s.eye[axis]));
            hn::Store(at[corner][axis], d, out.vertex[corner][axis]);
        }
        sizes[corner] = hn::Max(hn::Max(hn::Abs(at[corner][0]), hn::Abs(at[corner][1])),
                                hn::Abs(at[corner][2]));
    }
    // Bound the three edge functions over the range of shears.
    const QuadV margin = edge_margin(hn::Max(hn::Max(sizes[0], sizes[1]), sizes[2]));
    auto is_above = hn::MaskFromVec(hn::Zero(d));
    auto is_below = is_above;
    for (u32 edge = 0; edge < 3; ++edge) {
        const QuadV(&a)[3] = at[(edge + 1) % 3];
        const QuadV(&b)[3] = at[(edge + 2) % 3];
        const QuadV nx = hn::MulSub(b[2], a[1], hn::Mul(b[1], a[2]));
        const QuadV ny = hn::MulSub(b[0], a[2], hn::Mul(b[2], a[0]));
        const QuadV nz = hn::MulSub(b[0], a[1], hn::Mul(b[1], a[0]));
        const QuadV middle = hn::NegMulAdd(
            hn::Set(d, s.mid_shear[0]), nx, hn::NegMulAdd(hn::Set(d, s.mid_shear[1]), ny, nz));
        const QuadV reach =
            hn::MulAdd(hn::Set(d, s.shear_reach[0]),
                       hn::Abs(nx),
                       hn::MulAdd(hn::Set(d, s.shear_reach[1]), hn::Abs(ny), margin));
        is_above = hn::Or(is_above, hn::Gt(middle, reach));
        is_below = hn::Or(is_below, hn::Lt(middle, hn::Neg(reach)));
    }
    out.met = (block.flags >> 8 & 15) & ~bits_of(hn::And(is_above, is_below));
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
