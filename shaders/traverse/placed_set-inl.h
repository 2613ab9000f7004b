// placed_set-inl.h — a set traverses a placement: transforms its rays to object space, traverses
// the mesh's tree, and returns with their hits.
//
// Rays of one class in the world may belong to several classes in object space. Many rays of one
// class traverse the mesh as a set of their own. Few go one by one, which is cheaper; they yield
// after each node and block, as sets do in the world, because a mesh may exceed the cache just as
// well. Included by traversal kernels; changes the set, its rays and, for shadow rays, their sums
// of tints.
#if defined(WEFT_SHADERS_PLACED_SET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PLACED_SET_INL_H_
#        undef WEFT_SHADERS_PLACED_SET_INL_H_
#    else
#        define WEFT_SHADERS_PLACED_SET_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/traverse/mesh_walk-inl.h"
#    include "shaders/traverse/set_step-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// With at least so many rays of one class a set is faster than ray by ray. Closest hits need more:
// a single ray skips stack entries behind its hit, a set does not.
template <bool kIsAny>
inline constexpr u32 kManyInMesh = kIsAny ? 6 : 12;

// A set of rays of one class in object space. spaces[k].v is the start of ray k's interval with the
// placement.
struct PlacedSet {
    RaySet set;
    TraceRay spaces[kSetRays];  // by row
};

// Writes a ray in object space to a row of the set.
HWY_INLINE void write_row(const MeshRay& in, u32 row, PlacedSet& out) {
    // Store what the test against a triangle's own box reads.
    const Quad d;
    TraceRay& space = out.spaces[row];
    hn::Store(hn::Load(d, in.origin), d, space.origin);
    hn::Store(hn::Load(d, in.slabs.reciprocal), d, space.reciprocal);
    space.v = in.start;
    space.primitive = in.ray->primitive;
    space.instance = in.ray->instance;
    space.self_primitive = in.ray->self_primitive;
    space.self_instance = in.ray->self_instance;
    // Store what the slab tests and the triangle tests read.
    RaySet& set = out.set;
    for (u32 k = 0; k < 3; ++k) {
        set.near_origin[k][row] = in.slabs.near_origin[k];
        set.far_origin[k][row] = in.slabs.far_origin[k];
        set.reciprocal[k][row] = in.slabs.reciprocal[k];
        set.quad[row].origin[k] = in.shear.origin[k];
        set.quad[row].shear[k] = in.shear.shear[k];
    }
    set.t[row] = in.ray->t;
    set.quad[row].t = in.ray->t;
    set.quad[row].slot = in.slot;
}

// Fills the spare rows of the last register with the first ray, for slab tests.
HWY_INLINE void fill_rows(RaySet& set, u32 count) {
    for (u32 row = count; row < whole_lanes(count); ++row) {
        for (u32 k = 0; k < 3; ++k) {
            set.near_origin[k][row] = set.near_origin[k][0];
            set.far_origin[k][row] = set.far_origin[k][0];
            set.reciprocal[k][row] = set.reciprocal[k][0];
        }
        set.t[row] = set.t[0];
    }
}

// Traverses the mesh's tree with the rays of `entered` that `which` names, all of one class, as a
// set.
template <bool kIsAny>
HWY_NOINLINE void walk_mesh_as_set(const TraceScene& scene,
                                   u32 root,
                                   TraceRay* rays,
                                   const MeshRay* entered,
                                   u32 which,
                                   TraceCounters& counters) {
    // Gather the rays into a set.
    PlacedSet placed;
    RaySet& set = placed.set;
    u32 count = 0;
    for (u32 rest = which; rest != 0; rest &= rest - 1) {
        write_row(entered[std::countr_zero(rest)], count++, placed);
    }
    if (count >= kManyInLanes) {
        fill_rows(set, count);
    }
    // Describe what all its rays share, and start at the root.
    const MeshRay& first = entered[std::countr_zero(which)];
    const u32(&axis)[3] = first.shear.axis;
    set.rays = rays;
    set.spaces = placed.spaces;
    set.shared = {first.ray_class & 7, {axis[0], axis[1], axis[2]}};
    set.instance = first.instance;
    set.placement = first.placement;
    set.live = ~0u >> (32 - count);
    set.going = set.live;
    set.at = root;
    set.stack_size = 0;
    // Traverse the mesh's tree.
    do {
        step_set_in_tree<kIsAny, true>(scene, set, counters);
    } while (take_next(set));
}

// Updates a row of the set after other code changed its ray.
HWY_INLINE void settle_row(RaySet& set, u32 row, float t) {
    set.t[row] = t;
    set.quad[row].t = t;
    set.live &= ~((t < 0 ? 1u : 0u) << row);
}

// Traverses the subtree with at most kSetRays rays: transforms them, keeps those that hit the
// placement's box, and splits them by class in object space: many rays of a class as a set, few ray
// by ray.
template <bool kIsAny>
HWY_NOINLINE void cross_by_class(const TraceScene& scene,
                                 const PlacementSpace& space,
                                 const PlacedMesh& mesh,
                                 TraceRay* rays,
                                 const u32* slots,
                                 u32 slot_count,
                                 TraceCounters& counters) {
    // Transform the rays.
    MeshRay entered[kSetRays];
    u32 count = 0;
    for (u32 k = 0; k < slot_count; ++k) {
        count += open_mesh_ray(space, mesh, rays[slots[k]], slots[k], entered[count]);
    }
    // Collect the rays of one class after the other, and traverse the mesh with them.
    for (u32 rest = count != 0 ? ~0u >> (32 - count) : 0; rest != 0;) {
        const u32 ray_class = entered[std::countr_zero(rest)].ray_class;
        u32 same = 0;
        for (u32 others = rest; others != 0; others &= others - 1) {
            const u32 k = static_cast<u32>(std::countr_zero(others));
            same |= (entered[k].ray_class == ray_class ? 1u : 0u) << k;
        }
        // Many rays go as a set, few one by one.
        rest &= ~same;
        if (static_cast<u32>(std::popcount(same)) >= kManyInMesh<kIsAny>) {
            walk_mesh_as_set<kIsAny>(scene, mesh.root, rays, entered, same, counters);
            continue;
        }
        for (; same != 0; same &= same - 1) {
            walk_mesh<kIsAny>(scene, mesh.root, entered[std::countr_zero(same)], counters);
        }
    }
}

// Few rays of a set in a placement, one after the other.
struct alignas(64) MeshWalk {
    u32 at = kRefEmpty;  // what the next step visits; kRefEmpty: no ray is inside
    u32 row;             // of the ray that is inside
    u32 rest;            // rows of the rays that come after it
    MeshRay in;
    MeshStack stack;
};

// Walks lie an odd number of cache lines apart, as sets do.
static_assert(sizeof(MeshWalk) / 64 % 2 == 1);

// Enters the placement at `set.at` with the next ray that hits its box. Returns false when none is
// left.
HWY_INLINE bool enter_next_ray(const TraceScene& scene, const RaySet& set, MeshWalk& walk) {
    const u32 index = set.at & kRefIndex;
    const Placement& placement = scene.bvh.placements[index];
    const PlacedMesh mesh = {placement.instance, index, placement.root};
    const PlacementSpace space = prepare_placement(placement);
    while (walk.rest != 0) {
        walk.row = static_cast<u32>(std::countr_zero(walk.rest));
        walk.rest &= walk.rest - 1;
        const u32 slot = set.quad[walk.row].slot;
        if (open_mesh_ray(space, mesh, set.rays[slot], slot, walk.in) != 0) {
            walk.at = mesh.root;
            walk.stack.size = 0;
            return true;
        }
    }
    walk.at = kRefEmpty;
    return false;
}

// One step of the ray that is inside. Returns false when all rays have left the placement.
template <bool kIsAny>
HWY_INLINE bool step_in_mesh(const TraceScene& scene,
                             RaySet& set,
                             MeshWalk& walk,
                             TraceCounters& counters) {
    // Visit a node or a block, and copy a hit back to the set.
    const float before = walk.in.ray->t;
    visit_mesh<kIsAny>(scene, walk.at, walk.in, walk.stack, counters);
    const float t = walk.in.ray->t;
    if (t != before) {
        settle_row(set, walk.row, t);
    }
    // Pop the ray's next entry; after its last one, or where it is blocked, the next ray enters.
    walk.at = kIsAny && t < 0 ? kRefEmpty : pop_before<kIsAny>(walk.stack, t);
    return walk.at != kRefEmpty || enter_next_ray(scene, set, walk);
}

// Crosses the placement at `set.at` with many active rays, some of which may share a class.
template <bool kIsAny>
HWY_NOINLINE void cross_together(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    const u32 index = set.at & kRefIndex;
    const Placement& placement = scene.bvh.placements[index];
    const PlacedMesh mesh = {placement.instance, index, placement.root};
    prefetch_ref(scene.bvh, placement.root);
    const PlacementSpace space = prepare_placement(placement);
    u32 slots[kSetRays];
    u32 count = 0;
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        slots[count++] = set.quad[std::countr_zero(rest)].slot;
    }
    cross_by_class<kIsAny>(scene, space, mesh, set.rays, slots, count, counters);
    // Copy the hits back to the outer set.
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        const u32 row = static_cast<u32>(std::countr_zero(rest));
        settle_row(set, row, set.rays[set.quad[row].slot].t);
    }
}

// One step at the placement at `set.at`: enters it with the active rays, or goes on inside. Returns
// false when all of them have left it.
template <bool kIsAny>
HWY_INLINE bool step_placement(const TraceScene& scene,
                               RaySet& set,
                               MeshWalk& walk,
                               TraceCounters& counters) {
    if (walk.at != kRefEmpty) {
        return step_in_mesh<kIsAny>(scene, set, walk, counters);
    }
    // Many rays cross at once.
    if (static_cast<u32>(std::popcount(set.going)) >= kManyInMesh<kIsAny>) {
        cross_together<kIsAny>(scene, set, counters);
        return false;
    }
    // Few go one by one.
    walk.rest = set.going;
    return enter_next_ray(scene, set, walk);
}

// Traverses a subtree of a placement's mesh with rays of any class.
template <bool kIsAny>
HWY_NOINLINE void walk_placed(const TraceScene& scene,
                              u32 index,
                              u32 ref,
                              TraceRay* rays,
                              const u32* ids,
                              u32 count,
                              TraceCounters& counters) {
    const Placement& placement = scene.bvh.placements[index];
    const PlacedMesh mesh = {placement.instance, index, ref};
    const PlacementSpace space = prepare_placement(placement);
    for (u32 first = 0; first < count; first += kSetRays) {
        const u32 size = std::min(count - first, kSetRays);
        cross_by_class<kIsAny>(scene, space, mesh, rays, ids + first, size, counters);
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
