// device_match.h — matches an application's requirements with capability records: groups of
// devices, best first, with reasons (R2).
//
// Pure: takes records, returns groups. A logical device is made from a group; all members have an
// instruction set of one arithmetic class, so that splitting work changes no bit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/compute/capability.h"

namespace weft::compute {

// An application's requirements; default values require nothing.
struct Requirements {
    std::optional<DeviceType> type;
    std::vector<std::string> names;  // of devices: exactly these; empty: any
    std::string arithmetic_class;    // every member has an instruction set of it
    std::string instruction_set;     // every member has this one
    u32 least_lanes = 1;             // of the instruction set that is used
    u32 least_units = 1;
    u64 least_memory_bytes = 0;        // of each member
    u64 least_local_memory_bytes = 0;  // of each member's units
    bool needs_double = false;
    bool needs_images = false;
    std::vector<std::string> extensions;
    bool may_split = false;  // groups of several devices are offered too
};

// The verdict on one device.
struct Verdict {
    bool is_match = false;
    double score = 0;  // lanes that run at once, weighed by their speed
    std::string set;   // the instruction set that counted
    std::string arithmetic_class;
    std::string reason;  // how the score is made up, or what is missing
};

Verdict judge(const Requirements& requirements, const Capability& capability);

struct MatchGroup {
    std::vector<u32> members;  // places in the span of records, rising
    double score = 0;
    std::string arithmetic_class;
    std::string reason;
};

// Best first; among equals fewer members first, then lower places. A group of emulated devices
// alone comes after all others: it computes on a processor that would serve by itself. Empty: none
// matches, and the verdicts say why.
std::vector<MatchGroup> match_groups(const Requirements& requirements,
                                     const std::vector<const Capability*>& records);

}  // namespace weft::compute
