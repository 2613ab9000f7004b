// set_walk-inl.h — a list of rays of one octant down a subtree to its end, as sets of 32 with one
// longest axis.
//
// Sets take turns as fibres of a group do: each takes one step (a node or a block for all of its
// rays that go there), asks for the next one's memory and gives way to the next set. Last in, first
// out, nearer children first. A placement is crossed at once. Included by traversal kernels;
// changes rays and sums of tints.
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

// Sets in flight: 8 were 1 to 4 % slower out of the cache, 24 no faster.
inline constexpr u32 kSetsInFlight = 16;

// One step of a set; false: its subtree is done.
template <bool kIsAny>
HWY_INLINE bool step_set(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    if ((set.at & kRefKind) == kRefInstance) {
        cross_placement<kIsAny>(scene, set, counters);
    } else {
        step_set_in_tree<kIsAny, false>(scene, set, counters);
    }
    if (!take_next(set)) {
        return false;
    }
    prefetch_ref(scene.bvh, set.at);
    return true;
}

// Rays on their way into sets, by longest axis.
class SetQueue {
public:
    HWY_INLINE SetQueue(const TraceRay* rays, const u32* ids, u32 count)
        : rays_(rays), ids_(ids), count_(count) {}

    // Rays of the fullest axis, at most a set of them, with room behind them; 0 when all are taken.
    HWY_INLINE u32 take(u32 (&ids)[kSetRays], u32& longest) {
        while (next_ < count_ && std::max({size_[0], size_[1], size_[2]}) < kSetRays) {
            sort_lanes();
        }
        longest = size_[0] >= size_[1] ? 0 : 1;
        longest = size_[longest] >= size_[2] ? longest : 2;
        const u32 size = std::min(size_[longest], kSetRays);
        std::copy_n(waiting_[longest], kSetRays, ids);
        size_[longest] -= size;
        std::copy_n(waiting_[longest] + kSetRays, kLanes, waiting_[longest]);
        return size;
    }

private:
    HWY_INLINE void sort_lanes() {
        const u32 size = std::min(count_ - next_, kLanes);
        alignas(64) u32 slot[kLanes];
        alignas(64) u32 at[kLanes];
        for (u32 k = 0; k < kLanes; ++k) {
            slot[k] = ids_[next_ + (k < size ? k : 0)];
            at[k] = slot[k] * (sizeof(TraceRay) / 4);
        }
        const u32* const words = reinterpret_cast<const u32*>(rays_);
        const Float3 d = first_three(load_quad(words + offsetof(TraceRay, direction) / 4, at));
        const Float x = abs(d.x);
        const Float y = abs(d.y);
        const Float z = abs(d.z);
        const u32 used = ~0u >> (32 - size);
        const u32 is_x = bits_of((x >= y) & (x >= z));
        const u32 is_y = bits_of((x < y) & (y >= z));
        append(0, load(slot), is_x & used);
        append(1, load(slot), is_y & used);
        append(2, load(slot), ~(is_x | is_y) & used);
        next_ += size;
    }

    HWY_INLINE void append(u32 axis, Uint slots, u32 lanes) {
        const Bool where = Bool::of_bits(lanes);
        hn::StoreU(hn::Compress(slots.v, hn::RebindMask(UintTag(), where.m)),
                   UintTag(),
                   waiting_[axis] + size_[axis]);
        size_[axis] += static_cast<u32>(std::popcount(lanes));
    }

    const TraceRay* rays_;
    const u32* ids_;
    u32 count_;
    u32 next_ = 0;
    u32 size_[3] = {};
    u32 waiting_[3][kSetRays + 2 * kLanes];
};

// The rays `ids`, all of `octant`, from `ref` to the end of its subtree.
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
    RaySet* live[kSetsInFlight];
    u32 live_count = 0;
    SetQueue queue(rays, ids, count);
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
    while (live_count < kSetsInFlight && open_next(sets[live_count])) {
        live[live_count] = &sets[live_count];
        ++live_count;
    }
    while (live_count != 0) {
        for (u32 k = 0; k < live_count;) {
            RaySet& set = *live[k];
            if (step_set<kIsAny>(scene, set, counters) || open_next(set)) {
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
