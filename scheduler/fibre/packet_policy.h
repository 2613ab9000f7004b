// packet_policy.h — scores collections to choose the one that leaves next (F11). Pure.
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

// The properties of a collection that a policy reads.
struct CollectionView {
    u32 fibre_count = 0;
    float mean_priority = 0;
    float max_priority = 0;
    float pressure = 0;   // mean pressure on the local memory of its fibres' clusters, [0, 1]
    u64 age_packets = 0;  // packets run since its first fibre arrived
    u64 push_order = 0;   // rising number of its last push
    u32 packet_fill = 64;
};

// Beyond this age, in packets, the oldest collection leaves first under every policy. 16384 packets
// of 64 fibres at 100 ns per fibre take a tenth of a second.
inline constexpr u64 kAgeBound = 16384;

// The score is standing + age_gain · age; beyond kAgeBound the age alone, above every standing. The
// two parts are separate because standing − age_gain · (time of arrival) orders waiting collections
// the same way at any time.
double standing(Policy policy, const CollectionView& collection);
double age_gain(Policy policy);

// The larger score leaves first. Waiting raises every score without bound, so nothing starves
// (F14).
double score(Policy policy, const CollectionView& collection);

// Maps a priority monotonically into (-1, 1), so that no priority outweighs every wait.
double bounded_priority(float priority);

// Orders waiting packets, lists, buffered fibres or paused parents among their kind: the bounded
// priority, raised with every packet of waiting. Larger is more urgent.
double urgency(float priority, u64 arrival);

std::string_view policy_name(Policy policy);  // "depth_first", "fullest", ...

}  // namespace weft::fibre
