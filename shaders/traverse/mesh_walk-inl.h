// mesh_walk-inl.h — traverses the tree of a shared mesh with one ray, in object space.
//
// Simpler than a fibre (fibre-inl.h): the ray stays in one tree and never yields. Hit children are
// pushed in a precomputed order, compressed in one register, so that no
// branch depends on which children the ray hits. Included by traversal kernels; changes the ray and
// sums of tints.
#if defined(WEFT_SHADERS_MESH_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_MESH_WALK_INL_H_
#        undef WEFT_SHADERS_MESH_WALK_INL_H_
#    else
#        define WEFT_SHADERS_MESH_WALK_INL_H_
#    endif

#    include <bit>

#    include "shaders/lanes/pack-inl.h"
#    include "shaders/traverse/fibre-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Entries behind the top that a push may overwrite.
inline constexpr u32 kStackSlack = 8;

// The stack: references, and the distances at which the ray enters their boxes.
struct MeshStack {
    u32 size;
    u32 ref[kStackSize + kStackSlack];
    float entry[kStackSize + kStackSlack];
};

// Pushes the children that the ray hits before t: far to near in the order of its octant, or, for
// any-hit rays, from the last to the first.
template <bool kIsAny>
HWY_INLINE void stack_hit_children(
    const BvhNode& node, const SlabRay& ray, u32 octant, float t, MeshStack& stack) {
    const u32 order = kIsAny ? kAnyOrder : node.order[octant];
#    if HWY_MAX_BYTES >= 32
    const hn::CappedTag<float, 8> d;
    const hn::CappedTag<u32, 8> d32;
    // Slab test of the eight children.
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
    // Permute the children into the octant's order.
    const auto shifts = hn::Mul(hn::Iota(d32, 0), hn::Set(d32, 3));
    const auto places = hn::And(hn::Shr(hn::Set(d32, order), shifts), hn::Set(d32, 7));
    const auto in_order = hn::IndicesFromVec(d32, places);
    const auto in_order_float = hn::IndicesFromVec(d, places);
    const auto refs = hn::TableLookupLanes(hn::Load(d32, node.child), in_order);
    near = hn::TableLookupLanes(near, in_order_float);
    far = hn::TableLookupLanes(far, in_order_float);
    // Push those that are hit.
    const auto is_hit = hn::And(hn::FirstN(d, order >> kOrderCount), hn::Le(near, far));
    const Packing packing(d32, hn::RebindMask(d32, is_hit));
    hn::StoreU(packing.packed(refs), d32, stack.ref + stack.size);
    if constexpr (!kIsAny) {
        const auto entries = packing.packed(hn::BitCast(d32, near));
        hn::StoreU(hn::BitCast(d, entries), d, stack.entry + stack.size);
    }
    stack.size += packing.count();
#    else
    // Without 32-byte registers: test the children, then push in order, advancing past hits only.
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

// A ray in the object space of a placement.
struct MeshRay {
    TraceRay* ray;
    u32 slot;
    u32 instance;
    u32 placement;  // index
    u32 ray_class;  // in object space; see beam-inl.h
    float start;    // start of the ray's interval with the placement
    alignas(16) float origin[4];
    SlabRay slabs;
    ShearRay shear;
};

// A subtree of a mesh that is placed.
struct PlacedMesh {
    u32 instance;
    u32 placement;  // index
    u32 root;       // reference
};

// Transforms a ray to object space. Returns 1, or 0 where it misses the placement's box before its
// t.
HWY_INLINE u32 open_mesh_ray(
    const PlacementSpace& space, const PlacedMesh& mesh, TraceRay& ray, u32 slot, MeshRay& out) {
    // Intersect the placement's world box.
    const float start = placement_entry(space, ray);
    if (start < 0) {
        return 0;
    }
    // Transform the ray, and find its class in object space.
    out.ray = &ray;
    out.slot = slot;
    out.instance = mesh.instance;
    out.placement = mesh.placement;
    out.start = start;
    enter_placement(space, ray, out.origin, out.slabs, out.shear);
    const float* const reciprocal = out.slabs.reciprocal;
    out.ray_class = (reciprocal[0] < 0 ? 1u : 0u) | (reciprocal[1] < 0 ? 2u : 0u) |
                    (reciprocal[2] < 0 ? 4u : 0u) | out.shear.axis[2] << 3;
    return 1;
}

// Pops the next entry that begins before the hit at t; kRefEmpty: none. Shadow rays store no entry
// distances: their t does not shrink.
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

// At the root of a subtree in a page: a reference to a node or a block, or kRefEmpty where the page
// is far and the ray waits.
HWY_NOINLINE inline u32 step_mesh_page(const TraceScene& scene, const MeshRay& in, u32 index) {
    const PageRoot& root = scene.bvh.page_roots[index];
    if (root.page == kNone || enter_page(scene.bvh.page_states[root.page])) {
        return root.ref;
    }
    const float entry = box_entry(root.bounds, in.slabs, in.ray->t);
    if (entry >= 0) {
        wait_at(scene, {in.slot, index, in.placement, entry});
    }
    return kRefEmpty;
}

// Visits a node, a leaf block or a page root with the ray: pushes hit children, or takes hits.
template <bool kIsAny>
HWY_INLINE void visit_mesh(const TraceScene& scene,
                           u32 ref,
                           const MeshRay& in,
                           MeshStack& stack,
                           TraceCounters& counters) {
    // Enter a page that is near; wait where it is far.
    if (is_page(ref)) [[unlikely]] {
        ref = step_mesh_page(scene, in, ref & kRefIndex);
        if (ref == kRefEmpty) {
            return;
        }
    }
    note_fetch_of(scene.bvh, ref);
    // Push the hit children of a node, or intersect a leaf.
    if ((ref & kRefKind) == kRefNode) {
        ++counters.node_visits;
        ++counters.node_tests;
        stack_hit_children<kIsAny>(
            scene.bvh.nodes[ref], in.slabs, in.ray_class & 7, in.ray->t, stack);
        return;
    }
    ++counters.leaf_tests;
    take_block<kIsAny>(scene,
                       scene.bvh.blocks[ref & kRefIndex],
                       in.slabs,
                       in.shear,
                       in.instance,
                       in.start,
                       *in.ray,
                       in.slot);
}

// Traverses a mesh's tree from its root.
template <bool kIsAny>
HWY_INLINE void walk_mesh(const TraceScene& scene,
                          u32 root,
                          const MeshRay& in,
                          TraceCounters& counters) {
    TraceCounters counted;
    MeshStack stack;
    stack.size = 0;
    for (u32 ref = root; ref != kRefEmpty; ref = pop_before<kIsAny>(stack, in.ray->t)) {
        visit_mesh<kIsAny>(scene, ref, in, stack, counted);
        // A blocked shadow ray ends.
        if (kIsAny && in.ray->t < 0) {
            break;
        }
    }
    // Add up the figures once.
    counters.node_visits += counted.node_visits;
    counters.node_tests += counted.node_tests;
    counters.leaf_tests += counted.leaf_tests;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
