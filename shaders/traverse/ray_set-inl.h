// ray_set-inl.h — a set: up to 32 rays of one class that share a stack, each stack entry with a
// mask of the rays that hit it.
//
// Rays of a class share an octant and a longest axis, so neither box nor triangle tests select them
// per lane. A node is loaded once for all of its rays. Where many rays of one register are active,
// the node is tested with one ray per lane (with few lanes but for the children that the beam of
// the set misses); else ray by ray with one child per lane. Either way a
// ray only sets its bit in the mask of each child it hits: no branch depends on a single ray, and
// rays are never moved. Tsakok, "Faster Incoherent Rays: Multi-BVH Ray Stream Tracing", HPG 2009;
// Barringer and Akenine-Möller, "Dynamic Ray Stream Traversal", 2014. Included by traversal
// kernels; changes the set alone.
#if defined(WEFT_SHADERS_RAY_SET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_RAY_SET_INL_H_
#        undef WEFT_SHADERS_RAY_SET_INL_H_
#    else
#        define WEFT_SHADERS_RAY_SET_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/traverse/beam-inl.h"
#    include "shaders/traverse/lane_visit-inl.h"
#    include "shaders/traverse/mesh_walk-inl.h"
#    include "shaders/traverse/quad_block-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// Rays of a set: the bits of one mask word. With 64 rays more of them share a node, but too few to
// pay for a second word, and a set takes more of the nearest cache.
inline constexpr u32 kSetRays = 32;

// Whether the beam of a set culls children before its rays are tested in lanes. With 16 lanes a set
// is two registers, and to test all eight children with either, unrolled, is faster (Cornell box:
// 15 %) than a loop over those that the beam meets.
inline constexpr bool kBeamCullsForSets = kLanes <= 8;

// Row k of every array belongs to ray k.
struct alignas(64) RaySet {
    float near_origin[3][kSetRays];  // as in SlabRay
    float far_origin[3][kSetRays];
    float reciprocal[3][kSetRays];
    float t[kSetRays];
    QuadRay quad[kSetRays];
    TraceRay* rays;  // by slot
    const TraceRay*
        spaces;  // rays in the space of the set's tree: by slot in the world, else by row
    QuadClass shared;
    u32 instance;   // of the current placement; kNone: the world
    u32 placement;  // its index; kNone: the world
    Beam beam;      // of all rays, in the world and where it culls
    float reach;    // largest t of a ray when the set was opened, where the beam culls
    u32 live;       // rays that are not blocked
    u32 at;         // node, block or placement that the next step visits
    u32 going;      // mask of the rays that hit its box
    u32 stack_size;
    // The stack: references, and masks of the rays that hit them. (Storing the least entry distance
    // as well, to skip entries behind the hits, saved 5 % of the nodes and no time.)
    u32 ref[kStackSize + kStackSlack];
    u32 mask[kStackSize + kStackSlack];
    u32 unused[16];
};

// Sets lie an odd number of cache lines apart, so that they spread over all sets of the cache.
static_assert(sizeof(RaySet) / 64 % 2 == 1);

// Loads kLanes rays into rows first .. first + kLanes − 1, prepared for slab and edge tests.
HWY_INLINE void open_lanes(RaySet& set, const u32* ids, u32 first) {
    // Load the rays and transpose them into lanes.
    alignas(64) u32 at[kLanes];
    const Uint slots = Uint(hn::LoadU(UintTag(), ids));
    store(slots * Uint(sizeof(TraceRay) / 4), at);
    const u32* const words = reinterpret_cast<const u32*>(set.rays);
    const QuadLanes from = load_quad(words + offsetof(TraceRay, origin) / 4, at);
    const QuadLanes along = load_quad(words + offsetof(TraceRay, direction) / 4, at);
    const QuadLanes over = load_quad(words + offsetof(TraceRay, reciprocal) / 4, at);
    const Uint origins[3] = {from.a, from.b, from.c};
    const Uint directions[3] = {along.a, along.b, along.c};
    const Uint reciprocals[3] = {over.a, over.b, over.c};
    store(bits_to_float(from.d), set.t + first);
    // Move the origins outwards for slab tests.
    const Float3 o = first_three(from);
    const Float margin = max(max(abs(o.x), abs(o.y)), abs(o.z)) * Float(0x1p-20f);
    for (u32 k = 0; k < 3; ++k) {
        const Float reciprocal = bits_to_float(reciprocals[k]);
        const Float outwards = copy_sign(margin, reciprocal);
        store(bits_to_float(origins[k]) + outwards, set.near_origin[k] + first);
        store(bits_to_float(origins[k]) - outwards, set.far_origin[k] + first);
        store(reciprocal, set.reciprocal[k] + first);
    }
    // Permute the axes and shear for edge tests.
    const u32(&axis)[3] = set.shared.axis;
    const Float scale = bits_to_float(reciprocals[axis[2]]);
    alignas(64) u32 to[kLanes];
    store(Uint(hn::Iota(UintTag(), first)) * Uint(sizeof(QuadRay) / 4), to);
    const QuadStore<2> quads(reinterpret_cast<u32*>(set.quad), to, ~0u >> (32 - kLanes));
    quads.store<0>({origins[axis[0]], origins[axis[1]], origins[axis[2]], slots});
    quads.store<1>({float_to_bits(bits_to_float(directions[axis[0]]) * scale),
                    float_to_bits(bits_to_float(directions[axis[1]]) * scale),
                    float_to_bits(scale),
                    from.d});
}

// The least and the greatest number of a row over the registers of `count` rays.
HWY_INLINE float lowest_of_row(const float* row, u32 count) {
    Float lowest = load(row);
    for (u32 first = kLanes; first < count; first += kLanes) {
        lowest = min(lowest, load(row + first));
    }
    return lowest_lane(lowest);
}

HWY_INLINE float highest_of_row(const float* row, u32 count) {
    Float highest = load(row);
    for (u32 first = kLanes; first < count; first += kLanes) {
        highest = max(highest, load(row + first));
    }
    return highest_lane(highest);
}

// Bounds the rays of a set. Spare rows repeat the first ray.
HWY_INLINE void bound_set(RaySet& set, u32 count) {
    Beam& beam = set.beam;
    for (u32 k = 0; k < 3; ++k) {
        const bool is_negative = (set.shared.octant >> k & 1) != 0;
        beam.near_origin[k] = is_negative ? lowest_of_row(set.near_origin[k], count)
                                          : highest_of_row(set.near_origin[k], count);
        beam.far_origin[k] = is_negative ? highest_of_row(set.far_origin[k], count)
                                         : lowest_of_row(set.far_origin[k], count);
        beam.reciprocal_low[k] = lowest_of_row(set.reciprocal[k], count);
        beam.reciprocal_high[k] = highest_of_row(set.reciprocal[k], count);
    }
    set.reach = highest_of_row(set.t, count);
}

// Starts a set at `ref` with `count` rays (at least one), all of `octant` and of longest axis
// `longest`. `ids` has room for whole_lanes(count).
HWY_INLINE void open_set(
    RaySet& set, u32 ref, TraceRay* rays, u32* ids, u32 count, u32 octant, u32 longest) {
    std::fill(ids + count, ids + whole_lanes(count), ids[0]);
    set.rays = rays;
    set.spaces = rays;
    set.instance = kNone;
    set.placement = kNone;
    set.shared = {octant,
                  {longest == 2 ? 0 : longest + 1, longest == 0 ? 2 : longest - 1, longest}};
    set.stack_size = 0;
    set.live = 0;
    for (u32 first = 0; first < count; first += kLanes) {
        open_lanes(set, ids + first, first);
        set.live |= bits_of(load(set.t + first) >= Float(0.0f)) << first;
    }
    set.live &= ~0u >> (32 - count);
    set.going = set.live;
    set.at = ref;
    if constexpr (kBeamCullsForSets) {
        bound_set(set, count);
    }
}

// Mask of the children that some ray of a set in the world may hit.
HWY_INLINE u32 children_of_set(const BvhNode& node, const RaySet& set) {
    const u32 octant = set.shared.octant;
    const u32 is_negative[3] = {octant & 1, octant >> 1 & 1, octant >> 2 & 1};
    BeamBoxes boxes;
    return beam_children(node.bounds, is_negative, set.beam, set.reach, boxes);
}

// One ray per lane: sets the bits of the rays in rows first .. first + kLanes − 1 that are in
// `lanes` and hit a child in child_rays[child].
HWY_INLINE void test_boxes_in_lanes(
    const BvhNode& node, const RaySet& set, u32 first, u32 lanes, u32 (&child_rays)[8]) {
    const u32 near_row[3] = {
        set.shared.octant & 1, set.shared.octant >> 1 & 1, set.shared.octant >> 2 & 1};
    const Float t = load(set.t + first);
    Float near_origin[3];
    Float far_origin[3];
    Float reciprocal[3];
    for (u32 k = 0; k < 3; ++k) {
        near_origin[k] = load(set.near_origin[k] + first);
        far_origin[k] = load(set.far_origin[k] + first);
        reciprocal[k] = load(set.reciprocal[k] + first);
    }
    for (u32 child = 0; child < 8; ++child) {
        Float near = 0.0f;
        Float far = t;
        for (u32 k = 0; k < 3; ++k) {
            const Float enter = Float(node.bounds[k][near_row[k]][child]) - near_origin[k];
            const Float leave = Float(node.bounds[k][1 - near_row[k]][child]) - far_origin[k];
            near = max(near, enter * reciprocal[k]);
            far = min(far, leave * reciprocal[k]);
        }
        child_rays[child] |= (bits_of(near <= far) & lanes) << first;
    }
}

// The same child by child, for those of `children` alone: sets the bits of the rays of `rays` that
// hit them. Registers without a ray of `rays` are left out.
HWY_INLINE void test_children_in_lanes(
    const BvhNode& node, const RaySet& set, u32 rays, u32 children, u32 (&child_rays)[8]) {
    const u32 octant = set.shared.octant;
    const u32 near_row[3] = {octant & 1, octant >> 1 & 1, octant >> 2 & 1};
    for (; children != 0; children &= children - 1) {
        const u32 child = static_cast<u32>(std::countr_zero(children));
        Float near_bound[3];
        Float far_bound[3];
        for (u32 k = 0; k < 3; ++k) {
            near_bound[k] = node.bounds[k][near_row[k]][child];
            far_bound[k] = node.bounds[k][1 - near_row[k]][child];
        }
        u32 hits = 0;
        for (u32 first = 0; first < kSetRays; first += kLanes) {
            if ((rays >> first & (~0u >> (32 - kLanes))) == 0) {
                continue;
            }
            Float near = 0.0f;
            Float far = load(set.t + first);
            for (u32 k = 0; k < 3; ++k) {
                const Float reciprocal = load(set.reciprocal[k] + first);
                const Float enter = near_bound[k] - load(set.near_origin[k] + first);
                const Float leave = far_bound[k] - load(set.far_origin[k] + first);
                near = max(near, enter * reciprocal);
                far = min(far, leave * reciprocal);
            }
            hits |= bits_of(near <= far) << first;
        }
        child_rays[child] |= hits & rays;
    }
}

// One child per lane, ray by ray: sets child_rays[child] to the mask of the `rays` that hit it.
// child_rays is aligned to 32 bytes.
HWY_INLINE void test_boxes_by_ray(const BvhNode& node,
                                  const RaySet& set,
                                  u32 rays,
                                  u32 (&child_rays)[8]) {
    const hn::CappedTag<float, 8> d;
    const hn::CappedTag<u32, 8> d32;
    constexpr size_t kWidth = HWY_MAX_BYTES >= 32 ? 8 : 4;
    const u32 nx = set.shared.octant & 1;
    const u32 ny = set.shared.octant >> 1 & 1;
    const u32 nz = set.shared.octant >> 2 & 1;
    for (size_t part = 0; part < 8; part += kWidth) {
        // Load the near and the far sides of the boxes once for all rays.
        const auto near_x = hn::Load(d, node.bounds[0][nx] + part);
        const auto near_y = hn::Load(d, node.bounds[1][ny] + part);
        const auto near_z = hn::Load(d, node.bounds[2][nz] + part);
        const auto far_x = hn::Load(d, node.bounds[0][1 - nx] + part);
        const auto far_y = hn::Load(d, node.bounds[1][1 - ny] + part);
        const auto far_z = hn::Load(d, node.bounds[2][1 - nz] + part);
        // Test ray after ray; each sets its bit in the lanes of the children that it hits.
        auto rays_of = hn::Zero(d32);
        for (u32 rest = rays; rest != 0; rest &= rest - 1) {
            const u32 k = static_cast<u32>(std::countr_zero(rest));
            const auto x = hn::Set(d, set.reciprocal[0][k]);
            const auto y = hn::Set(d, set.reciprocal[1][k]);
            const auto z = hn::Set(d, set.reciprocal[2][k]);
            const auto enter_x = hn::Mul(hn::Sub(near_x, hn::Set(d, set.near_origin[0][k])), x);
            const auto enter_y = hn::Mul(hn::Sub(near_y, hn::Set(d, set.near_origin[1][k])), y);
            const auto enter_z = hn::Mul(hn::Sub(near_z, hn::Set(d, set.near_origin[2][k])), z);
            const auto leave_x = hn::Mul(hn::Sub(far_x, hn::Set(d, set.far_origin[0][k])), x);
            const auto leave_y = hn::Mul(hn::Sub(far_y, hn::Set(d, set.far_origin[1][k])), y);
            const auto leave_z = hn::Mul(hn::Sub(far_z, hn::Set(d, set.far_origin[2][k])), z);
            const auto near = hn::Max(hn::Max(enter_x, enter_y), hn::Max(enter_z, hn::Zero(d)));
            const auto far =
                hn::Min(hn::Min(leave_x, leave_y), hn::Min(leave_z, hn::Set(d, set.t[k])));
            const auto is_hit = hn::RebindMask(d32, hn::Le(near, far));
            rays_of = hn::Or(rays_of, hn::IfThenElseZero(is_hit, hn::Set(d32, 1u << k)));
        }
        hn::Store(rays_of, d32, child_rays + part);
    }
}

// Pushes the children that a ray of the set hits: far to near in the order of the octant, or, for
// any-hit rays, from the last to the first.
template <bool kIsAny>
HWY_INLINE void stack_children(const BvhNode& node, const u32 (&child_rays)[8], RaySet& set) {
    const u32 order = kIsAny ? kAnyOrder : node.order[set.shared.octant];
    u32 top = set.stack_size;
#        if HWY_MAX_BYTES >= 32
    const hn::CappedTag<u32, 8> d;
    const auto shifts = hn::Mul(hn::Iota(d, 0), hn::Set(d, 3));
    const auto places =
        hn::IndicesFromVec(d, hn::And(hn::Shr(hn::Set(d, order), shifts), hn::Set(d, 7)));
    const auto rays_of = hn::TableLookupLanes(hn::Load(d, child_rays), places);
    const auto refs = hn::TableLookupLanes(hn::Load(d, node.child), places);
    const auto is_hit = hn::And(hn::FirstN(d, order >> kOrderCount), hn::Ne(rays_of, hn::Zero(d)));
    const Packing packing(d, is_hit);
    hn::StoreU(packing.packed(refs), d, set.ref + top);
    hn::StoreU(packing.packed(rays_of), d, set.mask + top);
    top += packing.count();
#        else
    for (u32 c = 0; c < order >> kOrderCount; ++c) {
        const u32 child = order >> (3 * c) & 7;
        set.ref[top] = node.child[child];
        set.mask[top] = child_rays[child];
        top += child_rays[child] != 0 ? 1 : 0;
    }
#        endif
    set.stack_size = top;
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
