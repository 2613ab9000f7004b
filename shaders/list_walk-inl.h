// list_walk-inl.h — a keyed list of rays down a subtree to its end, as shorter and shorter lists.
//
// Does what the scheduler does with long lists, without asking it at each node: the rays are of one
// octant, so they go to the children of a node in one order (BvhNode::order); a node is tested for
// all of them with one ray per lane (lane_visit-inl.h), and each child gets a list. Lists of few
// rays run as interleaved fibres. Last in, first out, in memory of a fixed size: a list that finds
// no room runs as fibres, too. Included by traversal kernels; changes rays and sums of tints.
#if defined(WEFT_SHADERS_LIST_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LIST_WALK_INL_H_
#        undef WEFT_SHADERS_LIST_WALK_INL_H_
#    else
#        define WEFT_SHADERS_LIST_WALK_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/lane_visit-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// Entries of the lists of one walk: what 128 rays need on ten levels.
inline constexpr u32 kWalkEntries = 6144;
// Lists of so few rays run as fibres: with 8 and less, images took 1 to 14 % longer.
inline constexpr u32 kFewRays = 16;

struct WalkList {
    u32 ref;
    u32 begin;  // in `ids` and `entry`
    u32 count;
};

// Lists lie behind one another in the order in which they were made; the last one leaves next.
struct alignas(64) Walk {
    u32 ids[kWalkEntries];
    float entry[kWalkEntries];
    WalkList lists[kStackSize];
    u32 list_count;
};

// Leaves the rays out whose hit lies before they enter; how many are left.
HWY_INLINE u32 drop_done(Walk& walk, const TraceRay* rays, const WalkList& list) {
    constexpr u32 kRayWords = sizeof(TraceRay) / 4;
    const float* const t = reinterpret_cast<const float*>(rays) + offsetof(TraceRay, t) / 4;
    u32 kept = 0;
    for (u32 first = 0; first < list.count; first += kLanes) {
        u32* const ids = walk.ids + list.begin + first;
        const u32 used = ~0u >> (32 - std::min(list.count - first, kLanes));
        const Uint id = select(Bool::of_bits(used), load(ids), Uint(ids[0]));
        const u32 lanes =
            bits_of(load(walk.entry + list.begin + first) <= gather(t, id * Uint(kRayWords))) &
            used;
        hn::StoreU(hn::Compress(id.v, hn::RebindMask(UintTag(), Bool::of_bits(lanes).m)),
                   UintTag(),
                   walk.ids + list.begin + kept);
        kept += static_cast<u32>(std::popcount(lanes));
    }
    return kept;
}

// A block of the world against each ray of a list.
template <bool kIsAny>
HWY_INLINE void walk_block(const TraceScene& scene,
                           u32 ref,
                           TraceRay* rays,
                           const u32* ids,
                           u32 count,
                           TraceCounters& counters) {
    const LeafBlock& block = scene.bvh.blocks[ref & kRefIndex];
    for (u32 k = 0; k < count; ++k) {
        TraceRay& ray = rays[ids[k]];
        SlabRay slabs;
        ShearRay shear;
        prepare_slabs(ray, slabs);
        prepare_shear(ray, shear);
        take_block<kIsAny>(scene, block, slabs, shear, kNone, 0.0f, ray, ids[k]);
    }
    counters.leaf_tests += count;
}

// The rays `ids`, all of `octant`, from `ref` to the end of its subtree.
template <bool kIsAny>
HWY_NOINLINE void walk_lists(const TraceScene& scene,
                             u32 ref,
                             u32 octant,
                             TraceRay* rays,
                             const u32* ids,
                             u32 count,
                             TraceCounters& counters) {
    Walk walk;
    if (count == 0 || whole_lanes(count) > kWalkEntries) {
        run_group<kIsAny>(scene, ref, rays, ids, count, counters);
        return;
    }
    std::copy_n(ids, count, walk.ids);
    std::fill_n(walk.entry, count, 0.0f);
    walk.lists[0] = {ref, 0, count};
    walk.list_count = 1;
    while (walk.list_count != 0) {
        const WalkList list = walk.lists[--walk.list_count];
        const u32 left = drop_done(walk, rays, list);
        if (left == 0) {
            continue;
        }
        const u32* const those = walk.ids + list.begin;
        const u32 kind = list.ref & kRefKind;
        if (kind == kRefLeaf) {
            note_fetch_of(scene.bvh, list.ref);
            walk_block<kIsAny>(scene, list.ref, rays, those, left, counters);
            continue;
        }
        const u32 row = whole_lanes(left) + kLanes;
        const u32 top = list.begin + whole_lanes(left);
        if (kind != kRefNode || left <= kFewRays || top + 8 * row > kWalkEntries) {
            run_group<kIsAny>(scene, list.ref, rays, those, left, counters);
            continue;
        }
        ChildLists children;
        for (u32 c = 0; c < 8; ++c) {
            children.ids[c] = walk.ids + top + c * row;
            children.entry[c] = walk.entry + top + c * row;
        }
        const BvhNode& node = scene.bvh.nodes[list.ref];
        const u32 order = node.order[octant];
        visit_boxes(
            {node.bounds, order, order >> kOrderCount, octant}, rays, those, left, children);
        count_visit(node, left, counters);
        counters.lanes_issued += whole_lanes(left);
        counters.lanes_active += left;
        for (u32 c = 0; c < order >> kOrderCount; ++c) {
            if (children.count[c] != 0) {
                const u32 next = node.child[order >> (3 * c) & 7];
                prefetch_ref(scene.bvh, next);
                walk.lists[walk.list_count++] = {next, top + c * row, children.count[c]};
            }
        }
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
