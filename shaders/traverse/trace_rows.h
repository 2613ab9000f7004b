// trace_rows.h — the functions of each traversal kernel file by instruction set, gathered by
// trace_table.cpp. Included by these files alone.
#pragma once

#include "shaders/traverse/trace_kernels.h"

namespace weft::shaders {

struct TraceRow {
    decltype(TraceKernels::closest_group) group =
        nullptr;  // nullptr: not compiled for this instruction set
    decltype(TraceKernels::closest_packet) packet = nullptr;  // branches do not count
    decltype(TraceKernels::closest_visit) visit = nullptr;
    decltype(TraceKernels::closest_walk) walk = nullptr;
    decltype(TraceKernels::closest_placed) placed = nullptr;
};

// For the CPU: one register of lanes.
namespace narrow {
TraceRow closest_row(Isa isa);
TraceRow any_row(Isa isa);
}  // namespace narrow

// For the emulated device: 32 lanes, arithmetic class "fma" alone.
namespace wide {
TraceRow closest_row(Isa isa);
TraceRow any_row(Isa isa);
}  // namespace wide

}  // namespace weft::shaders
