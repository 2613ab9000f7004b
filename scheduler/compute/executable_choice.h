// executable_choice.h — which executable of a kernel a device uses, and why (R7).
//
// Pure: records in, a verdict on each out. Compatible: for that type of device, an instruction set
// that it runs, the class asked for, and options that are those wished for or none. Optimal: the
// best instruction set and exactly the options wished for.
#pragma once

#include <string>
#include <vector>

#include "scheduler/compute/capability.h"
#include "scheduler/compute/executable.h"

namespace weft::compute {

// What a user of a kernel wants of its executable.
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

// The instruction set that an optimal executable is built for; nullptr: the device has none that
// the wish allows.
const InstructionSet* wanted_set(const Wish& wish, const Capability& device);

ExecutableVerdict judge_executable(const ExecutableRecord& record,
                                   const Wish& wish,
                                   const Capability& device);

// Place of the best compatible one; kNone: none is.
u32 best_executable(const std::vector<ExecutableVerdict>& verdicts);

}  // namespace weft::compute
