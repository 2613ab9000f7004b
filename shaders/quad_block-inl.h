// quad_block-inl.h — a few rays against the four triangles of a leaf block at once: a quarter of a
// register's lanes is one ray.
//
// Every quarter computes what triangle-inl.h computes for its ray, operation by operation, so a hit
// has the same bits either way; where that turns axes by address, this chooses by lane. Rays are of
// one octant and in the world. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_QUAD_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_QUAD_BLOCK_INL_H_
#        undef WEFT_SHADERS_QUAD_BLOCK_INL_H_
#    else
#        define WEFT_SHADERS_QUAD_BLOCK_INL_H_
#    endif

#    include "shaders/quads-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// Rays in one register.
inline constexpr u32 kQuadRays = kLanes / 4;

// What a triangle test needs of a ray beside its TraceRay.
struct alignas(16) ShearRecord {
    float shear[3];  // as in ShearRay
    u32 longest;     // axis of the direction
};

// Which rays, as words where their records begin: place 4r is that of ray r. Unused places repeat a
// used one.
struct QuadRays {
    u32 ray[kLanes];    // in an array of TraceRay
    u32 shear[kLanes];  // in an array of ShearRecord
};

// Lane 4r + k is ray r and triangle k.
struct QuadMeeting {
    u32 hits;
    Float t;
    Float weight_b;  // barycentrics are weight_b / sum and weight_c / sum
    Float weight_c;
    Float sum;
};

// Word k of each ray, in all of its lanes.
template <int k>
HWY_INLINE Float word_of_ray(Uint words) {
    return Float(hn::BitCast(FloatTag(), hn::Broadcast<k>(words.v)));
}

HWY_INLINE Float3 first_words(Uint words) {
    return {word_of_ray<0>(words), word_of_ray<1>(words), word_of_ray<2>(words)};
}

// A number of each triangle, for all rays.
HWY_INLINE Float row_of_block(const float (&row)[4]) {
    return Float(hn::LoadDup128(FloatTag(), row));
}

HWY_INLINE Uint row_of_block(const u32 (&row)[4]) {
    return Uint(hn::LoadDup128(UintTag(), row));
}

// The rays' longest axis becomes z.
struct QuadTurn {
    Bool is_x;
    Bool is_y;

    HWY_INLINE Float3 operator()(Float3 a) const {
        return {select(is_x, a.y, select(is_y, a.z, a.x)),
                select(is_x, a.z, select(is_y, a.x, a.y)),
                select(is_x, a.x, select(is_y, a.y, a.z))};
    }
};

// The intervals of the rays, up to infinity, with the triangles' own boxes.
HWY_INLINE void quad_intervals(
    const LeafBlock& block, Float3 origin, Float3 reciprocal, u32 octant, Float& near, Float& far) {
    const hn::FixedTag<u8, 4> d8;
    const auto exponents = hn::PromoteTo(BlockTag(), hn::Load(d8, block.margin));
    alignas(16) u32 exponent[4];
    hn::Store(hn::ShiftLeft<23>(exponents), BlockTag(), exponent);
    const Float margin = bits_to_float(row_of_block(exponent));
    const Float size = max(max(abs(origin.x), abs(origin.y)), abs(origin.z));
    const Float outwards = size * Float(0x1p-20f);
    near = 0.0f;
    far = Float(__builtin_huge_valf());
    const Float from[3] = {origin.x, origin.y, origin.z};
    const Float scale[3] = {reciprocal.x, reciprocal.y, reciprocal.z};
    for (u32 axis = 0; axis < 3; ++axis) {
        const Float a = row_of_block(block.vertex[0][axis]);
        const Float b = row_of_block(block.vertex[1][axis]);
        const Float c = row_of_block(block.vertex[2][axis]);
        const Float low = min(min(a, b), c) - margin;
        const Float high = max(max(a, b), c) + margin;
        const Float along = copy_sign(outwards, scale[axis]);
        const bool is_negative = (octant >> axis & 1) != 0;
        const Float enter = (is_negative ? high : low) - (from[axis] + along);
        const Float leave = (is_negative ? low : high) - (from[axis] - along);
        near = max(near, enter * scale[axis]);
        far = min(far, leave * scale[axis]);
    }
}

// Tests rays up to their t. Lanes outside of `lanes` have no hits.
HWY_INLINE QuadMeeting meet_block(const LeafBlock& block,
                                  const TraceRay* rays,
                                  const ShearRecord* shears,
                                  const QuadRays& which,
                                  u32 octant,
                                  u32 lanes) {
    const u32* const ray_words = reinterpret_cast<const u32*>(rays);
    const Uint from = load_blocks<4>(ray_words + offsetof(TraceRay, origin) / 4, which.ray);
    const Uint sheared = load_blocks<4>(reinterpret_cast<const u32*>(shears), which.shear);
    const Float3 origin = first_words(from);
    const Float3 shear = first_words(sheared);
    const Uint longest = Uint(hn::Broadcast<3>(sheared.v));
    const QuadTurn turn = {longest == Uint(0u), longest == Uint(1u)};
    Float x[3];
    Float y[3];
    Float z[3];
    for (u32 k = 0; k < 3; ++k) {
        const Float3 vertex = turn({row_of_block(block.vertex[k][0]) - origin.x,
                                    row_of_block(block.vertex[k][1]) - origin.y,
                                    row_of_block(block.vertex[k][2]) - origin.z});
        x[k] = vertex.x - shear.x * vertex.z;
        y[k] = vertex.y - shear.y * vertex.z;
        z[k] = vertex.z;
    }
    QuadMeeting out;
    const Float weight_a = x[2] * y[1] - y[2] * x[1];
    out.weight_b = x[0] * y[2] - y[0] * x[2];
    out.weight_c = x[1] * y[0] - y[1] * x[0];
    const Float lowest = min(min(weight_a, out.weight_b), out.weight_c);
    const Float highest = max(max(weight_a, out.weight_b), out.weight_c);
    const u32 used = (block.flags >> 8 & 15) * 0x1111u;
    out.hits = bits_of((lowest >= Float(0.0f)) | (highest <= Float(0.0f))) & used & lanes;
    if (out.hits == 0) {
        return out;
    }
    out.sum = (weight_a + out.weight_b) + out.weight_c;
    const Float depth = (weight_a * z[0] + out.weight_b * z[1]) + out.weight_c * z[2];
    Float near;
    Float far;
    const Uint over = load_blocks<4>(ray_words + offsetof(TraceRay, reciprocal) / 4, which.ray);
    quad_intervals(block, origin, first_words(over), octant, near, far);
    out.t = (depth / out.sum) * shear.z;
    out.t = max(min(max(out.t, near), far), Float(0.0f));
    const Bool is_within = (near <= far) & (out.t > Float(0.0f)) & (out.t <= word_of_ray<3>(from));
    const Bool is_sound = !(out.sum == Float(0.0f));
    out.hits &= bits_of(is_sound & is_within);
    return out;
}

// Those of `hits` that rays neither start on nor, where they are shadow rays, end on.
template <bool kIsAny>
HWY_INLINE u32
without_ends(const LeafBlock& block, const TraceRay* rays, const QuadRays& which, u32 hits) {
    const u32* const ray_words = reinterpret_cast<const u32*>(rays);
    const Uint ends = load_blocks<4>(ray_words + offsetof(TraceRay, primitive) / 4, which.ray);
    const Uint primitive = row_of_block(block.primitive);
    const Uint instance = row_of_block(block.instance);
    Bool is_end = (primitive == Uint(hn::Broadcast<2>(ends.v))) &
                  (instance == Uint(hn::Broadcast<3>(ends.v)));
    if constexpr (kIsAny) {
        is_end = is_end | ((primitive == Uint(hn::Broadcast<0>(ends.v))) &
                           (instance == Uint(hn::Broadcast<1>(ends.v))));
    }
    return hits & ~bits_of(is_end);
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
