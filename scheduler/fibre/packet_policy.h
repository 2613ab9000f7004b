// packet_policy.h — which collection leaves next (F11): a pure decision over a few numbers per collection.
#pragma once

#include <string_view>

#include "scheduler/base/ids.h"

namespace weft::fibre {

enum class Policy : u32 {
    DepthFirst,  // the list pushed last: deepest key first, memory bounded
    Fullest,     // most fibres
    Oldest,      // longest wait
    Priority,    // highest representative priority
    Balanced,    // fullness, priority and age together
};

// What a policy sees of a collection.
struct CollectionView {
    u32 fibre_count = 0;
    float mean_priority = 0;
    float max_priority = 0;
    u64 age_packets = 0;  // packets run since its first fibre arrived
    u64 push_order = 0;   // rising number of its last push
    u32 packet_fill = 64;
};

// Larger leaves first. Waiting raises every policy's score without bound, so nothing starves (F14): see kAgeBound.
double score(Policy policy, const CollectionView& collection);

std::string_view policy_name(Policy policy);  // "depth_first", "fullest", ...

}  // namespace weft::fibre
