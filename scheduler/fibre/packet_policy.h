// packet_policy.h — which collection leaves next (F11): a pure decision over a few numbers per
// collection.
#pragma once

#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::fibre {

enum class Policy : u32 {
    DepthFirst,  // the list pushed last: deepest key first, memory bounded
    Fullest,     // most fibres
    Oldest,      // longest wait
    Priority,    // highest representative priority
    Balanced,    // fullness, priority, age and pressure on local memory together
};

// What a policy sees of a collection.
struct CollectionView {
    u32 fibre_count = 0;
    float mean_priority = 0;
    float max_priority = 0;
    float pressure = 0;   // how full the clusters of its fibres are, [0, 1]: their mean
    u64 age_packets = 0;  // packets run since its first fibre arrived
    u64 push_order = 0;   // rising number of its last push
    u32 packet_fill = 64;
};

// Up to this age a policy decides by what it is named for; beyond it the oldest leaves first
// whatever the policy says. 16384 packets of 64 fibres at 100 ns per fibre are a tenth of a second.
inline constexpr u64 kAgeBound = 16384;

// The score is standing + age_gain · age, and beyond kAgeBound the age alone on top of every
// standing. Both parts are named, because what is waiting can be kept in order by standing −
// age_gain · (time of arrival), whatever the time is.
double standing(Policy policy, const CollectionView& collection);
double age_gain(Policy policy);

// Larger leaves first. Waiting raises every policy's score without bound, so nothing starves (F14):
// see kAgeBound.
double score(Policy policy, const CollectionView& collection);

// A priority squeezed into (-1, 1), order kept, so that no priority can outweigh every wait.
double bounded_priority(float priority);

// Orders single waiting things of one kind at any time (packets, lists, buffered fibres, parents
// put aside): bounded priority, raised with every packet waited. Larger is more urgent.
double urgency(float priority, u64 arrival);

std::string_view policy_name(Policy policy);  // "depth_first", "fullest", ...

}  // namespace weft::fibre
