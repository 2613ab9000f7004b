// lane_triangle-inl.h — one triangle of a leaf block against a packet of rays, one ray per lane.
//
// Every lane computes what triangle-inl.h computes for its ray, operation by operation, so a hit
// has the same bits either way. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_LANE_TRIANGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#        undef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    else
#        define WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    endif

#    include <bit>

#    include "shaders/beam-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// A vertex where each ray is the z axis; z is not scaled yet.
struct LaneVertex {
    Float x, y, z;
};

HWY_INLINE LaneVertex lane_vertex(const LeafBlock& block, u32 corner, u32 k, const LaneSpace& s) {
    const float(&vertex)[3][4] = block.vertex[corner];
    const Float x = Float(vertex[s.axis[0]][k]) - s.origin[0];
    const Float y = Float(vertex[s.axis[1]][k]) - s.origin[1];
    const Float z = Float(vertex[s.axis[2]][k]) - s.origin[2];
    return {x - s.shear[0] * z, y - s.shear[1] * z, z};
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

// Where lanes meet a triangle.
struct LaneHits {
    alignas(64) float t[kLanes];
    alignas(64) float u[kLanes];
    alignas(64) float v[kLanes];
};

// Those of `lanes` whose rays meet triangle k before t_max; `out` is written if there are any.
HWY_INLINE u32 hit_triangle(
    const LeafBlock& block, u32 k, const LaneSpace& s, Float t_max, u32 lanes, LaneHits& out) {
    const LaneVertex a = lane_vertex(block, 0, k, s);
    const LaneVertex b = lane_vertex(block, 1, k, s);
    const LaneVertex c = lane_vertex(block, 2, k, s);
    const Float weight_a = side_of_edge(b, c);
    const Float weight_b = side_of_edge(c, a);
    const Float weight_c = side_of_edge(a, b);
    const Float lowest = min(min(weight_a, weight_b), weight_c);
    const Float highest = max(max(weight_a, weight_b), weight_c);
    const u32 inside = branch((lowest >= Float(0.0f)) | (highest <= Float(0.0f)), lanes);
    if (inside == 0) {
        return 0;
    }

    // Distance, kept within the triangle's box.
    const Float sum = (weight_a + weight_b) + weight_c;
    const Float depth = (weight_a * a.z + weight_b * b.z) + weight_c * c.z;
    float bounds[3][2];
    triangle_box(block, k, bounds);
    const LaneInterval i = box_interval(bounds, s, kInfinity);
    Float t = (depth / sum) * s.shear[2];
    t = max(min(max(t, i.near), i.far), s.start);
    const Bool is_sound = !(sum == Float(0.0f));
    const Bool is_within = (i.near <= i.far) & (t > Float(0.0f)) & (t <= t_max);
    const u32 hits = branch(is_sound & is_within, inside);
    if (hits != 0) {
        store(t, out.t);
        store(weight_b / sum, out.u);
        store(weight_c / sum, out.v);
    }
    return hits;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
