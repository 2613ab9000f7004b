// traversal_strategies.h — the strategies by which a batch of rays may traverse the tree, by mode
// and class of rays. No strategy changes a hit.
#pragma once

#include <span>

namespace weft::trace {

enum class SchedulerMode {
    Keyed,    // rays by the fastest strategy, sets and streams included; shading keyed by material
    Unkeyed,  // rays as packets or groups, shading in order of arrival: the control
    Embree,   // Embree traces closest and shadow rays; shading as keyed
};

// How keyed rays traverse a tree in memory. The hits are the same.
enum class KeyedTraversal {
    Auto,   // by the strategy that is fastest when measured
    Sets,   // keys stay at the root: sets in one kernel call
    Nodes,  // lists keyed by tree node, down to short ones
};

// Rays of one batch should be alike: each class has its own batches and its own tuner.
enum class RayClass {
    Scattered,
    Coherent,  // camera rays, in order of pixels
};

// How a batch traverses the tree.
enum class TraversalStrategy {
    Packets,      // one ray per lane from the root
    WidePackets,  // of camera rays: 32 in several registers
    Groups,       // one ray at a time, 24 traversals interleaved, from the root
    Sets,    // sets of 32 rays of one octant that share a stack, in one kernel call, from the root
    Stream,  // lists keyed by node; the scheduler chooses which list visits its node next
};

// What decides which strategies are tried.
struct StrategyChoices {
    SchedulerMode mode;
    KeyedTraversal traversal;
    bool is_adaptive;
    bool is_any_hit;
};

// The candidates, the likeliest first; one at least.
std::span<const TraversalStrategy> strategies_of(const StrategyChoices& choices,
                                                 RayClass ray_class);

}  // namespace weft::trace
