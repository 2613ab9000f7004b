// quad_block-inl.h — kLanes / 4 rays against the four triangles of a leaf block at once: lane 4r +
// k holds ray r and triangle k.
//
// Each group of four lanes repeats the operations of triangle-inl.h for its ray, so a hit has the
// same bits in both. Rays share a class, so axes are permuted by address. Rays are in world space,
// or in the object space of a placement's mesh (kIsPlaced); there TraceRay::v holds the start of
// the ray's interval with the placement. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_QUAD_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_QUAD_BLOCK_INL_H_
#        undef WEFT_SHADERS_QUAD_BLOCK_INL_H_
#    else
#        define WEFT_SHADERS_QUAD_BLOCK_INL_H_
#    endif

#    include "shaders/lanes/quads-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// Rays in one register.
inline constexpr u32 kQuadRays = kLanes / 4;

// The part of a ray that edge tests read: one 32-byte row.
struct alignas(32) QuadRay {
    float origin[3];  // axes in the order of ShearRay
    u32 slot;
    float shear[3];  // as in ShearRay
    float t;         // copy of TraceRay::t
};

// The class that all rays of a set share.
struct QuadClass {
    u32 octant;
    u32 axis[3];  // as in ShearRay
};

// Lane 4r + k is ray r and triangle k.
struct QuadHits {
    u32 hits;
    Float t;
    Float weight_b;  // barycentrics are weight_b / sum and weight_c / sum
    Float weight_c;
    Float sum;
};

// Broadcasts word k of each ray to its four lanes.
template <int k>
HWY_INLINE Float word_of_ray(Uint words) {
    return Float(hn::BitCast(FloatTag(), hn::Broadcast<k>(words.v)));
}

HWY_INLINE Float3 first_words(Uint words) {
    return {word_of_ray<0>(words), word_of_ray<1>(words), word_of_ray<2>(words)};
}

// Repeats four numbers, one per triangle, for every ray.
HWY_INLINE Float row_of_block(const float (&row)[4]) {
    return Float(hn::LoadDup128(FloatTag(), row));
}

HWY_INLINE Uint row_of_block(const u32 (&row)[4]) {
    return Uint(hn::LoadDup128(UintTag(), row));
}

// Loads words 4 * at[r] .. 4 * at[r] + 3 into the four lanes of ray r.
HWY_INLINE Uint load_quarters(const u32* base, const u32 (&at)[kQuadRays]) {
    alignas(64) u32 words[kLanes];
    for (u32 r = 0; r < kQuadRays; ++r) {
        words[4 * r] = 4 * at[r];
    }
    return load_blocks<4>(base, words);
}

// Loads four words of each ray's TraceRay from word `word` on. TraceRays are indexed by slot in the
// world, by row in a placement.
template <bool kIsPlaced>
HWY_INLINE Uint
load_of_rays(const TraceRay* rays, const QuadRay* records, const u32 (&rows)[kQuadRays], u32 word) {
    u32 at[kQuadRays];
    for (u32 r = 0; r < kQuadRays; ++r) {
        const u32 place = kIsPlaced ? rows[r] : records[rows[r]].slot;
        at[r] = place * (sizeof(TraceRay) / 16);
    }
    return load_quarters(reinterpret_cast<const u32*>(rays) + word, at);
}

// The rays' intervals with the widened boxes of the four triangles.
HWY_INLINE void quad_intervals(
    const LeafBlock& block, Float3 origin, Float3 reciprocal, u32 octant, Float& near, Float& far) {
    // Decode the margins of the triangles; move the origins outwards.
    const hn::FixedTag<u8, 4> d8;
    const auto exponents = hn::PromoteTo(BlockTag(), hn::Load(d8, block.margin));
    alignas(16) u32 exponent[4];
    hn::Store(hn::ShiftLeft<23>(exponents), BlockTag(), exponent);
    const Float margin = bits_to_float(row_of_block(exponent));
    const Float size = max(max(abs(origin.x), abs(origin.y)), abs(origin.z));
    const Float outwards = size * Float(0x1p-20f);
    // Intersect the three slabs of each triangle's box.
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

// Intersects the rays in `rows` of the set with a block, up to each ray's t. Lanes outside `lanes`
// report no hit.
template <bool kIsPlaced>
HWY_INLINE QuadHits intersect_block(const LeafBlock& block,
                                    const TraceRay* rays,
                                    const QuadRay* records,
                                    const u32 (&rows)[kQuadRays],
                                    const QuadClass& shared,
                                    u32 lanes) {
    // Load origins and shears.
    const u32* const words = reinterpret_cast<const u32*>(records);
    u32 at[kQuadRays];
    for (u32 r = 0; r < kQuadRays; ++r) {
        at[r] = rows[r] * (sizeof(QuadRay) / 16);
    }
    const Float3 origin = first_words(load_quarters(words, at));
    const Uint sheared = load_quarters(words + offsetof(QuadRay, shear) / 4, at);
    const Float3 shear = first_words(sheared);
    // Shear the vertices.
    Float x[3];
    Float y[3];
    Float z[3];
    for (u32 k = 0; k < 3; ++k) {
        z[k] = row_of_block(block.vertex[k][shared.axis[2]]) - origin.z;
        x[k] = row_of_block(block.vertex[k][shared.axis[0]]) - origin.x - shear.x * z[k];
        y[k] = row_of_block(block.vertex[k][shared.axis[1]]) - origin.y - shear.y * z[k];
    }
    // Evaluate the edge functions.
    QuadHits out;
    const Float weight_a = x[2] * y[1] - y[2] * x[1];
    out.weight_b = x[0] * y[2] - y[0] * x[2];
    out.weight_c = x[1] * y[0] - y[1] * x[0];
    const Float lowest = min(min(weight_a, out.weight_b), out.weight_c);
    const Float highest = max(max(weight_a, out.weight_b), out.weight_c);
    // Return early where no ray passes inside a triangle in use.
    const u32 used = (block.flags >> 8 & 15) * 0x1111u;
    out.hits = bits_of((lowest >= Float(0.0f)) | (highest <= Float(0.0f))) & used & lanes;
    if (out.hits == 0) {
        return out;
    }
    // Compute the barycentric mean of the vertices' depths.
    out.sum = (weight_a + out.weight_b) + out.weight_c;
    const Float depth = (weight_a * z[0] + out.weight_b * z[1]) + out.weight_c * z[2];
    // Intersect the triangles' own boxes.
    Float near;
    Float far;
    const Uint from = load_of_rays<kIsPlaced>(rays, records, rows, offsetof(TraceRay, origin) / 4);
    const Uint over =
        load_of_rays<kIsPlaced>(rays, records, rows, offsetof(TraceRay, reciprocal) / 4);
    quad_intervals(block, first_words(from), first_words(over), shared.octant, near, far);
    // Compute t, clamp it to the box, and keep hits within the ray's interval.
    out.t = (depth / out.sum) * shear.z;
    const Float start = kIsPlaced ? word_of_ray<3>(over) : Float(0.0f);
    out.t = max(min(max(out.t, near), far), start);
    const Bool is_within =
        (near <= far) & (out.t > Float(0.0f)) & (out.t <= word_of_ray<3>(sheared));
    const Bool is_sound = !(out.sum == Float(0.0f));
    out.hits &= bits_of(is_sound & is_within);
    return out;
}

// Removes hits on the triangle that a ray starts on and, for shadow rays, on the one it ends on.
template <bool kIsAny, bool kIsPlaced>
HWY_INLINE u32 without_ends(const LeafBlock& block,
                            const TraceRay* rays,
                            const QuadRay* records,
                            const u32 (&rows)[kQuadRays],
                            u32 placed_instance,
                            u32 hits) {
    const Uint ends =
        load_of_rays<kIsPlaced>(rays, records, rows, offsetof(TraceRay, primitive) / 4);
    const Uint primitive = row_of_block(block.primitive);
    const Uint instance = kIsPlaced ? Uint(placed_instance) : row_of_block(block.instance);
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
