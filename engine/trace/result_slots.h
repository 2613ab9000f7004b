// result_slots.h — the private result slots of one share: one result per sample.
//
// The unit that runs a share writes the radiance of each finished path to the sample's slot. When
// the share is done, the worker that handed it out adds the slots to the film, once, in order.
// Nobody reads what a lost unit writes later. Slots in a device's memory are copied to the host
// first.
#pragma once

#include <vector>

#include "engine/trace/unit_memory.h"

namespace weft::trace {

inline constexpr u32 kAovFloats = 10;  // albedo 3, normal 3, position 3, depth

struct ResultView {
    float* rgba = nullptr;    // 4 per slot: radiance and alpha
    float* aovs = nullptr;    // kAovFloats per slot; null without AOVs
    u32* instance = nullptr;  // 1 per slot; null without AOVs
};

class ResultSlots {
public:
    // Slots for `capacity` samples in the unit's memory; for a device, also a copy on the host.
    ResultSlots(u32 capacity, bool has_aovs, UnitMemory& memory);

    // False if memory ran out.
    [[nodiscard]] bool is_allocated() const { return is_allocated_; }

    // For the unit that writes.
    [[nodiscard]] const ResultView& view() const { return view_; }

    // For the worker that publishes: the first `count` slots, in host memory.
    const ResultView& fetch(u32 count);

private:
    unit::DeviceMemory* device_;
    ResultView view_;
    ResultView host_;
    std::vector<u32> host_words_;
    bool is_allocated_ = false;
};

}  // namespace weft::trace
