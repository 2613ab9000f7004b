// packet-inl.h — traversal with one ray per lane: packets of kLanes rays that go down the tree
// together.
//
// For rays that go the same way (camera rays, shadow rays to one light), and for every ray of the
// emulated device. Rays are sorted by class in batches, so that a packet's rays share the signs and
// the longest axis of their directions. A node is tested once for the whole packet (beam-inl.h),
// and each child that the beam meets once more by lane; a triangle of a leaf is tested by all
// lanes. Hits are taken lane by lane by the code of fibre-inl.h. Wald et al., "Interactive
// Rendering with Coherent Ray Tracing", 2001. Which kernel runs changes no hit.
#if defined(WEFT_SHADERS_PACKET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PACKET_INL_H_
#        undef WEFT_SHADERS_PACKET_INL_H_
#    else
#        define WEFT_SHADERS_PACKET_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/lane_triangle-inl.h"
#    include "shaders/record-inl.h"
#    include "shaders/traverse-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// The device's lanes stay in lockstep to the end.
inline constexpr bool kIsDevice = kLanes == 32;
// Subtrees of so few lanes are left to the single-ray kernel.
inline constexpr u32 kFewLanes = kIsDevice ? 0 : 2;

struct PacketEntry {
    u32 ref;
    u32 lanes;    // that meet it
    float entry;  // none of them enters before
};

// A packet: up to kLanes rays and what is ahead of them.
struct Packet {
    TraceRay* rays;
    u32 slot[kLanes];             // spare lanes repeat the first
    alignas(64) float t[kLanes];  // as in the rays
    u32 live;                     // lanes in use whose rays are not blocked
    float t_max;                  // the largest t of the live ones
    u32 stack_size;
    PacketEntry stack[kStackSize];
};

HWY_INLINE void update_reach(Packet& p) {
    p.t_max = highest_where(Bool::of_bits(p.live), load(p.t));
}

HWY_INLINE LaneRays load_lane_rays(const TraceRay* rays, Uint slot) {
    const Records r = records_of(rays, slot);
    LaneRays out;
    for (u32 k = 0; k < 3; ++k) {
        out.origin[k] = read_float(r, offsetof(TraceRay, origin) + 4 * k);
        out.direction[k] = read_float(r, offsetof(TraceRay, direction) + 4 * k);
        out.reciprocal[k] = read_float(r, offsetof(TraceRay, reciprocal) + 4 * k);
    }
    return out;
}

// Runs single rays from a reference of the world to the end of its subtree.
template <bool kIsAny>
HWY_NOINLINE void leave_packet(
    const TraceScene& scene, Packet& p, u32 ref, u32 lanes, TraceCounters& counters) {
    for (; lanes != 0; lanes &= lanes - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(lanes));
        TraceRay& ray = p.rays[p.slot[lane]];
        TraceCounters counted;
        run_single<kIsAny>(scene, ref, ray, p.slot[lane], counted);
        counters.node_visits += counted.node_tests;
        counters.node_tests += counted.node_tests;
        counters.leaf_tests += counted.leaf_tests;
        p.t[lane] = ray.t;
        if (kIsAny && ray.t < 0) {
            p.live &= ~(1u << lane);
        }
    }
    update_reach(p);
}

// Tests the children of a node; stacks those that are met far to near but the nearest, which it
// returns (ref = kRefEmpty: none).
HWY_INLINE PacketEntry step_packet_node(
    const BvhNode& node, const LaneSpace& s, Packet& p, u32 lanes, float* HWY_RESTRICT entry) {
    PacketEntry nearest = {kRefEmpty, 0, 0};
    PacketEntry* const bottom = p.stack + p.stack_size;
    PacketEntry* top = bottom;
    const Float t = load(p.t);
    for (u32 hits = beam_children(node.bounds, s, p.t_max, entry); hits != 0; hits &= hits - 1) {
        const u32 child = static_cast<u32>(std::countr_zero(hits));
        float bounds[3][2];
        for (u32 k = 0; k < 3; ++k) {
            bounds[k][0] = node.bounds[k][0][child];
            bounds[k][1] = node.bounds[k][1][child];
        }
        const LaneInterval i = box_interval(bounds, s, t);
        PacketEntry next = {node.child[child], branch(i.near <= i.far, lanes), entry[child]};
        if (next.lanes == 0) {
            continue;
        }
        if (nearest.ref == kRefEmpty) {
            nearest = next;
            continue;
        }
        if (next.entry < nearest.entry) {
            std::swap(next, nearest);
        }
        PacketEntry* place = top++;
        while (place != bottom && place[-1].entry < next.entry) {
            *place = place[-1];
            --place;
        }
        *place = next;
    }
    p.stack_size = static_cast<u32>(top - p.stack);
    return nearest;
}

template <bool kIsAny>
HWY_INLINE void step_packet_block(
    const TraceScene& scene, const LeafBlock& block, const LaneSpace& s, Packet& p, u32 lanes) {
    bool is_changed = false;
    for (u32 used = block.flags >> 8 & 15; used != 0; used &= used - 1) {
        const u32 k = static_cast<u32>(std::countr_zero(used));
        LaneHits met;
        const u32 hits = hit_triangle(block, k, s, load(p.t), lanes, met);
        for (u32 left = hits; left != 0; left &= left - 1) {
            const u32 lane = static_cast<u32>(std::countr_zero(left));
            TraceRay& ray = p.rays[p.slot[lane]];
            const Candidate hit = {met.t[lane],
                                   met.u[lane],
                                   met.v[lane],
                                   s.instance == kNone ? block.instance[k] : s.instance,
                                   block.primitive[k],
                                   (block.flags >> k & 1) != 0};
            take<kIsAny>(scene, ray, p.slot[lane], hit);
            p.t[lane] = ray.t;
            if (kIsAny && ray.t < 0) {
                p.live &= ~(1u << lane);
                lanes &= ~(1u << lane);
            }
        }
        is_changed |= hits != 0;
        if (lanes == 0) {
            break;
        }
    }
    if (is_changed) {
        update_reach(p);
    }
}

template <bool kIsAny>
void walk_packet(const TraceScene& scene,
                 const LaneSpace& s,
                 Packet& p,
                 u32 ref,
                 u32 lanes,
                 TraceCounters& counters);

// Takes the lanes into a placement, class by class, and through its tree.
template <bool kIsAny>
HWY_NOINLINE void step_packet_instance(const TraceScene& scene,
                                       const Placement& placement,
                                       const LaneSpace& world,
                                       Packet& p,
                                       u32 lanes,
                                       TraceCounters& counters) {
    const LaneInterval i = box_interval(placement.bounds, world, load(p.t));
    lanes = branch(i.near <= i.far, lanes);
    if (lanes == 0) {
        return;
    }
    const LaneRays rays = load_lane_rays(p.rays, load(p.slot));
    LaneRays local;
    const float* m = placement.world_to_object;
    for (u32 axis = 0; axis < 3; ++axis, m += 4) {
        const Float* o = rays.origin;
        const Float* d = rays.direction;
        local.origin[axis] =
            ((Float(m[0]) * o[0] + Float(m[1]) * o[1]) + Float(m[2]) * o[2]) + Float(m[3]);
        local.direction[axis] = (Float(m[0]) * d[0] + Float(m[1]) * d[1]) + Float(m[2]) * d[2];
        local.reciprocal[axis] = reciprocal_of(local.direction[axis]);
    }
    const Uint classes = classes_of(local.direction, local.reciprocal);
    u32 class_of_lane[kLanes];
    store(classes, class_of_lane);
    while (lanes != 0) {
        const u32 ray_class = class_of_lane[std::countr_zero(lanes)];
        const u32 same = branch(classes == Uint(ray_class), lanes);
        lanes &= ~same;
        LaneSpace space;
        prepare_space(local, ray_class, Bool::of_bits(same), space);
        space.start = i.near;
        space.instance = placement.instance;
        walk_packet<kIsAny>(scene, space, p, placement.root, same, counters);
        if (kIsAny) {
            lanes &= p.live;
        }
    }
}

// Runs `lanes` from `ref` to the end of that subtree.
template <bool kIsAny>
void walk_packet(const TraceScene& scene,
                 const LaneSpace& s,
                 Packet& p,
                 u32 ref,
                 u32 lanes,
                 TraceCounters& counters) {
    const u32 base = p.stack_size;
    PacketEntry at = {ref, lanes, 0};
    for (;;) {
        const u32 lane_count = static_cast<u32>(std::popcount(at.lanes));
        const u32 kind = at.ref & kRefKind;
        PacketEntry next = {kRefEmpty, 0, 0};
        if (lane_count <= kFewLanes && s.instance == kNone) {
            leave_packet<kIsAny>(scene, p, at.ref, at.lanes, counters);
        } else if (kind == kRefNode) {
            ++counters.node_visits;
            counters.node_tests += lane_count;
            counters.rays_in_lists += lane_count > 1 ? lane_count : 0;
            counters.lanes_issued += kLanes;
            counters.lanes_active += lane_count;
            alignas(32) float entry[8];
            next = step_packet_node(scene.bvh.nodes[at.ref & kRefIndex], s, p, at.lanes, entry);
        } else if (kind == kRefLeaf) {
            counters.leaf_tests += lane_count;
            counters.lanes_issued += kLanes;
            counters.lanes_active += lane_count;
            step_packet_block<kIsAny>(scene, scene.bvh.blocks[at.ref & kRefIndex], s, p, at.lanes);
        } else {
            step_packet_instance<kIsAny>(
                scene, scene.bvh.placements[at.ref & kRefIndex], s, p, at.lanes, counters);
        }
        // Lanes whose hit lies before what is next have no business there.
        while (next.ref == kRefEmpty) {
            if (p.stack_size == base) {
                return;
            }
            next = p.stack[--p.stack_size];
            next.lanes = branch(Float(next.entry) <= load(p.t), next.lanes & p.live);
            if (next.lanes == 0) {
                next.ref = kRefEmpty;
            }
        }
        at = next;
    }
}

template <bool kIsAny>
HWY_NOINLINE void run_packet(const TraceScene& scene,
                             u32 ref,
                             TraceRay* rays,
                             const u32* ids,
                             u32 count,
                             u32 ray_class,
                             TraceCounters& counters) {
    Packet p;
    p.rays = rays;
    p.stack_size = 0;
    p.live = ~0u >> (32 - count);
    for (u32 k = 0; k < kLanes; ++k) {
        p.slot[k] = ids[k < count ? k : 0];
        p.t[k] = rays[p.slot[k]].t;
    }
    if (kIsAny) {
        p.live = bits_of(load(p.t) >= Float(0.0f)) & p.live;
        if (p.live == 0) {
            return;
        }
    }
    update_reach(p);
    LaneSpace s;
    prepare_space(load_lane_rays(rays, load(p.slot)), ray_class, Bool::of_bits(p.live), s);
    s.start = 0.0f;
    s.instance = kNone;
    walk_packet<kIsAny>(scene, s, p, ref, p.live, counters);
}

// Sorts the rays by class and runs them packet by packet.
template <bool kIsAny>
HWY_NOINLINE void run_packets(const TraceScene& scene,
                              u32 ref,
                              TraceRay* rays,
                              const u32* ids,
                              u32 count,
                              TraceCounters& counters) {
    constexpr u32 kBatch = 1024;
    if (ref == kRefEmpty) {
        return;
    }
    const Lockstep lockstep(counters.divergence);
    u32 sorted[kBatch];
    u8 classes[kBatch];
    for (u32 done = 0; done < count; done += kBatch) {
        const u32 size = std::min(count - done, kBatch);
        u32 end[kRayClasses + 1] = {};
        for (u32 k = 0; k < size; ++k) {
            const TraceRay& ray = rays[ids[done + k]];
            classes[k] = static_cast<u8>(class_of(ray.direction, ray.reciprocal));
            ++end[classes[k] + 1];
        }
        for (u32 c = 0; c < kRayClasses; ++c) {
            end[c + 1] += end[c];
        }
        // Counting sort: end[c] runs from the first to behind the last place of class c.
        u32 first = 0;
        for (u32 k = 0; k < size; ++k) {
            sorted[end[classes[k]]++] = ids[done + k];
        }
        for (u32 c = 0; c < kRayClasses; ++c) {
            for (; first < end[c]; first += std::min(end[c] - first, kLanes)) {
                run_packet<kIsAny>(scene,
                                   ref,
                                   rays,
                                   sorted + first,
                                   std::min(end[c] - first, kLanes),
                                   c,
                                   counters);
            }
        }
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
