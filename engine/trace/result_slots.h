// result_slots.h — the private result slots of one share: what each of its samples came to.
//
// The unit that runs a share writes a finished path's radiance to the sample's own slot; when the
// share is done the worker that handed it out adds the slots up in the film, once, in order. What a
// unit that was given up for lost writes here later reaches nothing. Slots of a device are fetched
// by a copy first.
#pragma once

#include <vector>

#include "engine/trace/unit_memory.h"

namespace weft::trace {

inline constexpr u32 kAovFloats = 10;  // albedo 3, normal 3, position 3, depth

struct ResultView {
    float* rgba = nullptr;    // 4 per slot: radiance and alpha
    float* aovs = nullptr;    // kAovFloats per slot; null where no AOV is asked for
    u32* instance = nullptr;  // 1 per slot; null likewise
};

class ResultSlots {
public:
    // Slots for `capacity` samples in the unit's memory, and where that is a device's, a copy of
    // them on the host.
    ResultSlots(u32 capacity, bool has_aovs, UnitMemory& memory);

    // False where the memory could not be had.
    [[nodiscard]] bool is_allocated() const { return is_allocated_; }

    // For the unit that writes.
    [[nodiscard]] const ResultView& view() const { return view_; }

    // For the worker that publishes: the first `count` slots as the host sees them.
    const ResultView& fetch(u32 count);

private:
    unit::DeviceMemory* device_;
    ResultView view_;
    ResultView host_;
    std::vector<u32> host_words_;
    bool is_allocated_ = false;
};

}  // namespace weft::trace
