// trace_kernels.h — traversal kernels, one row per instruction set.
//
// What a hit is (the same in every kernel, tree and order; see shaders/README.md "Hits"):
//   1. The edge test of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2013:
//      vertices relative to the origin are sheared so that the ray is the z axis; an edge's number
//      then has the right sign or is zero, and zero counts as inside. Nothing is fused: every
//      instruction set has the same hits, bit by bit.
//   2. t is clamped to the ray's interval with the triangle's own box (an empty one is no hit) and
//      then, in a placement, raised to the start of the interval with the instance's world box (an
//      empty one is no hit either). Boxes and origins are widened by 2⁻²⁰ of their coordinates,
//      which is more than all rounding.
//   3. 0 < t ≤ the ray's t; the nearest wins, ties by lowest (instance, primitive); (instance,
//      primitive) equal to the ray's self is ignored.
//   4. A triangle flagged in its block is asked about: clip planes reject by the hit's point
//      (clip_planes.h), alpha decisions are a hash against alpha (texel_lookup.h).
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

// By slot: the hash of (pixel, sample, seed, depth); kernels mix in the kind of ray.
class AlphaKeys {
public:
    AlphaKeys() = default;

    // NOLINTNEXTLINE(google-explicit-constructor): a row of keys is what most callers have.
    AlphaKeys(const u32* keys) : first_(keys), stride_(1) {}

    // Null where nobody traces (a device has its own records).
    explicit AlphaKeys(const PathRecord* records)
        : first_(records == nullptr ? nullptr : &records->alpha_key),
          stride_(sizeof(PathRecord) / sizeof(u32)) {}

    u32 operator[](u32 slot) const { return first_[u64{slot} * stride_]; }

private:
    const u32* first_ = nullptr;
    u32 stride_ = 0;
};

// What traversal needs beside the tree.
struct TraceScene {
    BvhView bvh;
    const SceneView* scene;  // for alpha and tint
    AlphaKeys alpha_keys;
    u32* shadow_tints;  // three per slot: sums of round(−log2(W) · 2²⁰) along the shadow ray
                        // (order-free, saturating); zeroed by whoever starts the ray
};

// Counted by the traversal kernels.
struct TraceCounters {
    u64 node_visits = 0;  // nodes fetched: once per list in a keyed visit, once per ray in a group,
                          // once per packet
    u64 node_tests = 0;   // ray × node
    u64 leaf_tests = 0;   // ray × block
    u64 rays_in_lists = 0;  // ray × node tests that shared a fetch
    u64 lanes_issued = 0;   // fibre places of groups and lanes of packets, filled or not
    u64 lanes_active = 0;
    DivergenceCounters divergence;  // of the device's kernels
};

// A list of fibres at one node after a visit, for each child of the decoded node: ids and entry
// distances, `count[c]` of them. The caller owns the memory: each row has room for the list and
// kListSlack more, which a visit may write over. Children are in the order of the node: far to
// near.
inline constexpr u32 kListSlack = 32;

struct ChildLists {
    u32* ids[8];
    float* entry[8];
    u32 count[8];
};

struct TraceKernels {
    // Runs the fibres `ids` (indices into rays) from `ref` (of any kind, in the world) to the end
    // of that subtree, as a group of interleaved fibres: one node per turn, prefetch, switch. From
    // the root this is the unkeyed mode. Rays start with primitive = kNone.
    void (*closest_group)(const TraceScene& scene,
                          u32 ref,
                          TraceRay* rays,
                          const u32* ids,
                          u32 count,
                          TraceCounters& counters);
    // Any hit for shadow rays. In: (instance, primitive) of the ray name the triangle it ends on
    // (ignored too), kNone: none. Out: t = −1 where blocked (which also ends every further visit of
    // that ray), unchanged where open; what tints the ray is added to shadow_tints. (instance,
    // primitive, u, v) are never written.
    void (*any_group)(const TraceScene& scene,
                      u32 ref,
                      TraceRay* rays,
                      const u32* ids,
                      u32 count,
                      TraceCounters& counters);
    // The same with one ray per lane: for lists whose rays go the same way.
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
    // One visit of the keyed stream: a node of the world (leaves and instances go to a group),
    // decoded for the list's octant, is tested against each ray.
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
    // A list of rays of one octant, from `ref` to the end of its subtree: 32 at a time, who share a
    // stack and each node they fetch (set_walk-inl.h). On the device as packets.
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
};

// The kernels of one instruction set, or nullptr where this machine cannot run it.
const TraceKernels* trace_kernels(Isa isa);

// The same at 32 lanes, for the emulated device: groups and packets are one thing there, visits
// test 32 rays at once, and branches are counted. nullptr for Sse4 and where this machine cannot
// run it.
const TraceKernels* device_trace_kernels(Isa isa);

// Levels of nodes that a ray can be under at once, world tree and mesh tree together: kernels keep
// room for them, and no deeper tree is built.
inline constexpr u32 kMaxTreeLevels = 52;

}  // namespace weft::shaders
