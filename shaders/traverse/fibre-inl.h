// fibre-inl.h — one fibre of traversal: a ray with its stack, and one step of it, which visits a
// node, a leaf block or a placement; and how a ray accepts a hit, which all traversal kernels
// share.
//
// Included by traversal kernels once per instruction set (foreach_target), through traverse-inl.h.
// A step changes the fibre, its ray and, for shadow rays, its sums of tints.
#if defined(SHADERS_FIBRE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef SHADERS_FIBRE_INL_H_
#        undef SHADERS_FIBRE_INL_H_
#    else
#        define SHADERS_FIBRE_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "hwy/highway.h"
#    include "shaders/host/clip_planes.h"
#    include "shaders/lights/shadow_media.h"
#    include "shaders/surface/texel_lookup.h"
#    include "shaders/traverse/box-inl.h"
#    include "shaders/traverse/fetch_trace.h"
#    include "shaders/traverse/page_wait-inl.h"
#    include "shaders/traverse/placement-inl.h"
#    include "shaders/traverse/trace_kernels.h"
#    include "shaders/traverse/triangle-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// At most seven siblings wait per level, and one marker per placement.
inline constexpr u32 kStackSize = 376;
static_assert(kStackSize >= 7 * kMaxTreeLevels + 2);

struct StackEntry {
    u32 ref;      // kRefEmpty: marker, the placement is done and the ray returns to the world
    float entry;  // t at which the ray enters the box; beyond the ray's t the entry is skipped
};

struct alignas(64) Fibre {
    TraceRay* ray;
    u32 slot;
    u32 ref;  // node, block or placement that the next step visits
    u32 stack_size;
    u32 instance;    // of the current placement; kNone: in the world
    u32 placement;   // its index; kNone: in the world
    float start;     // start of the ray's interval with that placement
    ShearRay shear;  // the ray in the space of the current tree
    SlabRay slabs;
    StackEntry stack[kStackSize];
};

// Fibres lie an odd number of cache lines apart, so that they spread over all sets of the cache.
static_assert(sizeof(Fibre) / 64 % 2 == 1);

HWY_INLINE void prefetch_lines(const void* memory, u32 lines) {
    for (u32 line = 0; line < lines; ++line) {
        __builtin_prefetch(static_cast<const char*>(memory) + 64 * line);
    }
}

HWY_INLINE void prefetch_ref(const BvhView& bvh, u32 ref) {
    const u32 index = ref & kRefIndex;
    if ((ref & kRefKind) == kRefNode) {
        prefetch_lines(bvh.nodes + index, 4);
    } else if ((ref & kRefKind) == kRefLeaf) {
        prefetch_lines(bvh.blocks + index, 4);
    } else if ((ref & kRefKind) == kRefInstance) {
        prefetch_lines(bvh.placements + index, 2);
    } else {
        prefetch_lines(bvh.page_roots + index, 1);
    }
}

HWY_INLINE void enter_world(Fibre& fibre) {
    fibre.instance = kNone;
    fibre.placement = kNone;
    fibre.start = 0;
    prepare_slabs(*fibre.ray, fibre.slabs);
    prepare_shear(*fibre.ray, fibre.shear);
}

HWY_INLINE void open_fibre(Fibre& fibre, TraceRay& ray, u32 slot, u32 ref) {
    fibre.ray = &ray;
    fibre.slot = slot;
    fibre.ref = ref;
    fibre.stack_size = 0;
    enter_world(fibre);
}

// Pushes the hit children of a node from the last to the first; returns the first.
HWY_INLINE u32
push_hits(const BvhView& bvh, const BvhNode& node, u32 hits, bool prefetch_all, Fibre& fibre) {
    const u32 first = static_cast<u32>(std::countr_zero(hits));
    for (u32 rest = hits; rest != 0;) {
        const u32 child = 31 - static_cast<u32>(std::countl_zero(rest));
        rest &= ~(1u << child);
        if (prefetch_all) {
            prefetch_ref(bvh, node.child[child]);
        }
        fibre.stack[fibre.stack_size++] = {node.child[child], 0};
    }
    --fibre.stack_size;
    return node.child[first];
}

// Tests the children of a node. Returns the hit child to visit next (kRefEmpty: none) and pushes
// the others: the nearest first for closest hits, in the node's order for any hits.
template <bool kIsAny>
HWY_INLINE u32 step_node(const BvhView& bvh, Fibre& fibre, bool prefetch_all) {
    // Test the eight boxes at once.
    const BvhNode& node = bvh.nodes[fibre.ref & kRefIndex];
    alignas(32) float entry[8];
    u32 hits = hit_children(node.bounds, fibre.slabs, fibre.ray->t, entry);
    if (hits == 0) {
        return kRefEmpty;
    }
    if constexpr (kIsAny) {
        return push_hits(bvh, node, hits, prefetch_all, fibre);
    }
    // Start with the first child that is hit.
    const u32 first = static_cast<u32>(std::countr_zero(hits));
    hits &= hits - 1;
    StackEntry nearest = {node.child[first], entry[first]};
    if (prefetch_all) {
        prefetch_ref(bvh, nearest.ref);
    }
    // Insertion-sort the hit children onto the stack; keep the nearest.
    StackEntry* const bottom = fibre.stack + fibre.stack_size;
    StackEntry* top = bottom;
    while (hits != 0) {
        const u32 child = static_cast<u32>(std::countr_zero(hits));
        hits &= hits - 1;
        StackEntry next = {node.child[child], entry[child]};
        if (prefetch_all) {
            prefetch_ref(bvh, next.ref);
        }
        if (next.entry < nearest.entry) {
            std::swap(next, nearest);
        }
        StackEntry* place = top++;
        while (place != bottom && place[-1].entry < next.entry) {
            *place = place[-1];
            --place;
        }
        *place = next;
    }
    fibre.stack_size = static_cast<u32>(top - fibre.stack);
    return nearest.ref;
}

// Enters a placement: transforms the ray to object space and returns the root of the mesh's tree.
// The direction is not normalised there, so t stays the same.
HWY_INLINE u32 step_instance(const BvhView& bvh, Fibre& fibre) {
    // Intersect the placement's world box.
    const Placement& placement = bvh.placements[fibre.ref & kRefIndex];
    const TraceRay& ray = *fibre.ray;
    const PlacementSpace space = prepare_placement(placement);
    const float start = placement_entry(space, ray);
    if (start < 0) {
        return kRefEmpty;
    }
    // Transform the ray, and remember where it is.
    alignas(16) float origin[4];
    enter_placement(space, ray, origin, fibre.slabs, fibre.shear);
    fibre.instance = placement.instance;
    fibre.placement = fibre.ref & kRefIndex;
    fibre.start = start;
    // Push the marker that returns the ray to the world.
    fibre.stack[fibre.stack_size++] = {kRefEmpty, 0};
    return placement.root;
}

// At the root of a subtree in a page: returns its reference, or kRefEmpty where the page is far and
// the ray waits.
HWY_NOINLINE inline u32 step_page(const TraceScene& scene, const Fibre& fibre) {
    const u32 index = fibre.ref & kRefIndex;
    const PageRoot& root = scene.bvh.page_roots[index];
    if (root.page == kNone || enter_page(scene.bvh.page_states[root.page])) {
        return root.ref;
    }
    const float entry = box_entry(root.bounds, fibre.slabs, fibre.ray->t);
    if (entry >= 0) {
        wait_at(scene, {fibre.slot, index, fibre.placement, entry});
    }
    return kRefEmpty;
}

// Where alpha and tints read texels.
#    ifdef WEFT_WIDE_LANES
inline constexpr TexelPlace kTexelPlace = TexelPlace::Local;
#    else
inline constexpr TexelPlace kTexelPlace = TexelPlace::Arena;
#    endif

// Of two hits at the same t the lower (instance, primitive) wins, whichever came first.
HWY_INLINE bool is_nearer(const TraceRay& ray, float t, u32 instance, u32 primitive) {
    if (t != ray.t || ray.primitive == kNone) {
        return t <= ray.t;
    }
    return instance != ray.instance ? instance < ray.instance : primitive < ray.primitive;
}

// A hit that the ray may accept.
struct Candidate {
    float t;
    float u;
    float v;
    u32 instance;
    u32 primitive;
    bool is_flagged;
};

// Closest hit: keeps the nearest hit that clip planes and alpha accept.
HWY_INLINE void take_closest(const TraceScene& scene,
                             TraceRay& ray,
                             u32 slot,
                             const Candidate& hit) {
    // Ignore hits beyond the nearest so far.
    if (!is_nearer(ray, hit.t, hit.instance, hit.primitive)) {
        return;
    }
    // Ask clip planes and alpha.
    if (hit.is_flagged &&
        (is_cut_away(*scene.scene, hit.instance, ray.origin, ray.direction, hit.t) ||
         !is_present<kTexelPlace>(*scene.scene,
                                  scene.alpha_keys[slot],
                                  false,
                                  hit.instance,
                                  hit.primitive,
                                  hit.u,
                                  hit.v))) {
        return;
    }
    // Keep the hit.
    ray.t = hit.t;
    ray.u = hit.u;
    ray.v = hit.v;
    ray.instance = hit.instance;
    ray.primitive = hit.primitive;
}

// Any hit: t = −1 where the triangle blocks the ray. A triangle that clip planes or alpha reject
// does nothing; one that tints adds its tint.
HWY_INLINE void take_any(const TraceScene& scene, TraceRay& ray, u32 slot, const Candidate& hit) {
    // The light that the ray ends on does not block it.
    if (hit.primitive == ray.primitive && hit.instance == ray.instance) {
        return;
    }
    // Ask clip planes and alpha.
    if (hit.is_flagged) {
        if (is_cut_away(*scene.scene, hit.instance, ray.origin, ray.direction, hit.t) ||
            !is_present<kTexelPlace>(*scene.scene,
                                     scene.alpha_keys[slot],
                                     true,
                                     hit.instance,
                                     hit.primitive,
                                     hit.u,
                                     hit.v)) {
            return;
        }
        // A boundary of media without a surface lets it pass.
        if (scene.shadow_media != nullptr && pass_boundary(*scene.scene,
                                                           hit.instance,
                                                           hit.primitive,
                                                           hit.t,
                                                           ray.direction,
                                                           scene.shadow_media[slot])) {
            return;
        }
        // A straight thin wall only tints it: add the tint, up to the largest sum.
        u32 tint[3] = {};
        if (tint_shadow<kTexelPlace>(
                *scene.scene, hit.instance, hit.primitive, hit.u, hit.v, ray.direction, tint)) {
            u32* sums = scene.shadow_tints + u64{3} * slot;
            for (u32 channel = 0; channel < 3; ++channel) {
                const u64 sum = u64{sums[channel]} + tint[channel];
                sums[channel] = static_cast<u32>(std::min(sum, u64{0xffffffffu}));
            }
            return;
        }
    }
    // Other triangles block it.
    ray.t = -1;
}

// Offers a hit to a ray; the triangle that the ray starts on is ignored.
template <bool kIsAny>
HWY_INLINE void take(const TraceScene& scene, TraceRay& ray, u32 slot, const Candidate& hit) {
    if (hit.primitive == ray.self_primitive && hit.instance == ray.self_instance) {
        return;
    }
    if constexpr (kIsAny) {
        take_any(scene, ray, slot, hit);
    } else {
        take_closest(scene, ray, slot, hit);
    }
}

// Offers all hits of a block to the ray. `instance` is that of the placement; kNone: the world.
template <bool kIsAny>
HWY_INLINE void take_hits(const TraceScene& scene,
                          const LeafBlock& block,
                          const BlockHits& found,
                          u32 instance,
                          TraceRay& ray,
                          u32 slot) {
    for (u32 hits = found.hits; hits != 0; hits &= hits - 1) {
        const u32 k = static_cast<u32>(std::countr_zero(hits));
        const Candidate hit = {found.t[k],
                               found.u[k],
                               found.v[k],
                               instance == kNone ? block.instance[k] : instance,
                               block.primitive[k],
                               (block.flags >> k & 1) != 0};
        take<kIsAny>(scene, ray, slot, hit);
        if (kIsAny && ray.t < 0) {
            return;
        }
    }
}

// Intersects a ray with a block.
template <bool kIsAny>
HWY_INLINE void take_block(const TraceScene& scene,
                           const LeafBlock& block,
                           const SlabRay& slabs,
                           const ShearRay& shear,
                           u32 instance,
                           float start,
                           TraceRay& ray,
                           u32 slot) {
    BlockHits found;
    hit_block(block, slabs, shear, start, ray.t, found);
    take_hits<kIsAny>(scene, block, found, instance, ray, slot);
}

// One step of a fibre. Returns false when its traversal is complete.
template <bool kIsAny>
HWY_INLINE bool step(const TraceScene& scene,
                     Fibre& fibre,
                     bool prefetch_all,
                     TraceCounters& counters) {
    // Visit the node, block or placement.
    u32 next = kRefEmpty;
    const u32 kind = fibre.ref & kRefKind;
    note_fetch_of(scene.bvh, fibre.ref);
    if (kind == kRefNode) {
        ++counters.node_tests;
        next = step_node<kIsAny>(scene.bvh, fibre, prefetch_all);
    } else if (kind == kRefLeaf) {
        ++counters.leaf_tests;
        take_block<kIsAny>(scene,
                           scene.bvh.blocks[fibre.ref & kRefIndex],
                           fibre.slabs,
                           fibre.shear,
                           fibre.instance,
                           fibre.start,
                           *fibre.ray,
                           fibre.slot);
        if (kIsAny && fibre.ray->t < 0) {
            return false;
        }
    } else if (kind == kRefInstance) {
        next = step_instance(scene.bvh, fibre);
    } else {
        next = step_page(scene, fibre);
    }
    // Else pop the next entry whose box begins before the ray's hit; a marker leaves the placement.
    while (next == kRefEmpty) {
        if (fibre.stack_size == 0) {
            return false;
        }
        const StackEntry& top = fibre.stack[--fibre.stack_size];
        if (top.ref == kRefEmpty) {
            enter_world(fibre);
        } else if (top.entry <= fibre.ray->t) {
            next = top.ref;
        }
    }
    fibre.ref = next;
    return true;
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
