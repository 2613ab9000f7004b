#include "engine/trace/traversal_strategies.h"

#include <array>

namespace weft::trace {

namespace {

// Candidates by mode and class, the likeliest first. Camera rays were never fastest as streams or
// groups when measured.
constexpr std::array kKeyedCoherent = {TraversalStrategy::WidePackets, TraversalStrategy::Sets};
constexpr std::array kKeyedScattered = {TraversalStrategy::Sets,
                                        TraversalStrategy::Stream,
                                        TraversalStrategy::Packets,
                                        TraversalStrategy::Groups};
// Any hits were never fastest as streams or groups when measured (tests/bench/notebook/rays.md).
constexpr std::array kKeyedAnyHit = {TraversalStrategy::Sets, TraversalStrategy::Packets};
constexpr std::array kUnkeyedCoherent = {TraversalStrategy::WidePackets, TraversalStrategy::Groups};
constexpr std::array kUnkeyedScattered = {TraversalStrategy::Groups, TraversalStrategy::Packets};
// Without tuning.
constexpr std::array kKeyedFixed = {TraversalStrategy::Stream};
constexpr std::array kSetsFixed = {TraversalStrategy::Sets};
constexpr std::array kUnkeyedFixed = {TraversalStrategy::Groups};

}  // namespace

std::span<const TraversalStrategy> strategies_of(const StrategyChoices& choices,
                                                 RayClass ray_class) {
    using List = std::span<const TraversalStrategy>;
    const bool is_coherent = ray_class == RayClass::Coherent;
    if (choices.mode == SchedulerMode::Unkeyed) {
        return !choices.is_adaptive ? List(kUnkeyedFixed)
               : is_coherent        ? List(kUnkeyedCoherent)
                                    : List(kUnkeyedScattered);
    }
    if (choices.mode == SchedulerMode::Keyed && choices.traversal == KeyedTraversal::Sets) {
        return kSetsFixed;
    }
    if (choices.mode == SchedulerMode::Embree || !choices.is_adaptive ||
        choices.traversal == KeyedTraversal::Nodes) {
        return kKeyedFixed;
    }
    return is_coherent          ? List(kKeyedCoherent)
           : choices.is_any_hit ? List(kKeyedAnyHit)
                                : List(kKeyedScattered);
}

}  // namespace weft::trace
