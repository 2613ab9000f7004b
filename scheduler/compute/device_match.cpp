#include "scheduler/compute/device_match.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace weft::compute {

namespace {

// Work in step over several devices costs something: a group counts a little less than its sum.
constexpr double kGroupShare = 0.95;

std::string amount(double value) {
    char text[32];
    static_cast<void>(std::snprintf(text, sizeof text, "%.4g", value));
    return text;
}

std::string mebibytes(u64 bytes) {
    return std::to_string(bytes >> 20) + " MiB";
}

// The instruction set of a device that serves; nullptr with what is missing.
const InstructionSet* serving_set(const Requirements& needs,
                                  const Capability& has,
                                  std::string& missing) {
    if (!needs.instruction_set.empty()) {
        const InstructionSet* const set = has.find_set(needs.instruction_set);
        if (!set) {
            missing = "it does not run " + needs.instruction_set;
        } else if (!needs.arithmetic_class.empty() &&
                   set->arithmetic_class != needs.arithmetic_class) {
            missing = needs.instruction_set + " is of the arithmetic class " +
                      set->arithmetic_class + ", expected " + needs.arithmetic_class;
            return nullptr;
        }
        return set;
    }
    const InstructionSet* const set = has.best_set(needs.arithmetic_class);
    if (!set) {
        missing = needs.arithmetic_class.empty()
                      ? "it runs no instruction set of ours"
                      : "it runs nothing of the arithmetic class " + needs.arithmetic_class;
    }
    return set;
}

// What a device lacks; empty where it has all.
std::string lacking(const Requirements& needs, const Capability& has, const InstructionSet& set) {
    if (needs.type && *needs.type != has.type) {
        return std::string("it is a ") + type_name(has.type) + ", expected a " +
               type_name(*needs.type);
    }
    if (set.lanes < needs.least_lanes) {
        return std::to_string(set.lanes) + " lanes, expected at least " +
               std::to_string(needs.least_lanes);
    }
    if (has.units < needs.least_units) {
        return std::to_string(has.units) + " units, expected at least " +
               std::to_string(needs.least_units);
    }
    if (has.memory_bytes < needs.least_memory_bytes) {
        return mebibytes(has.memory_bytes) + " of memory, expected at least " +
               mebibytes(needs.least_memory_bytes);
    }
    if (has.local_memory_bytes < needs.least_local_memory_bytes) {
        return mebibytes(has.local_memory_bytes) + " of local memory, expected at least " +
               mebibytes(needs.least_local_memory_bytes);
    }
    if (needs.needs_double && !has.has_double) {
        return "it has no double precision";
    }
    if (needs.needs_images && !has.has_images) {
        return "it has no images";
    }
    for (const std::string& extension : needs.extensions) {
        if (!has.has_extension(extension)) {
            return "it lacks the extension " + extension;
        }
    }
    return {};
}

bool is_named(const Requirements& needs, const Capability& has) {
    return needs.names.empty() ||
           std::find(needs.names.begin(), needs.names.end(), has.name) != needs.names.end();
}

MatchGroup group_of(const std::vector<u32>& members,
                    const std::vector<Verdict>& verdicts,
                    const std::vector<const Capability*>& records) {
    MatchGroup group;
    group.members = members;
    const bool has_host = std::any_of(
        members.begin(), members.end(), [&](u32 member) { return !records[member]->is_emulated; });
    for (const u32 member : members) {
        // What is emulated works on a processor of the group already.
        const bool adds = !has_host || !records[member]->is_emulated;
        group.score += adds ? verdicts[member].score : 0;
        group.reason += (group.reason.empty() ? "" : " + ") +
                        (adds ? verdicts[member].reason
                              : "nothing for " + records[member]->name + ", which is emulated");
    }
    group.arithmetic_class = verdicts[members.front()].arithmetic_class;
    if (members.size() > 1) {
        group.score *= kGroupShare;
        group.reason = "(" + group.reason + ") x " + amount(kGroupShare) + " for working in step";
    }
    return group;
}

// A list of names is a demand for all of them: smaller groups do not match.
bool has_all_names(const Requirements& needs,
                   const MatchGroup& group,
                   const std::vector<const Capability*>& records) {
    return std::all_of(needs.names.begin(), needs.names.end(), [&](const std::string& name) {
        return std::any_of(group.members.begin(), group.members.end(), [&](u32 member) {
            return records[member]->name == name;
        });
    });
}

}  // namespace

Verdict judge(const Requirements& requirements, const Capability& capability) {
    Verdict verdict;
    if (!is_named(requirements, capability)) {
        verdict.reason = "it was not asked for";
        return verdict;
    }
    const InstructionSet* const set = serving_set(requirements, capability, verdict.reason);
    if (!set) {
        return verdict;
    }
    verdict.set = set->name;
    verdict.arithmetic_class = set->arithmetic_class;
    verdict.reason = lacking(requirements, capability, *set);
    if (!verdict.reason.empty()) {
        return verdict;
    }
    verdict.is_match = true;
    verdict.score = static_cast<double>(capability.units) * set->lanes * capability.lane_speed;
    verdict.reason = std::to_string(capability.units) + " units x " + std::to_string(set->lanes) +
                     " lanes (" + set->name + ")";
    if (capability.lane_speed != 1) {
        verdict.reason += " x " + amount(capability.lane_speed) +
                          (capability.is_emulated ? " because it is emulated" : " by their speed");
    }
    return verdict;
}

std::vector<MatchGroup> match_groups(const Requirements& requirements,
                                     const std::vector<const Capability*>& records) {
    std::vector<Verdict> verdicts;
    std::vector<MatchGroup> groups;
    std::map<std::string, std::vector<u32>> by_class;
    for (u32 place = 0; place < records.size(); ++place) {
        verdicts.push_back(judge(requirements, *records[place]));
        if (verdicts.back().is_match) {
            by_class[verdicts.back().arithmetic_class].push_back(place);
        }
    }
    for (const auto& [arithmetic_class, members] : by_class) {
        for (const u32 member : members) {
            groups.push_back(group_of({member}, verdicts, records));
        }
        if (requirements.may_split && members.size() > 1) {
            groups.push_back(group_of(members, verdicts, records));
        }
    }
    std::erase_if(groups, [&](const MatchGroup& group) {
        return !has_all_names(requirements, group, records);
    });
    const auto is_emulated = [&](const MatchGroup& group) {
        return std::all_of(group.members.begin(), group.members.end(), [&](u32 member) {
            return records[member]->is_emulated;
        });
    };
    std::stable_sort(groups.begin(), groups.end(), [&](const MatchGroup& a, const MatchGroup& b) {
        if (is_emulated(a) != is_emulated(b)) {
            return is_emulated(b);
        }
        if (a.score != b.score) {
            return a.score > b.score;
        }
        return a.members.size() != b.members.size() ? a.members.size() < b.members.size()
                                                    : a.members < b.members;
    });
    return groups;
}

}  // namespace weft::compute
