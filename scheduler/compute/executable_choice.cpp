#include "scheduler/compute/executable_choice.h"

namespace weft::compute {

namespace {

ExecutableVerdict refused(std::string reason) {
    ExecutableVerdict verdict;
    verdict.reason = std::move(reason);
    return verdict;
}

}  // namespace

const char* origin_name(Origin origin) {
    switch (origin) {
        case Origin::Linked:
            return "linked";
        case Origin::Cached:
            return "cached";
        case Origin::Built:
            return "built";
    }
    return "unknown";
}

const InstructionSet* wanted_set(const Wish& wish, const Capability& device) {
    if (wish.instruction_set.empty()) {
        return device.best_set(wish.arithmetic_class);
    }
    const InstructionSet* const set = device.find_set(wish.instruction_set);
    const bool is_of_class =
        set && (wish.arithmetic_class.empty() || set->arithmetic_class == wish.arithmetic_class);
    return is_of_class ? set : nullptr;
}

ExecutableVerdict judge_executable(const ExecutableRecord& record,
                                   const Wish& wish,
                                   const Capability& device) {
    if (record.type != device.type) {
        return refused(std::string("it was built for a ") + type_name(record.type));
    }
    const InstructionSet* const set = device.find_set(record.instruction_set);
    if (!set) {
        return refused("the device does not run " + record.instruction_set);
    }
    if (!wish.instruction_set.empty() && record.instruction_set != wish.instruction_set) {
        return refused(wish.instruction_set + " is forced");
    }
    if (!wish.arithmetic_class.empty() && set->arithmetic_class != wish.arithmetic_class) {
        return refused("it computes in the class " + set->arithmetic_class + ", expected " +
                       wish.arithmetic_class);
    }
    if (!record.options.empty() && record.options != wish.options) {
        return refused("it is specialised to " + record.options);
    }
    ExecutableVerdict verdict;
    verdict.is_compatible = true;
    const bool is_specialised = record.options == wish.options;
    const bool is_best_set = set == wanted_set(wish, device);
    verdict.is_optimal = is_specialised && is_best_set;
    // The instruction set counts before the options: wider lanes gain more.
    const auto behind = static_cast<u32>(set - device.instruction_sets.data());
    const auto sets = static_cast<u32>(device.instruction_sets.size());
    verdict.rank = 2 * (sets - behind) + (is_specialised ? 1 : 0);
    verdict.reason = is_best_set ? set->name + " is the best instruction set that the device runs"
                                 : "the device runs better ones than " + set->name;
    if (!wish.instruction_set.empty()) {
        verdict.reason = set->name + " is forced";
    }
    if (!wish.options.empty()) {
        verdict.reason += is_specialised ? "; specialised to " + wish.options : "; generic";
    }
    return verdict;
}

u32 best_executable(const std::vector<ExecutableVerdict>& verdicts) {
    u32 best = kNone;
    for (u32 place = 0; place < verdicts.size(); ++place) {
        // The later of equals is the newer.
        if (verdicts[place].is_compatible &&
            (best == kNone || verdicts[place].rank >= verdicts[best].rank)) {
            best = place;
        }
    }
    return best;
}

}  // namespace weft::compute
