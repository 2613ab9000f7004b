// trace_rows.h — what the traversal kernel files hand to the table (trace_table.cpp): their
// functions per instruction set. Included by those files alone.
#pragma once

#include "shaders/traverse/trace_kernels.h"

namespace weft::shaders {

struct TraceRow {
    decltype(TraceKernels::closest_group) group =
        nullptr;  // nullptr: not compiled for this instruction set
    decltype(TraceKernels::closest_packet) packet = nullptr;
    decltype(TraceKernels::closest_visit) visit = nullptr;
    decltype(TraceKernels::closest_walk) walk = nullptr;
};

// The CPU's: one register of lanes.
namespace narrow {
TraceRow closest_row(Isa isa);
TraceRow any_row(Isa isa);
}  // namespace narrow

// The emulated device's: 32 lanes, of class "fma" alone.
namespace wide {
TraceRow closest_row(Isa isa);
TraceRow any_row(Isa isa);
}  // namespace wide

}  // namespace weft::shaders
