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

Slot slot_of(const TraceRow& closest,
             const TraceRow& any,
             decltype(TraceRow::packet) wide_packet,
             u64 target) {
    const bool is_runnable =
        closest.group && any.group && (static_cast<u64>(hwy::SupportedTargets()) & target) != 0;
    return {{closest.group,
             any.group,
             closest.packet,
             any.packet,
             wide_packet,
             closest.visit,
             any.visit,
             closest.walk,
             any.walk,
             closest.placed,
             any.placed},
            is_runnable};
}

// The wide kernels lend the CPU their packets, where they are compiled for the instruction set.
Slot cpu_slot(Isa isa, u64 target) {
    const TraceRow closest = narrow::closest_row(isa);
    const auto lent = wide::closest_row(isa).packet;
    return slot_of(closest, narrow::any_row(isa), lent ? lent : closest.packet, target);
}

// A group of the device is packets, whose branches count.
Slot device_slot(Isa isa, u64 target) {
    TraceRow closest = wide::closest_row(isa);
    TraceRow any = wide::any_row(isa);
    closest.packet = closest.group;
    any.packet = any.group;
    return slot_of(closest, any, closest.group, target);
}

using Slots = std::array<Slot, 3>;

const TraceKernels* runnable_kernels(const Slots& slots, Isa isa) {
    const Slot& slot = slots[static_cast<std::size_t>(isa)];
    return slot.is_runnable ? &slot.kernels : nullptr;
}

}  // namespace

const TraceKernels* trace_kernels(Isa isa) {
    static const Slots slots = {cpu_slot(Isa::Sse4, HWY_SSE4),
                                cpu_slot(Isa::Avx2, HWY_AVX2),
                                cpu_slot(Isa::Avx512, HWY_AVX3)};
    return runnable_kernels(slots, isa);
}

const TraceKernels* device_trace_kernels(Isa isa) {
    static const Slots slots = {device_slot(Isa::Sse4, HWY_SSE4),
                                device_slot(Isa::Avx2, HWY_AVX2),
                                device_slot(Isa::Avx512, HWY_AVX3)};
    return runnable_kernels(slots, isa);
}

}  // namespace weft::shaders
