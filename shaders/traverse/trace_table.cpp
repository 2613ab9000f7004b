// trace_table.cpp — the table of traversal kernels that this machine can run. Any thread.
#include <array>
#include <cstddef>

#include <hwy/targets.h>

#include "shaders/traverse/trace_rows.h"

namespace weft::shaders {

namespace {

struct Slot {
    TraceKernels kernels{};
    bool is_runnable = false;
};

Slot slot_of(const TraceRow& closest, const TraceRow& any, u64 target) {
    const bool is_runnable =
        closest.group && any.group && (static_cast<u64>(hwy::SupportedTargets()) & target) != 0;
    return {{closest.group,
             any.group,
             closest.packet,
             any.packet,
             closest.visit,
             any.visit,
             closest.walk,
             any.walk,
             closest.placed,
             any.placed},
            is_runnable};
}

using Slots = std::array<Slot, 3>;

const TraceKernels* runnable_kernels(const Slots& slots, Isa isa) {
    const Slot& slot = slots[static_cast<std::size_t>(isa)];
    return slot.is_runnable ? &slot.kernels : nullptr;
}

}  // namespace

const TraceKernels* trace_kernels(Isa isa) {
    using narrow::any_row;
    using narrow::closest_row;
    static const Slots slots = {slot_of(closest_row(Isa::Sse4), any_row(Isa::Sse4), HWY_SSE4),
                                slot_of(closest_row(Isa::Avx2), any_row(Isa::Avx2), HWY_AVX2),
                                slot_of(closest_row(Isa::Avx512), any_row(Isa::Avx512), HWY_AVX3)};
    return runnable_kernels(slots, isa);
}

const TraceKernels* device_trace_kernels(Isa isa) {
    using wide::any_row;
    using wide::closest_row;
    static const Slots slots = {slot_of(closest_row(Isa::Sse4), any_row(Isa::Sse4), HWY_SSE4),
                                slot_of(closest_row(Isa::Avx2), any_row(Isa::Avx2), HWY_AVX2),
                                slot_of(closest_row(Isa::Avx512), any_row(Isa::Avx512), HWY_AVX3)};
    return runnable_kernels(slots, isa);
}

}  // namespace weft::shaders
