// lane_triangle-inl.h — one triangle of a leaf block against a packet of rays, one ray per lane.
//
// Each lane repeats the operations of triangle-inl.h for its own ray, so a hit has the same bits in
// both. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_LANE_TRIANGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#        undef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    else
#        define WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    endif

#    include <bit>

#    include "shaders/traverse/beam-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A vertex in the sheared space of each lane's ray; z is not scaled yet.
struct LaneVertex {
    Float x, y, z;
};

HWY_INLINE LaneVertex lane_vertex(const LeafBlock& block, u32 corner, u32 k, const LaneSpace& s) {
    const float(&vertex)[3][4] = block.vertex[corner];
    const Float x = Float(vertex[s.axis[0]][k]) - load(s.origin[0]);
    const Float y = Float(vertex[s.axis[1]][k]) - load(s.origin[1]);
    const Float z = Float(vertex[s.axis[2]][k]) - load(s.origin[2]);
    return {x - load(s.shear[0]) * z, y - load(s.shear[1]) * z, z};
}

HWY_INLINE Float side_of_edge(const LaneVertex& a, const LaneVertex& b) {
    return b.x * a.y - b.y * a.x;
}

// The widened box of triangle k.
HWY_INLINE void triangle_box(const LeafBlock& block, u32 k, float bounds[3][2]) {
    const float margin = std::bit_cast<float>(static_cast<u32>(block.margin[k]) << 23);
    for (u32 axis = 0; axis < 3; ++axis) {
        const float a = block.vertex[0][axis][k];
        const float b = block.vertex[1][axis][k];
        const float c = block.vertex[2][axis][k];
        const float low = a < b ? a : b;
        const float high = a > b ? a : b;
        bounds[axis][0] = (low < c ? low : c) - margin;
        bounds[axis][1] = (high > c ? high : c) + margin;
    }
}

// Hits of a triangle by lane: barycentrics are weight_b / sum and weight_c / sum.
struct LaneHits {
    u32 lanes;  // lanes that hit; the other fields are undefined elsewhere
    Float t;
    Float weight_b;
    Float weight_c;
    Float sum;
};

// Intersects the rays of `lanes` with triangle k of the block, up to t_max.
HWY_INLINE LaneHits
hit_triangle(const LeafBlock& block, u32 k, const LaneSpace& s, Float t_max, u32 lanes) {
    // Shear the vertices and evaluate the three edge functions.
    const LaneVertex a = lane_vertex(block, 0, k, s);
    const LaneVertex b = lane_vertex(block, 1, k, s);
    const LaneVertex c = lane_vertex(block, 2, k, s);
    const Float weight_a = side_of_edge(b, c);
    LaneHits out;
    out.weight_b = side_of_edge(c, a);
    out.weight_c = side_of_edge(a, b);
    const Float lowest = min(min(weight_a, out.weight_b), out.weight_c);
    const Float highest = max(max(weight_a, out.weight_b), out.weight_c);
    out.lanes = branch((lowest >= Float(0.0f)) | (highest <= Float(0.0f)), lanes);
    if (out.lanes == 0) {
        return out;
    }

    // Interpolate the depth, and clamp t to the triangle's box.
    out.sum = (weight_a + out.weight_b) + out.weight_c;
    const Float depth = (weight_a * a.z + out.weight_b * b.z) + out.weight_c * c.z;
    float bounds[3][2];
    triangle_box(block, k, bounds);
    const LaneInterval i = box_interval(bounds, s, kInfinity);
    out.t = (depth / out.sum) * load(s.shear[2]);
    out.t = max(min(max(out.t, i.near), i.far), load(s.start));
    const Bool is_sound = !(out.sum == Float(0.0f));
    const Bool is_within = (i.near <= i.far) & (out.t > Float(0.0f)) & (out.t <= t_max);
    out.lanes = branch(is_sound & is_within, out.lanes);
    return out;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
