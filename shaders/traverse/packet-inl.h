// packet-inl.h — packet traversal: kLanes rays, one per lane, traverse the tree together.
//
// For coherent rays (camera rays, shadow rays to one light), and for every ray of the emulated
// device. Rays are binned by class, so that a packet's rays share the signs and the longest axis of
// their directions. The beam tests the eight boxes of a node at once (beam-inl.h); each child that
// it hits is tested again by all lanes. All lanes test one triangle of a leaf block at a time
// (lane_triangle-inl.h, packet_state-inl.h). Wald et al., "Interactive Rendering with Coherent Ray
// Tracing", 2001. The choice of kernel changes no hit.
#if defined(WEFT_SHADERS_PACKET_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PACKET_INL_H_
#        undef WEFT_SHADERS_PACKET_INL_H_
#    else
#        define WEFT_SHADERS_PACKET_INL_H_
#    endif

#    include <algorithm>
#    include <bit>

#    include "shaders/traverse/packet_state-inl.h"
#    include "shaders/traverse/traverse-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// With at most so many lanes the single-ray kernel takes over a subtree.
inline constexpr u32 kFewLanes = kStaysWhole ? 0 : 1;
// With at most so many lanes rays test a block one by one, against its four triangles at once.
inline constexpr u32 kFewInLeaf = kStaysWhole ? 0 : 2;

// Traverses a subtree of the world with single rays.
template <bool kIsAny>
HWY_NOINLINE void leave_packet(
    const TraceScene& scene, Packet& p, u32 ref, u32 lanes, TraceCounters& counters) {
    // Write the packet's hits back to the rays.
    write_rays<kIsAny>(p, lanes);
    // Traverse the subtree ray by ray, and read the hits again.
    for (; lanes != 0; lanes &= lanes - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(lanes));
        TraceCounters counted;
        run_single<kIsAny>(scene, ref, p.rays[p.slot[lane]], p.slot[lane], counted);
        counters.node_visits += counted.node_tests;
        counters.node_tests += counted.node_tests;
        counters.leaf_tests += counted.leaf_tests;
        read_ray<kIsAny>(p, lane);
    }
    update_reach(p);
}

// Counts a visit of the node `ref` by `lane_count` lanes.
HWY_INLINE void count_packet_visit(const BvhView& bvh,
                                   u32 ref,
                                   u32 lane_count,
                                   TraceCounters& counters) {
    ++counters.node_visits;
    counters.node_tests += lane_count;
    counters.rays_in_lists += lane_count > 1 ? lane_count : 0;
    counters.lanes_issued += kLanes;
    counters.lanes_active += lane_count;
    note_fetch_of(bvh, ref);
}

// Tests the children of a node that the beam met, `hits`. Returns the hit child to visit next (ref
// = kRefEmpty: none) and pushes the others: the nearest first for closest hits, in the node's order
// for any hits.
template <bool kIsAny>
HWY_INLINE PacketEntry step_to_children(const BvhView& bvh,
                                        const BvhNode& node,
                                        const BeamBoxes& boxes,
                                        u32 hits,
                                        const LaneSpace& s,
                                        Packet& p,
                                        u32 lanes) {
    // Test them by lane; keep those that are hit.
    PacketEntry hit[8];
    u32 count = 0;
    for (; hits != 0; hits &= hits - 1) {
        const u32 child = static_cast<u32>(std::countr_zero(hits));
        prefetch_ref(bvh, node.child[child]);
        const u32 taken = kMayHaveEye<kIsAny> && s.has_eye ? hit_seen_child(boxes, child, s, p.t)
                                                           : hit_child(node.bounds, child, s, p.t);
        hit[count] = {node.child[child], decide(taken, lanes, p.maybe_counted), boxes.entry[child]};
        count += hit[count].lanes != 0 ? 1 : 0;
    }
    if (count == 0) {
        return {kRefEmpty, 0, 0};
    }
    // Any hit: push them from the last to the second.
    if constexpr (kIsAny) {
        while (count > 1) {
            p.stack[p.stack_size++] = hit[--count];
        }
        return hit[0];
    }
    // Closest hit: insertion-sort them onto the stack; keep the nearest.
    PacketEntry nearest = hit[0];
    PacketEntry* const bottom = p.stack + p.stack_size;
    PacketEntry* top = bottom;
    for (u32 k = 1; k < count; ++k) {
        PacketEntry next = hit[k];
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

// Culls the children of a node with the beam, then tests the others.
template <bool kIsAny>
HWY_INLINE PacketEntry
step_packet_node(const BvhView& bvh, u32 index, const LaneSpace& s, Packet& p, u32 lanes) {
    const BvhNode& node = bvh.nodes[index];
    BeamBoxes boxes;
    const u32 hits = beam_children(node.bounds, s.is_negative, s.beam, p.t_max, boxes);
    return step_to_children<kIsAny>(bvh, node, boxes, hits, s, p, lanes);
}

// Intersects a block ray by ray: faster where few lanes are active.
template <bool kIsAny>
HWY_INLINE void step_packet_block_singly(
    const TraceScene& scene, const LeafBlock& block, const LaneSpace& s, Packet& p, u32 lanes) {
    // Write the packet's hits back to the rays.
    write_rays<kIsAny>(p, lanes);
    for (; lanes != 0; lanes &= lanes - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(lanes));
        // Copy the ray out of its lane.
        SlabRay slabs;
        ShearRay shear;
        for (u32 k = 0; k < 3; ++k) {
            slabs.near_origin[k] = s.near_origin[k][lane];
            slabs.far_origin[k] = s.far_origin[k][lane];
            slabs.reciprocal[k] = s.reciprocal[k][lane];
            shear.axis[k] = s.axis[k];
            shear.origin[k] = s.origin[k][lane];
            shear.shear[k] = s.shear[k][lane];
        }
        // Intersect it with the four triangles, and read its hit again.
        take_block<kIsAny>(scene,
                           block,
                           slabs,
                           shear,
                           s.instance,
                           s.start[lane],
                           p.rays[p.slot[lane]],
                           p.slot[lane]);
        read_ray<kIsAny>(p, lane);
    }
    update_reach(p);
}

// Offers the hits of triangle k to their rays. Returns the lanes that go on.
template <bool kIsAny>
HWY_INLINE u32 take_triangle(const TraceScene& scene,
                             const LeafBlock& block,
                             u32 k,
                             const LaneSpace& s,
                             Packet& p,
                             const LaneHits& found,
                             u32 lanes) {
    const u32 instance = s.instance == kNone ? block.instance[k] : s.instance;
    take_lanes<kIsAny>(
        scene, p, found, {0, 0, 0, instance, block.primitive[k], (block.flags >> k & 1) != 0});
    // Blocked shadow rays are dropped.
    return lanes & p.live;
}

// Intersects a block triangle by triangle, all lanes at once.
template <bool kIsAny>
HWY_INLINE void step_packet_block(
    const TraceScene& scene, const LeafBlock& block, const LaneSpace& s, Packet& p, u32 lanes) {
    bool is_changed = false;
    LaneHits found;
    if (kMayHaveEye<kIsAny> && s.has_eye) {
        EyeBlock seen;
        look_at_block(block, s, seen);
        for (u32 rest = seen.met; rest != 0; rest &= rest - 1) {
            const u32 k = static_cast<u32>(std::countr_zero(rest));
            hit_triangle(block, k, FromEye{seen, k}, s, p.t, lanes, p.maybe_counted, found);
            if (found.lanes != 0) {
                is_changed = true;
                take_triangle<kIsAny>(scene, block, k, s, p, found, lanes);
            }
        }
    } else {
        for (u32 rest = block.flags >> 8 & 15; rest != 0 && lanes != 0; rest &= rest - 1) {
            const u32 k = static_cast<u32>(std::countr_zero(rest));
            hit_triangle(block, k, FromOrigins{block, s, k}, s, p.t, lanes, p.maybe_counted, found);
            if (found.lanes != 0) {
                is_changed = true;
                lanes = take_triangle<kIsAny>(scene, block, k, s, p, found, lanes);
            }
        }
    }
    // Shorten the beam to the farthest t of its rays.
    if (is_changed) {
        update_reach(p);
    }
}

// At the root of a subtree in a page: returns it as the next entry, or none where the page is far
// and the lanes wait.
HWY_NOINLINE inline PacketEntry step_packet_page(const TraceScene& scene,
                                                 const LaneSpace& s,
                                                 Packet& p,
                                                 const PacketEntry& at) {
    const u32 index = at.ref & kRefIndex;
    const PageRoot& root = scene.bvh.page_roots[index];
    if (root.page == kNone || enter_page(scene.bvh.page_states[root.page])) {
        return {root.ref, at.lanes, at.entry};
    }
    const LaneInterval i = box_interval(root.bounds, s, load(p.t));
    float entry[kLanes];
    store(i.near, entry);
    for (u32 rest = decide(bits_of(i.near <= i.far), at.lanes, p.maybe_counted); rest != 0;
         rest &= rest - 1) {
        const u32 lane = static_cast<u32>(std::countr_zero(rest));
        wait_at(scene, {p.slot[lane], index, s.placement, entry[lane]});
    }
    return {kRefEmpty, 0, 0};
}

template <bool kIsAny>
void walk_packet(const TraceScene& scene,
                 const LaneSpace& s,
                 Packet& p,
                 u32 base,
                 PacketEntry at,
                 TraceCounters& counters);

// Traverses a placement: transforms the rays to object space, then runs one packet per class there.
template <bool kIsAny>
HWY_NOINLINE void step_packet_instance(const TraceScene& scene,
                                       u32 index,
                                       const LaneSpace& world,
                                       Packet& p,
                                       u32 lanes,
                                       TraceCounters& counters) {
    // Keep the lanes that hit the placement's world box.
    const Placement& placement = scene.bvh.placements[index];
    const LaneInterval i = box_interval(placement.bounds, world, load(p.t));
    lanes = decide(bits_of(i.near <= i.far), lanes, p.maybe_counted);
    if (lanes == 0) {
        return;
    }
    // Transform the rays to object space.
    const LaneRays rays = load_rays<kIsAny>(p.rays, p.slot).lanes;
    LaneRays local;
    const auto& rows = placement.to_object;
    const Float o[3] = {rays.origin[0] - Float(rows[0][3]),
                        rays.origin[1] - Float(rows[1][3]),
                        rays.origin[2] - Float(rows[2][3])};
    const Float* d = rays.direction;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float* m = rows[axis];
        local.origin[axis] = (Float(m[0]) * o[0] + Float(m[1]) * o[1]) + Float(m[2]) * o[2];
        local.direction[axis] = (Float(m[0]) * d[0] + Float(m[1]) * d[1]) + Float(m[2]) * d[2];
        local.reciprocal[axis] = reciprocal_of(local.direction[axis]);
    }
    // Split the lanes by class and traverse the mesh's tree with each.
    const Uint classes = classes_of(local.direction, local.reciprocal);
    u32 class_of_lane[kLanes];
    store(classes, class_of_lane);
    while (lanes != 0) {
        const u32 ray_class = class_of_lane[std::countr_zero(lanes)];
        const u32 same = decide(bits_of(classes == Uint(ray_class)), lanes, p.maybe_counted);
        lanes &= ~same;
        LaneSpace space;
        prepare_beam(local, ray_class, Bool::of_bits(same), kMayHaveEye<kIsAny>, space);
        prepare_rows(local, ray_class, Bool::of_bits(same), space);
        store(i.near, space.start);
        space.instance = placement.instance;
        space.placement = index;
        walk_packet<kIsAny>(scene, space, p, p.stack_size, {placement.root, same, 0}, counters);
        if (kIsAny) {
            lanes &= p.live;
        }
    }
}

// Traverses the subtree of `at`, then what lies above the first `base` entries of the stack: those
// belong to the caller.
template <bool kIsAny>
void walk_packet(const TraceScene& scene,
                 const LaneSpace& s,
                 Packet& p,
                 u32 base,
                 PacketEntry at,
                 TraceCounters& counters) {
    for (;;) {
        // Count the lanes that hit the entry's box.
        const u32 lane_count = static_cast<u32>(std::popcount(at.lanes));
        const u32 kind = at.ref & kRefKind;
        PacketEntry next = {kRefEmpty, 0, 0};
        // Few lanes leave the packet; others visit the node, block or placement together.
        if (lane_count <= kFewLanes && s.instance == kNone && kind != kRefLeaf) {
            leave_packet<kIsAny>(scene, p, at.ref, at.lanes, counters);
        } else if (kind == kRefNode) {
            count_packet_visit(scene.bvh, at.ref, lane_count, counters);
            next = step_packet_node<kIsAny>(scene.bvh, at.ref & kRefIndex, s, p, at.lanes);
        } else if (kind == kRefLeaf) {
            counters.leaf_tests += lane_count;
            counters.lanes_issued += kLanes;
            counters.lanes_active += lane_count;
            note_fetch_of(scene.bvh, at.ref);
            const LeafBlock& block = scene.bvh.blocks[at.ref & kRefIndex];
            if (lane_count <= kFewInLeaf) {
                step_packet_block_singly<kIsAny>(scene, block, s, p, at.lanes);
            } else {
                step_packet_block<kIsAny>(scene, block, s, p, at.lanes);
            }
        } else if (kind == kRefInstance) {
            note_fetch_of(scene.bvh, at.ref);
            step_packet_instance<kIsAny>(scene, at.ref & kRefIndex, s, p, at.lanes, counters);
        } else {
            next = step_packet_page(scene, s, p, at);
        }
        // Pop the next entry; drop lanes whose hit is nearer than its box.
        while (next.ref == kRefEmpty) {
            if (p.stack_size == base) {
                return;
            }
            next = p.stack[--p.stack_size];
            next.lanes = decide(
                bits_of(Float(next.entry) <= load(p.t)), next.lanes & p.live, p.maybe_counted);
            if (next.lanes == 0) {
                next.ref = kRefEmpty;
            }
        }
        at = next;
    }
}

// Traverses with one packet: rays ids[0 .. count), all of `ray_class`. `ids` has kLanes entries,
// and the spare ones repeat the first.
template <bool kIsAny>
HWY_INLINE void run_packet(
    const PacketRun& run, const u32* ids, u32 count, LoadedRays& loaded, u32 ray_class) {
    // Leave if no ray is live.
    const u32 live = live_lanes<kIsAny>(count, loaded);
    if (live == 0) {
        return;
    }
    // Bound the rays. Camera rays that miss all children of the root, as many do beside a model,
    // leave before anything else is prepared.
    const Bool where = Bool::of_bits(live);
    LaneSpace s;
    prepare_beam(loaded.lanes, ray_class, where, kMayHaveEye<kIsAny>, s);
    const bool starts_at_children = kMayHaveEye<kIsAny> && (run.ref & kRefKind) == kRefNode;
    const BvhView& bvh = run.scene.bvh;
    BeamBoxes boxes;
    u32 hits = 0;
    if (starts_at_children) {
        const float reach = highest_where(where, loaded.t);
        hits = beam_children(bvh.nodes[run.ref].bounds, s.is_negative, s.beam, reach, boxes);
        count_packet_visit(bvh, run.ref, static_cast<u32>(std::popcount(live)), run.counters);
        if (hits == 0) {
            return;
        }
    }
    // Open the packet, and prepare the rays in world space.
    Packet p;
    open_packet<kIsAny>(p, run, ids, live, loaded);
    prepare_rows(loaded.lanes, ray_class, where, s);
    store(Float(0.0f), s.start);
    s.instance = kNone;
    s.placement = kNone;
    // Traverse from the root, or from its children.
    PacketEntry at = {run.ref, live, 0};
    if (starts_at_children) {
        at = step_to_children<kIsAny>(bvh, bvh.nodes[run.ref], boxes, hits, s, p, live);
        if (at.ref == kRefEmpty) {
            return;
        }
    }
    walk_packet<kIsAny>(run.scene, s, p, 0, at, run.counters);
    // Write the hits back to the rays.
    write_rays<kIsAny>(p, ~0u);
}

// Rays binned by class, until a packet of one class is full.
struct WaitingRays {
    u32 count[kRayClasses];
    u32 ids[kRayClasses][kLanes];
};

template <bool kIsAny>
HWY_NOINLINE void run_waiting(const PacketRun& run, WaitingRays& waiting, u32 ray_class) {
    // Fill the spare lanes with the first ray, and run the packet.
    u32* const ids = waiting.ids[ray_class];
    const u32 count = waiting.count[ray_class];
    std::fill(ids + count, ids + kLanes, ids[0]);
    LoadedRays loaded = load_rays<kIsAny>(run.rays, ids);
    run_packet<kIsAny>(run, ids, count, loaded, ray_class);
    waiting.count[ray_class] = 0;
}

// Traverses with packets of one class. kLanes consecutive rays form a packet where their
// classes agree; other rays wait in bins.
template <bool kIsAny>
HWY_NOINLINE void run_packets(const PacketRun& run, const u32* ids, u32 count) {
    if (run.ref == kRefEmpty) {
        return;
    }
    WaitingRays waiting;
    std::fill_n(waiting.count, kRayClasses, 0u);
    // Whole registers of rays: run them at once, or bin them by class.
    u32 first = 0;
    for (; first + kLanes <= count; first += kLanes) {
        LoadedRays loaded = load_rays<kIsAny>(run.rays, ids + first);
        const Uint classes = classes_of(loaded.lanes.direction, loaded.lanes.reciprocal);
        // Rays of one class run at once.
        if (is_uniform(classes)) {
            run_packet<kIsAny>(run, ids + first, kLanes, loaded, first_lane(classes));
            continue;
        }
        // Others wait in the bins of their classes; a full bin runs.
        u32 class_of_lane[kLanes];
        store(classes, class_of_lane);
        for (u32 k = 0; k < kLanes; ++k) {
            const u32 ray_class = class_of_lane[k];
            waiting.ids[ray_class][waiting.count[ray_class]++] = ids[first + k];
            if (waiting.count[ray_class] == kLanes) {
                run_waiting<kIsAny>(run, waiting, ray_class);
            }
        }
    }
    // Bin the remaining rays one by one.
    for (; first < count; ++first) {
        const TraceRay& ray = run.rays[ids[first]];
        const u32 ray_class = class_of(ray.direction, ray.reciprocal);
        waiting.ids[ray_class][waiting.count[ray_class]++] = ids[first];
        if (waiting.count[ray_class] == kLanes) {
            run_waiting<kIsAny>(run, waiting, ray_class);
        }
    }
    // Run the bins that are not empty.
    for (u32 ray_class = 0; ray_class < kRayClasses; ++ray_class) {
        if (waiting.count[ray_class] != 0) {
            run_waiting<kIsAny>(run, waiting, ray_class);
        }
    }
}

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
