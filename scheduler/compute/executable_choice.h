// executable_choice.h — chooses the executable of a kernel for a device, with the reason (R7).
//
// Pure: takes records, returns a verdict on each. Compatible: the type of device, an instruction
// set that it runs, the wished class, and the wished options or none. Optimal: the best instruction
// set and exactly the wished options.
#pragma once

#include <string>
#include <vector>

#include "scheduler/compute/capability.h"
#include "scheduler/compute/executable.h"

namespace weft::compute {

// A user's wish for the executable of a kernel.
struct Wish {
    std::string arithmetic_class;  // "" any
    std::string instruction_set;   // "" the best; else this one and no other
    std::string options;           // "" the generic executable
};

struct ExecutableVerdict {
    bool is_compatible = false;
    bool is_optimal = false;
    u32 rank = 0;  // the higher the better
    std::string reason;
};

// The instruction set of an optimal executable; nullptr: the wish allows none of the device's.
const InstructionSet* wanted_set(const Wish& wish, const Capability& device);

ExecutableVerdict judge_executable(const ExecutableRecord& record,
                                   const Wish& wish,
                                   const Capability& device);

// Place of the best compatible one; kNone: none is.
u32 best_executable(const std::vector<ExecutableVerdict>& verdicts);

}  // namespace weft::compute
