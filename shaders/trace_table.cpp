// trace_table.cpp — the table of traversal kernels that this machine can run. Any thread.
#include <array>
#include <cstddef>

#include <hwy/targets.h>

#include "shaders/trace_rows.h"

namespace weft::shaders {

namespace {

struct Slot {
    TraceKernels kernels{};
    bool is_runnable = false;
};

Slot slot_of(Isa isa, u64 target) {
    const TraceRow closest = narrow::closest_row(isa);
    const TraceRow any = narrow::any_row(isa);
    const bool is_runnable =
        closest.group && any.group && (static_cast<u64>(hwy::SupportedTargets()) & target) != 0;
    return {{closest.group, any.group, closest.visit, any.visit}, is_runnable};
}

}  // namespace

const TraceKernels* trace_kernels(Isa isa) {
    static const std::array<Slot, 3> slots = {
        slot_of(Isa::Sse4, HWY_SSE4), slot_of(Isa::Avx2, HWY_AVX2), slot_of(Isa::Avx512, HWY_AVX3)};
    const Slot& slot = slots[static_cast<std::size_t>(isa)];
    return slot.is_runnable ? &slot.kernels : nullptr;
}

}  // namespace weft::shaders
