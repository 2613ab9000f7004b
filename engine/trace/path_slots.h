// path_slots.h — memory for the paths of one cluster: the structure of arrays behind
// shaders::PathView.
//
// Sized before the frame and never grown (F16); one owner, used by the cluster that owns it and its
// kernels.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "shaders/path_view.h"

namespace weft::trace {

class PathSlots {
public:
    // `has_aovs`: slots carry the first hit's AOVs too.
    PathSlots(u32 capacity, bool has_aovs);

    // False where the memory could not be had; view() may not be used then.
    [[nodiscard]] bool is_allocated() const;

    [[nodiscard]] const shaders::PathView& view() const { return view_; }

    [[nodiscard]] u64 size_bytes() const;

private:
    base::PageArray<u32> words_;
    base::PageArray<shaders::TraceRay> rays_;
    shaders::PathView view_{};
};

}  // namespace weft::trace
