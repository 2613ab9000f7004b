// lane_triangle-inl.h — one triangle of a leaf block against a packet of rays, one ray per lane.
//
// Each lane repeats the operations of triangle-inl.h for its own ray, so a hit has the same bits in
// both. Registers go one after the other: all that a test keeps fits into those of AVX2, and a
// register without a hit is left early, which is no branch of the lanes. Included by traversal
// kernels; pure.
#if defined(WEFT_SHADERS_LANE_TRIANGLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#        undef WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    else
#        define WEFT_SHADERS_LANE_TRIANGLE_INL_H_
#    endif

#    include <bit>

#    include "shaders/traverse/eye_block-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The lanes of `lanes` that `taken` names too. Counts one branch that all of them decide together,
// as branch() does, but in memory of the caller's, and not at all where that is null: GCC takes
// access to a thread's own count for a call, for which it spills all registers.
HWY_INLINE u32 decide(u32 taken, u32 lanes, DivergenceCounters* maybe_counted) {
    taken &= lanes;
    if (kLanes == 32 && maybe_counted != nullptr) {
        ++maybe_counted->branches;
        maybe_counted->divergent += taken != 0 && taken != lanes ? 1 : 0;
        maybe_counted->lanes_live += static_cast<u32>(std::popcount(lanes));
    }
    return taken;
}

// A vertex in the sheared space of each lane's ray; z is not scaled yet.
struct LaneVertex {
    Part x, y, z;
};

// Coordinates of triangle k relative to the origins of the rays in the register from lane `first`.
struct FromOrigins {
    const LeafBlock& block;
    const LaneSpace& s;
    u32 k;

    HWY_INLINE Part coordinate(u32 corner, u32 axis, u32 first) const {
        return Part(block.vertex[corner][s.axis[axis]][k]) - Part::load(s.origin[axis] + first);
    }
};

// The same from an eye.
struct FromEye {
    const EyeBlock& seen;
    u32 k;

    HWY_INLINE Part coordinate(u32 corner, u32 axis, u32 /*first*/) const {
        return Part(seen.vertex[corner][axis][k]);
    }
};

template <class From>
HWY_INLINE LaneVertex lane_vertex(const From& from, u32 corner, const LaneSpace& s, u32 first) {
    const Part z = from.coordinate(corner, 2, first);
    return {from.coordinate(corner, 0, first) - Part::load(s.shear[0] + first) * z,
            from.coordinate(corner, 1, first) - Part::load(s.shear[1] + first) * z,
            z};
}

HWY_INLINE Part side_of_edge(const LaneVertex& a, const LaneVertex& b) {
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
struct alignas(64) LaneHits {
    float weight_a[kLanes];
    float weight_b[kLanes];
    float weight_c[kLanes];
    float sum[kLanes];
    float t[kLanes];
    u32 lanes;  // lanes that hit; the other fields are undefined elsewhere
};

// Intersects the rays of `lanes` with triangle k of the block, up to t_max.
template <class From>
HWY_INLINE void hit_triangle(const LeafBlock& block,
                             u32 k,
                             const From& from,
                             const LaneSpace& s,
                             const float* t_max,
                             u32 lanes,
                             DivergenceCounters* maybe_counted,
                             LaneHits& out) {
    // Shear the vertices and evaluate the three edge functions.
    u32 inside = 0;
    for (u32 first = 0; first < kLanes; first += kRegisterLanes) {
        const LaneVertex a = lane_vertex(from, 0, s, first);
        const LaneVertex b = lane_vertex(from, 1, s, first);
        const LaneVertex c = lane_vertex(from, 2, s, first);
        const Part weight_a = side_of_edge(b, c);
        const Part weight_b = side_of_edge(c, a);
        const Part weight_c = side_of_edge(a, b);
        const Part lowest = min(min(weight_a, weight_b), weight_c);
        const Part highest = max(max(weight_a, weight_b), weight_c);
        const u32 bits = bits_of((lowest >= Part(0.0f)) | (highest <= Part(0.0f))) & lanes >> first;
        if (bits != 0) {
            inside |= bits << first;
            store(weight_a, out.weight_a + first);
            store(weight_b, out.weight_b + first);
            store(weight_c, out.weight_c + first);
        }
    }
    out.lanes = decide(inside, lanes, maybe_counted);
    if (out.lanes == 0) {
        return;
    }

    // Interpolate the depth, and clamp t to the triangle's box.
    float bounds[3][2];
    triangle_box(block, k, bounds);
    u32 hits = 0;
    for (u32 first = 0; first < kLanes; first += kRegisterLanes) {
        if ((out.lanes >> first & kPartLanes) == 0) {
            continue;
        }
        const Part weight_a = Part::load(out.weight_a + first);
        const Part weight_b = Part::load(out.weight_b + first);
        const Part weight_c = Part::load(out.weight_c + first);
        const Part sum = (weight_a + weight_b) + weight_c;
        const Part depth =
            (weight_a * from.coordinate(0, 2, first) + weight_b * from.coordinate(1, 2, first)) +
            weight_c * from.coordinate(2, 2, first);
        Part near = 0.0f;
        Part far = kInfinity;
        for (u32 axis = 0; axis < 3; ++axis) {
            const Part scale = Part::load(s.reciprocal[axis] + first);
            const u32 is_negative = s.is_negative[axis];
            near = max(near,
                       (Part(bounds[axis][is_negative]) - Part::load(s.near_origin[axis] + first)) *
                           scale);
            far =
                min(far,
                    (Part(bounds[axis][1 - is_negative]) - Part::load(s.far_origin[axis] + first)) *
                        scale);
        }
        Part t = (depth / sum) * Part::load(s.shear[2] + first);
        t = max(min(max(t, near), far), Part::load(s.start + first));
        const Bools<1> is_sound = !(sum == Part(0.0f));
        const Bools<1> is_within =
            (near <= far) & (t > Part(0.0f)) & (t <= Part::load(t_max + first));
        hits |= bits_of(is_sound & is_within) << first;
        store(sum, out.sum + first);
        store(t, out.t + first);
    }
    out.lanes = decide(hits, out.lanes, maybe_counted);
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
