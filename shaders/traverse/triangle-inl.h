// triangle-inl.h — one ray against the four triangles of a leaf block.
//
// Included by traversal kernels once per instruction set (foreach_target). Woop, Benthin and Wald,
// "Watertight Ray/Triangle Intersection", JCGT 2013: the sheared position of a vertex depends on
// the vertex and the ray alone, and a difference of two rounded products has the right sign or is
// zero, so no ray slips through a shared edge or vertex. Nothing is fused.
// engine/accel/brute_force.cpp repeats it in scalar code; tests compare the bits.
#if defined(SHADERS_TRIANGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_TRIANGLE_INL_H_
#        undef SHADERS_TRIANGLE_INL_H_
#    else
#        define SHADERS_TRIANGLE_INL_H_
#    endif

#    include <cmath>

#    include "hwy/highway.h"
#    include "shaders/host/path_view.h"
#    include "shaders/traverse/box-inl.h"
#    include "shaders/traverse/bvh_view.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Quad = hn::FixedTag<float, 4>;
using QuadV = hn::Vec<Quad>;

// A ray prepared for edge tests: axes are permuted so that the longest becomes z, and sheared so
// that the ray is the z axis.
struct ShearRay {
    u32 axis[3];  // which axes are x, y, z
    float origin[3];
    float shear[3];  // x ← x − shear[0]·z, y ← y − shear[1]·z, z ← shear[2]·z
};

HWY_INLINE void prepare_shear(const TraceRay& ray, ShearRay& out) {
    const float x = std::fabs(ray.direction[0]);
    const float y = std::fabs(ray.direction[1]);
    const float z = std::fabs(ray.direction[2]);
    const u32 longest = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
    out.axis[0] = longest == 2 ? 0 : longest + 1;
    out.axis[1] = longest == 0 ? 2 : longest - 1;
    out.axis[2] = longest;
    for (u32 k = 0; k < 3; ++k) {
        out.origin[k] = ray.origin[out.axis[k]];
    }
    out.shear[2] = ray.reciprocal[longest];
    out.shear[0] = ray.direction[out.axis[0]] * out.shear[2];
    out.shear[1] = ray.direction[out.axis[1]] * out.shear[2];
}

// Vertex k of the four triangles in the sheared space; z is not scaled yet.
struct Sheared {
    QuadV x;
    QuadV y;
    QuadV z;
};

HWY_INLINE Sheared sheared_vertex(const LeafBlock& block, u32 k, const ShearRay& ray) {
    const Quad d;
    const auto x = hn::Sub(hn::Load(d, block.vertex[k][ray.axis[0]]), hn::Set(d, ray.origin[0]));
    const auto y = hn::Sub(hn::Load(d, block.vertex[k][ray.axis[1]]), hn::Set(d, ray.origin[1]));
    const auto z = hn::Sub(hn::Load(d, block.vertex[k][ray.axis[2]]), hn::Set(d, ray.origin[2]));
    return {hn::Sub(x, hn::Mul(hn::Set(d, ray.shear[0]), z)),
            hn::Sub(y, hn::Mul(hn::Set(d, ray.shear[1]), z)),
            z};
}

// Edge function of (a, b): its sign is the side on which the ray passes. The edge (b, a) gives
// exactly the negated value.
HWY_INLINE QuadV side_of_edge(const Sheared& a, const Sheared& b) {
    return hn::Sub(hn::Mul(b.x, a.y), hn::Mul(b.y, a.x));
}

// Hits of one ray in a block: bit k of `hits` is set where the ray hits triangle k, at t[k] with
// barycentrics u[k], v[k].
struct BlockHits {
    alignas(16) float t[4];
    alignas(16) float u[4];
    alignas(16) float v[4];
    u32 hits;
};

HWY_INLINE u32 bits_of(hn::Mask<Quad> mask) {
    u8 bits[8];
    hn::StoreMaskBits(Quad(), mask, bits);
    return bits[0];
}

// The ray's intervals with the widened boxes of the four triangles.
HWY_INLINE void block_intervals(const LeafBlock& block,
                                const SlabRay& ray,
                                QuadV& near,
                                QuadV& far) {
    const Quad d;
    const hn::FixedTag<u32, 4> d32;
    const hn::FixedTag<u8, 4> d8;
    const auto exponent = hn::PromoteTo(d32, hn::Load(d8, block.margin));
    const auto margin = hn::BitCast(d, hn::ShiftLeft<23>(exponent));
    near = hn::Zero(d);
    far = hn::Set(d, __builtin_huge_valf());
    for (u32 axis = 0; axis < 3; ++axis) {
        const auto a = hn::Load(d, block.vertex[0][axis]);
        const auto b = hn::Load(d, block.vertex[1][axis]);
        const auto c = hn::Load(d, block.vertex[2][axis]);
        const auto low = hn::Sub(hn::Min(hn::Min(a, b), c), margin);
        const auto high = hn::Add(hn::Max(hn::Max(a, b), c), margin);
        const bool is_high_first = ray.reciprocal[axis] < 0;
        const auto scale = hn::Set(d, ray.reciprocal[axis]);
        const auto enter = hn::Sub(is_high_first ? high : low, hn::Set(d, ray.near_origin[axis]));
        const auto leave = hn::Sub(is_high_first ? low : high, hn::Set(d, ray.far_origin[axis]));
        near = hn::Max(near, hn::Mul(enter, scale));
        far = hn::Min(far, hn::Mul(leave, scale));
    }
}

// Edge tests against the four triangles, before distances are known.
struct BlockWeights {
    QuadV a, b, c;  // barycentric weights, not normalised: of one sign where the ray is inside
    QuadV z[3];     // of the vertices
    u32 inside;     // bit k: triangle k is in use, and the ray passes inside
};

HWY_INLINE BlockWeights weigh_block(const LeafBlock& block, const ShearRay& ray) {
    // Shear the vertices and evaluate the three edge functions.
    const Sheared a = sheared_vertex(block, 0, ray);
    const Sheared b = sheared_vertex(block, 1, ray);
    const Sheared c = sheared_vertex(block, 2, ray);
    BlockWeights w;
    w.a = side_of_edge(b, c);
    w.b = side_of_edge(c, a);
    w.c = side_of_edge(a, b);
    w.z[0] = a.z;
    w.z[1] = b.z;
    w.z[2] = c.z;
    // Inside where no two edge functions differ in sign; zero counts as inside.
    const auto lowest = hn::Min(hn::Min(w.a, w.b), w.c);
    const auto highest = hn::Max(hn::Max(w.a, w.b), w.c);
    const auto zero = hn::Zero(Quad());
    const auto inside = hn::Or(hn::Ge(lowest, zero), hn::Le(highest, zero));
    w.inside = bits_of(inside) & (block.flags >> 8);
    return w;
}

// Distances of the triangles that the ray passes inside; t is clamped to the triangle's box, then
// raised to `start`. Hits have 0 < t ≤ t_max. `scale` is the ray's shear[2].
HWY_INLINE void hit_weighed(const LeafBlock& block,
                            const SlabRay& slabs,
                            const BlockWeights& w,
                            float scale,
                            float start,
                            float t_max,
                            BlockHits& out) {
    const Quad d;
    // Interpolate the depth of the vertices.
    const auto sum = hn::Add(hn::Add(w.a, w.b), w.c);
    const auto depth =
        hn::Add(hn::Add(hn::Mul(w.a, w.z[0]), hn::Mul(w.b, w.z[1])), hn::Mul(w.c, w.z[2]));
    // Clamp t to the interval with the triangle's box, and reject empty intervals.
    QuadV near;
    QuadV far;
    block_intervals(block, slabs, near, far);
    const auto zero = hn::Zero(d);
    auto t = hn::Mul(hn::Div(depth, sum), hn::Set(d, scale));
    t = hn::Max(hn::Min(hn::Max(t, near), far), hn::Set(d, start));
    const auto is_within =
        hn::And(hn::And(hn::Le(near, far), hn::Gt(t, zero)), hn::Le(t, hn::Set(d, t_max)));
    out.hits = w.inside & bits_of(hn::And(hn::Ne(sum, zero), is_within));
    hn::Store(t, d, out.t);
    hn::Store(hn::Div(w.b, sum), d, out.u);
    hn::Store(hn::Div(w.c, sum), d, out.v);
}

// Intersects a ray with a block: hits have start ≤ t ≤ t_max.
HWY_INLINE void hit_block(const LeafBlock& block,
                          const SlabRay& slabs,
                          const ShearRay& ray,
                          float start,
                          float t_max,
                          BlockHits& out) {
    const BlockWeights weights = weigh_block(block, ray);
    out.hits = weights.inside;
    if (out.hits != 0) {
        hit_weighed(block, slabs, weights, ray.shear[2], start, t_max, out);
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
