// mesh_walk-inl.h — one ray through the tree of a shared mesh, in the mesh's space.
//
// Beside a fibre (fibre-inl.h) it is simple: it never leaves its tree and gives way to nobody.
// Children are stacked in the order of the ray's octant, all at once, so that nothing branches on
// which of them are met. Included by traversal kernels; changes the ray and sums of tints.
#if defined(WEFT_SHADERS_MESH_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MESH_WALK_INL_H_
#        undef WEFT_SHADERS_MESH_WALK_INL_H_
#    else
#        define WEFT_SHADERS_MESH_WALK_INL_H_
#    endif

#    include <bit>

#    include "shaders/traverse/fibre-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// References that stacking may write over beyond the last one.
inline constexpr u32 kStackSlack = 8;

// What is ahead of a ray: references and where it enters.
struct MeshStack {
    u32 size;
    u32 ref[kStackSize + kStackSlack];
    float entry[kStackSize + kStackSlack];
};

// Stacks the children that the ray meets before t, far to near as its octant sees them.
template <bool kIsAny>
HWY_INLINE void stack_met(
    const BvhNode& node, const SlabRay& ray, u32 octant, float t, MeshStack& stack) {
    const u32 order = node.order[octant];
#    if HWY_MAX_BYTES >= 32
    const hn::CappedTag<float, 8> d;
    const hn::CappedTag<u32, 8> d32;
    auto near = hn::Zero(d);
    auto far = hn::Set(d, t);
    for (u32 axis = 0; axis < 3; ++axis) {
        const u32 near_row = octant >> axis & 1;
        const auto scale = hn::Set(d, ray.reciprocal[axis]);
        const auto enter =
            hn::Sub(hn::Load(d, node.bounds[axis][near_row]), hn::Set(d, ray.near_origin[axis]));
        const auto leave =
            hn::Sub(hn::Load(d, node.bounds[axis][1 - near_row]), hn::Set(d, ray.far_origin[axis]));
        near = hn::Max(near, hn::Mul(enter, scale));
        far = hn::Min(far, hn::Mul(leave, scale));
    }
    const auto shifts = hn::Mul(hn::Iota(d32, 0), hn::Set(d32, 3));
    const auto places = hn::And(hn::Shr(hn::Set(d32, order), shifts), hn::Set(d32, 7));
    const auto in_order = hn::IndicesFromVec(d32, places);
    const auto in_order_float = hn::IndicesFromVec(d, places);
    const auto refs = hn::TableLookupLanes(hn::Load(d32, node.child), in_order);
    near = hn::TableLookupLanes(near, in_order_float);
    far = hn::TableLookupLanes(far, in_order_float);
    const auto is_met = hn::And(hn::FirstN(d, order >> kOrderCount), hn::Le(near, far));
    const auto is_met_ref = hn::RebindMask(d32, is_met);
    hn::StoreU(hn::Compress(refs, is_met_ref), d32, stack.ref + stack.size);
    if constexpr (!kIsAny) {
        hn::StoreU(hn::Compress(near, is_met), d, stack.entry + stack.size);
    }
    stack.size += static_cast<u32>(hn::CountTrue(d, is_met));
#    else
    alignas(32) float entry[8];
    const u32 hits = hit_children(node.bounds, ray, t, entry);
    for (u32 c = 0; c < order >> kOrderCount; ++c) {
        const u32 child = order >> (3 * c) & 7;
        stack.ref[stack.size] = node.child[child];
        stack.entry[stack.size] = entry[child];
        stack.size += hits >> child & 1;
    }
#    endif
}

// A ray inside of a placement, in the space of its mesh.
struct MeshRay {
    TraceRay* ray;
    u32 slot;
    u32 instance;
    u32 ray_class;  // signs of the direction in bits 0 to 2, longest axis above
    float start;    // of the ray's interval with the placement
    alignas(16) float origin[4];
    SlabRay slabs;
    ShearRay shear;
};

// Returns 1, or 0 where the ray does not get inside before its t.
HWY_INLINE u32
open_mesh_ray(const PlacementSpace& space, u32 instance, TraceRay& ray, u32 slot, MeshRay& out) {
    const float start = placement_entry(space, ray);
    if (start < 0) {
        return 0;
    }
    out.ray = &ray;
    out.slot = slot;
    out.instance = instance;
    out.start = start;
    enter_placement(space, ray, out.origin, out.slabs, out.shear);
    const float* const reciprocal = out.slabs.reciprocal;
    out.ray_class = (reciprocal[0] < 0 ? 1u : 0u) | (reciprocal[1] < 0 ? 2u : 0u) |
                    (reciprocal[2] < 0 ? 4u : 0u) | out.shear.axis[2] << 3;
    return 1;
}

// What is next for a ray with a hit at t; kRefEmpty: nothing. (A shadow ray's t stays what it was.)
template <bool kIsAny>
HWY_INLINE u32 pop_before(MeshStack& stack, float t) {
    while (stack.size != 0) {
        --stack.size;
        if (kIsAny || stack.entry[stack.size] <= t) {
            return stack.ref[stack.size];
        }
    }
    return kRefEmpty;
}

// From the root of the mesh's tree to its end.
template <bool kIsAny>
HWY_INLINE void walk_mesh(const TraceScene& scene,
                          u32 root,
                          const MeshRay& in,
                          TraceCounters& counters) {
    const u32 octant = in.ray_class & 7;
    u64 nodes = 0;
    u64 leaves = 0;
    MeshStack stack;
    stack.size = 0;
    for (u32 ref = root; ref != kRefEmpty; ref = pop_before<kIsAny>(stack, in.ray->t)) {
        note_fetch_of(scene.bvh, ref);
        if ((ref & kRefKind) == kRefNode) {
            ++nodes;
            stack_met<kIsAny>(scene.bvh.nodes[ref], in.slabs, octant, in.ray->t, stack);
            continue;
        }
        ++leaves;
        take_block<kIsAny>(scene,
                           scene.bvh.blocks[ref & kRefIndex],
                           in.slabs,
                           in.shear,
                           in.instance,
                           in.start,
                           *in.ray,
                           in.slot);
        if (kIsAny && in.ray->t < 0) {
            break;
        }
    }
    counters.node_visits += nodes;
    counters.node_tests += nodes;
    counters.leaf_tests += leaves;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
