#include "scheduler/fibre/packet_policy.h"

#include <algorithm>
#include <cmath>

#include "scheduler/base/ensure.h"

namespace weft::fibre {

namespace {

// Above every standing: push orders stay below 2^60.
constexpr double kOverdue = 0x1p80;
// A policy's ties go to the older; a wait of kAgeBound weighs less than one fibre or one push.
constexpr double kTieGain = 0.5 / static_cast<double>(kAgeBound);

// A packet for a cluster with full memory precedes one that is fuller by half a packet_fill.
constexpr double kPressureWeight = 0.5;

// Half-way between the mean and the most urgent fibre (F11).
float representative(const CollectionView& collection) {
    return 0.5f * (collection.mean_priority + collection.max_priority);
}

}  // namespace

double bounded_priority(float priority) {
    const double wide = static_cast<double>(priority);
    return wide / (1.0 + std::fabs(wide));
}

double urgency(float priority, u64 arrival) {
    return bounded_priority(priority) - age_gain(Policy::Balanced) * static_cast<double>(arrival);
}

double standing(Policy policy, const CollectionView& collection) {
    switch (policy) {
        case Policy::DepthFirst:
            return static_cast<double>(collection.push_order);
        case Policy::Fullest:
            return static_cast<double>(collection.fibre_count);
        case Policy::Oldest:
            return 0;
        case Policy::Priority:
            return static_cast<double>(representative(collection));
        case Policy::Balanced: {
            const double fill = std::max(1.0, static_cast<double>(collection.packet_fill));
            const double fullness = static_cast<double>(collection.fibre_count) / fill;
            return std::min(fullness, 4.0) + bounded_priority(representative(collection)) +
                   kPressureWeight * static_cast<double>(collection.pressure);
        }
    }
    UNREACHABLE("a policy without a standing");
}

double age_gain(Policy policy) {
    switch (policy) {
        case Policy::DepthFirst:
        case Policy::Fullest:
            return kTieGain;
        case Policy::Oldest:
            return 1;
        case Policy::Priority:
            return 1.0 / 1024;  // waiting through 1024 packets is worth one unit of priority
        case Policy::Balanced:
            return 1.0 / 256;  // or through 256 one full packet
    }
    UNREACHABLE("a policy without an age gain");
}

double score(Policy policy, const CollectionView& collection) {
    const double age = static_cast<double>(collection.age_packets);
    if (collection.age_packets > kAgeBound) {
        return kOverdue * (1.0 + age);
    }
    return standing(policy, collection) + age_gain(policy) * age;
}

std::string_view policy_name(Policy policy) {
    switch (policy) {
        case Policy::DepthFirst:
            return "depth_first";
        case Policy::Fullest:
            return "fullest";
        case Policy::Oldest:
            return "oldest";
        case Policy::Priority:
            return "priority";
        case Policy::Balanced:
            return "balanced";
    }
    UNREACHABLE("a policy without a name");
}

}  // namespace weft::fibre
