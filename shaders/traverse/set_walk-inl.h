// set_walk-inl.h — traverses a subtree with a list of rays of one octant, as sets of up to 32 rays
// of one longest axis.
//
// Sets interleave as the fibres of a group do: each takes one step (a node or a block, for all of
// its rays that hit it), prefetches the memory of its next step and yields to the next set. The
// stack holds the child that is visited next on top. In a placement a step is one ray's, unless
// many rays cross it together. Included by traversal kernels; changes rays and sums of tints.
#if defined(WEFT_SHADERS_SET_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SET_WALK_INL_H_
#        undef WEFT_SHADERS_SET_WALK_INL_H_
#    else
#        define WEFT_SHADERS_SET_WALK_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/traverse/placed_set-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// Sets in flight: 8 were 1 to 4 % slower where the tree exceeds the cache, 24 no faster.
inline constexpr u32 kSetsInFlight = 16;

// A set in flight, and its walk through the mesh of a placement.
struct WalkingSet {
    RaySet* set;
    MeshWalk* in_mesh;
};

// One step of a set. Returns false when its traversal is complete.
template <bool kIsAny>
HWY_INLINE bool step_set(const TraceScene& scene,
                         const WalkingSet& walking,
                         TraceCounters& counters) {
    RaySet& set = *walking.set;
    // Visit a node or a block with the active rays, or take a step at a placement.
    if ((set.at & kRefKind) == kRefInstance) {
        if (step_placement<kIsAny>(scene, set, *walking.in_mesh, counters)) {
            prefetch_ref(scene.bvh, walking.in_mesh->at);
            return true;
        }
    } else {
        step_set_in_tree<kIsAny, false>(scene, set, counters);
    }
    // Pop the next entry, and prefetch it while other sets step.
    if (!take_next(set)) {
        return false;
    }
    prefetch_ref(scene.bvh, set.at);
    return true;
}

// Bins a list's rays by longest axis, and hands out sets of one bin.
class SetQueue {
public:
    HWY_INLINE SetQueue(const TraceRay* rays, const u32* ids, u32 count)
        : rays_(rays), ids_(ids), count_(count) {}

    // Takes up to kSetRays rays of the fullest bin; returns their count, 0 when none is left.
    HWY_INLINE u32 take(u32 (&ids)[kSetRays], u32& longest) {
        // Bin rays of the list until a bin holds a whole set.
        while (next_ < count_ && std::max({size_[0], size_[1], size_[2]}) < kSetRays) {
            sort_lanes();
        }
        // Choose the fullest bin.
        longest = size_[0] >= size_[1] ? 0 : 1;
        longest = size_[longest] >= size_[2] ? longest : 2;
        // Hand out its first rays, and move the others to the front.
        const u32 size = std::min(size_[longest], kSetRays);
        std::copy_n(waiting_[longest], kSetRays, ids);
        size_[longest] -= size;
        std::copy_n(waiting_[longest] + kSetRays, kLanes, waiting_[longest]);
        return size;
    }

private:
    // Bins the next kLanes rays of the list.
    HWY_INLINE void sort_lanes() {
        // Take the next slots; spare lanes repeat the first.
        const u32 size = std::min(count_ - next_, kLanes);
        alignas(64) u32 slot[kLanes];
        alignas(64) u32 at[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            slot[k] = ids_[next_ + (k < size ? k : 0)];
            at[k] = slot[k] * (sizeof(TraceRay) / 4);
        }
        // Load the directions, and compare the lengths along the axes.
        const u32* const words = reinterpret_cast<const u32*>(rays_);
        const Float3 d = first_three(load_quad(words + offsetof(TraceRay, direction) / 4, at));
        const Float x = abs(d.x);
        const Float y = abs(d.y);
        const Float z = abs(d.z);
        const u32 used = ~0u >> (32 - size);
        const u32 is_x = bits_of((x >= y) & (x >= z));
        const u32 is_y = bits_of((x < y) & (y >= z));
        // Append each slot to the bin of its longest axis.
        append(0, load(slot), is_x & used);
        append(1, load(slot), is_y & used);
        append(2, load(slot), ~(is_x | is_y) & used);
        next_ += size;
    }

    // Appends the slots of `lanes` to a bin; may overwrite up to kLanes entries behind its end.
    HWY_INLINE void append(u32 axis, Uint slots, u32 lanes) {
        const Bool where = Bool::of_bits(lanes);
        const Packing packing(UintTag(), hn::RebindMask(UintTag(), where.m));
        hn::StoreU(packing.packed(slots.v), UintTag(), waiting_[axis] + size_[axis]);
        size_[axis] += static_cast<u32>(std::popcount(lanes));
    }

    const TraceRay* rays_;
    const u32* ids_;
    u32 count_;
    u32 next_ = 0;
    u32 size_[3] = {};
    u32 waiting_[3][kSetRays + 2 * kLanes];
};

// Traverses the subtree of `ref` with the rays `ids`, all of `octant`.
template <bool kIsAny>
HWY_NOINLINE void walk_sets(const TraceScene& scene,
                            u32 ref,
                            u32 octant,
                            TraceRay* rays,
                            const u32* ids,
                            u32 count,
                            TraceCounters& counters) {
    if (ref == kRefEmpty) {
        return;
    }
    RaySet sets[kSetsInFlight];
    MeshWalk walks[kSetsInFlight];
    WalkingSet live[kSetsInFlight];
    u32 live_count = 0;
    SetQueue queue(rays, ids, count);
    // Opens a set with the next rays of which one is live; false when the list is exhausted.
    const auto open_next = [&](RaySet& set) HWY_ATTR {
        u32 taken[kSetRays];
        u32 longest = 0;
        while (const u32 size = queue.take(taken, longest)) {
            open_set(set, ref, rays, taken, size, octant, longest);
            if (set.live != 0) {
                return true;
            }
        }
        return false;
    };
    // Fill the sets in flight.
    while (live_count < kSetsInFlight && open_next(sets[live_count])) {
        live[live_count] = {&sets[live_count], &walks[live_count]};
        ++live_count;
    }
    // Step them in turn; a finished set starts again with the next rays, or leaves.
    while (live_count != 0) {
        for (u32 k = 0; k < live_count;) {
            if (step_set<kIsAny>(scene, live[k], counters) || open_next(*live[k].set)) {
                ++k;
            } else {
                std::swap(live[k], live[--live_count]);
            }
        }
    }
}

#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
