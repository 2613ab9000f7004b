// path_slots.h — memory for the paths of one cluster: the structure of arrays behind
// shaders::PathView.
//
// Sized before the frame and never grown (F16); one owner, used by the cluster that owns it and its
// kernels.
#pragma once

#include "engine/trace/unit_memory.h"
#include "shaders/path_view.h"

namespace weft::trace {

class PathSlots {
public:
    // `has_aovs`: slots carry the first hit's AOVs too. The memory must outlive the slots.
    PathSlots(u32 capacity, bool has_aovs, UnitMemory& memory);

    // False where the memory could not be had; view() may not be used then.
    [[nodiscard]] bool is_allocated() const { return size_bytes_ > 0; }

    [[nodiscard]] const shaders::PathView& view() const { return view_; }

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

    // Of one path, without the scheduler's own memory: what a thread declares per element.
    static u32 bytes_per_path(bool has_aovs);

private:
    shaders::PathView view_{};
    u64 size_bytes_ = 0;
};

}  // namespace weft::trace
