// triangle-inl.h — one ray against the four triangles of a leaf block.
//
// Included by traversal kernels once per instruction set (foreach_target). The edge test is
// Plücker's on vertices relative to the ray's origin (Davidovič et al., "3D Rasterization", 2012;
// the form that Embree also uses): an edge's number depends on its two vertices alone, up to sign,
// and so no ray slips between neighbours. Fused multiply-adds are those of the arithmetic class.
// engine/accel/brute_force.cpp does the same in scalar code; tests compare the bits.
#if defined(SHADERS_TRIANGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_TRIANGLE_INL_H_
#        undef SHADERS_TRIANGLE_INL_H_
#    else
#        define SHADERS_TRIANGLE_INL_H_
#    endif

#    include "hwy/highway.h"
#    include "shaders/box-inl.h"
#    include "shaders/bvh_view.h"
#    include "shaders/path_view.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Quad = hn::FixedTag<float, 4>;
using QuadV = hn::Vec<Quad>;

// Four points or directions at once.
struct Quad3 {
    QuadV x;
    QuadV y;
    QuadV z;
};

HWY_INLINE Quad3 minus(const Quad3& a, const Quad3& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

HWY_INLINE Quad3 plus(const Quad3& a, const Quad3& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}

HWY_INLINE Quad3 cross(const Quad3& a, const Quad3& b) {
    return {hn::MulSub(a.y, b.z, hn::Mul(a.z, b.y)),
            hn::MulSub(a.z, b.x, hn::Mul(a.x, b.z)),
            hn::MulSub(a.x, b.y, hn::Mul(a.y, b.x))};
}

HWY_INLINE QuadV dot(const Quad3& a, const Quad3& b) {
    return hn::MulAdd(a.x, b.x, hn::MulAdd(a.y, b.y, hn::Mul(a.z, b.z)));
}

// What a ray meets in a block: bit k of `hits` says that triangle k is met at t[k] with
// barycentrics u[k], v[k].
struct BlockHits {
    alignas(16) float t[4];
    alignas(16) float u[4];
    alignas(16) float v[4];
    u32 hits;
};

// Vertex k of the four triangles relative to the origin.
HWY_INLINE Quad3 relative_vertex(const LeafBlock& block, u32 k, const Quad3& origin) {
    const Quad d;
    const Quad3 vertex = {hn::Load(d, block.vertex[k][0]),
                          hn::Load(d, block.vertex[k][1]),
                          hn::Load(d, block.vertex[k][2])};
    return minus(vertex, origin);
}

// Narrows [near, far] by one axis of the triangles' boxes.
HWY_INLINE void narrow(QuadV a, QuadV b, QuadV c, float reciprocal, QuadV& near, QuadV& far) {
    const auto scale = hn::Set(Quad(), reciprocal);
    const auto one = hn::Mul(hn::Min(hn::Min(a, b), c), scale);
    const auto other = hn::Mul(hn::Max(hn::Max(a, b), c), scale);
    near = hn::Max(near, hn::Min(one, other));
    far = hn::Min(far, hn::Max(one, other));
}

HWY_INLINE u32 bits_of(hn::Mask<Quad> mask) {
    u8 bits[8];
    hn::StoreMaskBits(Quad(), mask, bits);
    return bits[0];
}

// Tests `ray` (in the block's space) up to `t`; no hit lies before `start`.
HWY_INLINE void hit_block(
    const LeafBlock& block, const TraceRay& ray, float start, float t_max, BlockHits& out) {
    const Quad d;
    const Quad3 origin = {
        hn::Set(d, ray.origin[0]), hn::Set(d, ray.origin[1]), hn::Set(d, ray.origin[2])};
    const Quad3 direction = {
        hn::Set(d, ray.direction[0]), hn::Set(d, ray.direction[1]), hn::Set(d, ray.direction[2])};
    const Quad3 a = relative_vertex(block, 0, origin);
    const Quad3 b = relative_vertex(block, 1, origin);
    const Quad3 c = relative_vertex(block, 2, origin);
    const Quad3 edge_ca = minus(c, a);
    const Quad3 edge_ab = minus(a, b);
    const Quad3 edge_bc = minus(b, c);

    // Weights of vertices 1, 2 and 0, all of one sign where the ray passes inside.
    const auto weight_b = dot(cross(edge_ca, plus(c, a)), direction);
    const auto weight_c = dot(cross(edge_ab, plus(a, b)), direction);
    const auto weight_a = dot(cross(edge_bc, plus(b, c)), direction);
    const auto lowest = hn::Min(hn::Min(weight_b, weight_c), weight_a);
    const auto highest = hn::Max(hn::Max(weight_b, weight_c), weight_a);
    const auto zero = hn::Zero(d);
    const auto inside = hn::Or(hn::Ge(lowest, zero), hn::Le(highest, zero));
    out.hits = bits_of(inside) & (block.flags >> 8);
    if (out.hits == 0) {
        return;
    }

    // Distance along the plane's normal, kept within the triangle's box.
    const Quad3 normal = cross(edge_ab, edge_ca);
    const auto steepness = dot(normal, direction);
    const auto sum = hn::Add(hn::Add(weight_b, weight_c), weight_a);
    auto near = zero;
    auto far = hn::Set(d, __builtin_huge_valf());
    narrow(a.x, b.x, c.x, ray.reciprocal[0], near, far);
    narrow(a.y, b.y, c.y, ray.reciprocal[1], near, far);
    narrow(a.z, b.z, c.z, ray.reciprocal[2], near, far);
    far = hn::Mul(far, hn::Set(d, kFarFactor));
    auto t = hn::Div(dot(normal, a), steepness);
    t = hn::Max(hn::Min(hn::Max(t, near), far), hn::Set(d, start));
    const auto is_proper = hn::And(hn::Ne(steepness, zero), hn::Ne(sum, zero));
    const auto is_within =
        hn::And(hn::And(hn::Le(near, far), hn::Gt(t, zero)), hn::Le(t, hn::Set(d, t_max)));
    out.hits &= bits_of(hn::And(is_proper, is_within));
    hn::Store(t, d, out.t);
    hn::Store(hn::Div(weight_b, sum), d, out.u);
    hn::Store(hn::Div(weight_c, sum), d, out.v);
}

}  // namespace HWY_NAMESPACE
}  // namespace weft::shaders

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
