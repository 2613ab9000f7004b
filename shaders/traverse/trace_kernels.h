// trace_kernels.h — traversal kernels, one row per instruction set.
//
// What a hit is (the same in every kernel, tree and order; see shaders/README.md "Hits"):
//   1. The edge test of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013:
//      vertices relative to the origin are sheared so that the ray is the z axis; an edge function
//      then has the right sign or is zero, and zero counts as inside. Nothing is fused: every
//      instruction set has the same hits, bit by bit.
//   2. t is clamped to the ray's interval with the triangle's own box (an empty one is no hit) and
//      then, in a placement, raised to the start of the interval with the instance's world box (an
//      empty one is no hit either). Boxes and origins are widened by 2⁻²⁰ of their coordinates,
//      which is more than all rounding.
//   3. 0 < t ≤ the ray's t; the nearest wins, ties by lowest (instance, primitive); (instance,
//      primitive) equal to the ray's self is ignored.
//   4. Hits on a flagged triangle are filtered: clip planes reject by the hit's point
//      (clip_planes.h), alpha by a hash compared with alpha (texel_lookup.h).
// Since every node's box contains its triangles' boxes and the interval is monotone in the bounds,
// no tree can cull a hit that counts: a hit is a function of (ray, instance, primitive) alone.
#pragma once

#include <cmath>

#include "scheduler/base/ids.h"
#include "shaders/host/path_view.h"
#include "shaders/host/scene_view.h"
#include "shaders/host/shade_kernels.h"
#include "shaders/traverse/bvh_view.h"
#include "shaders/traverse/decoded_node.h"

namespace weft::shaders {

// 1 / d, and ±1e18 where |d| < 1e-18 (an axis that the ray runs parallel to; zero of either sign
// counts as positive). Never zero, infinite or NaN for a sensible direction, so a product with a
// finite difference is not NaN either.
inline float safe_reciprocal(float d) {
    return std::fabs(d) < 1e-18f ? (d < 0 ? -1e18f : 1e18f) : 1.0f / d;
}

// Keys of alpha decisions by slot: the hash of (pixel, sample, seed, depth). Kernels mix in the
// kind of ray.
class AlphaKeys {
public:
    AlphaKeys() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): most callers have an array of keys.
    AlphaKeys(const u32* keys) : first_(keys), stride_(1) {}

    // Null is allowed where no ray is traced (a device has its own records).
    explicit AlphaKeys(const PathRecord* records)
        : first_(records == nullptr ? nullptr : &records->alpha_key),
          stride_(sizeof(PathRecord) / sizeof(u32)) {}

    u32 operator[](u32 slot) const { return first_[u64{slot} * stride_]; }

private:
    const u32* first_ = nullptr;
    u32 stride_ = 0;
};

// A ray that waits for a page: to be traversed from a page root on, in a placement or in the world.
struct PageWait {
    u32 slot;
    u32 root;       // index of the page root
    u32 placement;  // index; kNone: the world
    float entry;    // t at which the ray enters the page root's box
};

// Where a kernel records waiting rays, each (ray, root, placement) once. A count beyond the
// capacity says that some were lost: the caller has the rays traverse again.
struct PageWaits {
    PageWait* items = nullptr;
    u32 count = 0;
    u32 capacity = 0;
};

// The tree, and the tables that flagged triangles need.
struct TraceScene {
    BvhView bvh;
    const SceneView* scene;  // for alpha and tint
    AlphaKeys alpha_keys;
    u32* shadow_tints;  // three per slot: sums of round(−log2(W) · 2²⁰) along the shadow ray,
                        // saturating, independent of order; the kernel that starts the ray zeroes
                        // them; null: no material tints
    PageWaits* waits = nullptr;           // for a tree with pages
    ShadowMedia* shadow_media = nullptr;  // one per slot: boundaries of media that the shadow ray
                                          // passes; null: they block it
};

// Counted by the traversal kernels.
struct TraceCounters {
    u64 node_visits =
        0;               // nodes fetched: once per list, set or packet, and once per ray of a group
    u64 node_tests = 0;  // ray × node
    u64 leaf_tests = 0;  // ray × block
    u64 rays_in_lists = 0;  // ray × node tests that shared a fetch
    u64 lanes_issued = 0;   // places in groups, rows of sets and lanes of packets, filled or not
    u64 lanes_active = 0;
    DivergenceCounters divergence;  // of the device's kernels
};

// The result of a visit: for each child of the decoded node the slots of the rays that hit it and
// their entry distances, `count[c]` of them. The caller owns the memory: each row has room for the
// whole list and kListSlack more, which a visit may overwrite. Children are in the order of the
// decoded node: far to near.
inline constexpr u32 kListSlack = 32;

struct ChildLists {
    u32* ids[8];
    float* entry[8];
    u32 count[8];
};

struct TraceKernels {
    // Finds closest hits in the subtree of `ref` (any kind of reference, in the world) for the rays
    // `ids` (indices into `rays`), as a group of interleaved fibres: one step, prefetch, switch.
    // Rays start with primitive = kNone.
    void (*closest_group)(const TraceScene& scene,
                          u32 ref,
                          TraceRay* rays,
                          const u32* ids,
                          u32 count,
                          TraceCounters& counters);
    // Any hit, for shadow rays. In: (instance, primitive) of the ray name the triangle that it ends
    // on, which is ignored as well; kNone: none. Out: t = −1 where the ray is blocked (it then hits
    // no box any more), else unchanged. Panes that the ray passes add their tint to shadow_tints.
    // (instance, primitive, u, v) are never written.
    void (*any_group)(const TraceScene& scene,
                      u32 ref,
                      TraceRay* rays,
                      const u32* ids,
                      u32 count,
                      TraceCounters& counters);
    // The same with one ray per lane (packet-inl.h), for coherent rays.
    void (*closest_packet)(const TraceScene& scene,
                           u32 ref,
                           TraceRay* rays,
                           const u32* ids,
                           u32 count,
                           TraceCounters& counters);
    void (*any_packet)(const TraceScene& scene,
                       u32 ref,
                       TraceRay* rays,
                       const u32* ids,
                       u32 count,
                       TraceCounters& counters);
    // closest_packet with 32 rays in several registers, for camera rays: one beam test of a node's
    // children serves more rays. SSE4 has none and takes closest_packet.
    void (*closest_wide)(const TraceScene& scene,
                         u32 ref,
                         TraceRay* rays,
                         const u32* ids,
                         u32 count,
                         TraceCounters& counters);
    // One visit of the keyed stream: tests a node of the world, decoded for the list's octant,
    // against every ray of the list. Leaf blocks and placements go to a walk instead.
    void (*closest_visit)(const TraceScene& scene,
                          const DecodedNode& node,
                          TraceRay* rays,
                          const u32* ids,
                          u32 count,
                          ChildLists& children,
                          TraceCounters& counters);
    void (*any_visit)(const TraceScene& scene,
                      const DecodedNode& node,
                      TraceRay* rays,
                      const u32* ids,
                      u32 count,
                      ChildLists& children,
                      TraceCounters& counters);
    // Traverses the subtree of `ref` with a list of rays of one octant, as sets of 32 rays that
    // share a stack and every node they fetch (set_walk-inl.h). On the device as packets.
    void (*closest_walk)(const TraceScene& scene,
                         u32 ref,
                         u32 octant,
                         TraceRay* rays,
                         const u32* ids,
                         u32 count,
                         TraceCounters& counters);
    void (*any_walk)(const TraceScene& scene,
                     u32 ref,
                     u32 octant,
                     TraceRay* rays,
                     const u32* ids,
                     u32 count,
                     TraceCounters& counters);
    // Traverses the subtree of `ref` of a placement's mesh, below which no page lies, with rays of
    // any class: in sets where enough of them share a class in object space, else one by one. On
    // the device as packets.
    void (*closest_placed)(const TraceScene& scene,
                           u32 placement,
                           u32 ref,
                           TraceRay* rays,
                           const u32* ids,
                           u32 count,
                           TraceCounters& counters);
    void (*any_placed)(const TraceScene& scene,
                       u32 placement,
                       u32 ref,
                       TraceRay* rays,
                       const u32* ids,
                       u32 count,
                       TraceCounters& counters);
};

// The kernels of one instruction set, or nullptr where this machine cannot run it.
const TraceKernels* trace_kernels(Isa isa);

// The same at 32 lanes, for the emulated device: groups and walks are packets there, visits test 32
// rays at once, and branches are counted. nullptr for Sse4 and where this machine cannot run it.
const TraceKernels* device_trace_kernels(Isa isa);

// Most levels of nodes on a ray's path, TLAS and BLAS together: kernels size their stacks by it,
// and engine/accel builds no deeper tree.
inline constexpr u32 kMaxTreeLevels = 52;

}  // namespace weft::shaders
