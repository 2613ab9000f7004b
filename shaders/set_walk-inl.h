// set_walk-inl.h — a list of rays of one octant down a subtree to its end, as sets of 32 with one
// longest axis.
//
// Sets take turns as fibres of a group do: each takes one step (a node or a block for all of its
// rays that go there), asks for the next one's memory and gives way to the next set. Last in, first
// out, nearer children first. Instances run as interleaved fibres. Included by traversal kernels;
// changes rays and sums of tints.
#if defined(WEFT_SHADERS_SET_WALK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_SET_WALK_INL_H_
#        undef WEFT_SHADERS_SET_WALK_INL_H_
#    else
#        define WEFT_SHADERS_SET_WALK_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/ray_set-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

#    ifndef WEFT_WIDE_LANES

// From so many rays of kLanes neighbours on, one per lane is faster than one after the other.
inline constexpr u32 kManyInLanes = kLanes / 2;
// Sets in flight: 8 were 1 to 4 % slower out of the cache, 24 no faster.
inline constexpr u32 kSetsInFlight = 16;

HWY_INLINE void step_set_node(const BvhNode& node, RaySet& set) {
    u32 many = 0;
    for (u32 first = 0; first < kSetRays; first += kLanes) {
        const u32 lanes = set.going & (~0u >> (32 - kLanes)) << first;
        many |= static_cast<u32>(std::popcount(lanes)) >= kManyInLanes ? lanes : 0;
    }
    alignas(32) u32 met[8];
    meet_rays(node, set, set.going & ~many, met);
    for (u32 first = 0; many != 0; first += kLanes, many >>= kLanes) {
        const u32 lanes = many & ~0u >> (32 - kLanes);
        if (lanes != 0) {
            meet_lanes(node, set, first, lanes, met);
        }
    }
    stack_children(node, met, set);
}

// Ray by ray what was met: closest hits, and triangles that are asked about.
template <bool kIsAny>
HWY_INLINE void take_quads(const TraceScene& scene,
                           const LeafBlock& block,
                           RaySet& set,
                           const QuadMeeting& met,
                           const u32 (&those)[kQuadRays]) {
    alignas(64) float t[kLanes];
    alignas(64) float u[kLanes];
    alignas(64) float v[kLanes];
    store(met.t, t);
    store(met.weight_b / met.sum, u);
    store(met.weight_c / met.sum, v);
    for (u32 hits = met.hits; hits != 0; hits &= hits - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(hits));
        const u32 k = lane % 4;
        const u32 index = those[lane / 4];
        QuadRay& record = set.quad[index];
        TraceRay& ray = set.rays[record.slot];
        if (kIsAny && ray.t < 0) {
            continue;
        }
        const Candidate hit = {t[lane],
                               u[lane],
                               v[lane],
                               block.instance[k],
                               block.primitive[k],
                               (block.flags >> k & 1) != 0};
        take<kIsAny>(scene, ray, record.slot, hit);
        set.t[index] = ray.t;
        record.t = ray.t;
        set.live &= ~((ray.t < 0 ? 1u : 0u) << index);
    }
}

template <bool kIsAny>
HWY_INLINE void step_set_block(const TraceScene& scene, const LeafBlock& block, RaySet& set) {
    for (u32 rest = set.going; rest != 0;) {
        const u32 count = std::min(static_cast<u32>(std::popcount(rest)), kQuadRays);
        u32 those[kQuadRays];
        for (u32 r = 0; r < kQuadRays; ++r) {
            those[r] = rest != 0 ? static_cast<u32>(std::countr_zero(rest)) : those[0];
            rest &= rest - 1;
        }
        const u32 lanes = (1u << 4 * count) - 1;
        QuadMeeting met = meet_block(block, set.rays, set.quad, those, set.shared, lanes);
        if (met.hits == 0) {
            continue;
        }
        met.hits = without_ends<kIsAny>(block, set.rays, set.quad, those, met.hits);
        if (!kIsAny || (block.flags & 15) != 0) {
            take_quads<kIsAny>(scene, block, set, met, those);
            continue;
        }
        for (u32 hits = met.hits; hits != 0;) {
            const u32 r = static_cast<u32>(std::countr_zero(hits)) / 4;
            hits &= ~(15u << (4 * r));
            set.rays[set.quad[those[r]].slot].t = -1.0f;
            set.live &= ~(1u << those[r]);
        }
    }
}

// The going rays as interleaved fibres to the end of a subtree.
template <bool kIsAny>
HWY_NOINLINE void leave_set(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    u32 slots[kSetRays];
    u32 count = 0;
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        slots[count++] = set.quad[std::countr_zero(rest)].slot;
    }
    run_group<kIsAny>(scene, set.at, set.rays, slots, count, counters);
    for (u32 rest = set.going; rest != 0; rest &= rest - 1) {
        const u32 index = static_cast<u32>(std::countr_zero(rest));
        const float t = set.rays[set.quad[index].slot].t;
        set.t[index] = t;
        set.quad[index].t = t;
        set.live &= ~((t < 0 ? 1u : 0u) << index);
    }
}

// One step of a set; false: its subtree is done.
template <bool kIsAny>
HWY_INLINE bool step_set(const TraceScene& scene, RaySet& set, TraceCounters& counters) {
    const u32 count = static_cast<u32>(std::popcount(set.going));
    const u32 kind = set.at & kRefKind;
    if (kind == kRefNode) {
        const BvhNode& node = scene.bvh.nodes[set.at];
        count_visit(node, count, counters);
        counters.lanes_issued += kSetRays;
        counters.lanes_active += count;
        step_set_node(node, set);
    } else if (kind == kRefLeaf) {
        note_fetch_of(scene.bvh, set.at);
        counters.leaf_tests += count;
        step_set_block<kIsAny>(scene, scene.bvh.blocks[set.at & kRefIndex], set);
    } else {
        leave_set<kIsAny>(scene, set, counters);
    }
    // Rays that were blocked meanwhile have no business in what is next.
    do {
        if (set.stack_size == 0) {
            return false;
        }
        const u32 top = --set.stack_size;
        set.at = set.ref[top];
        set.going = set.mask[top] & set.live;
    } while (set.going == 0);
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
