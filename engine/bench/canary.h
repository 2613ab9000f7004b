// canary.h — the current speed of memory: nanoseconds per dependent load through 64 MB.
//
// Printed beside figures that depend on memory, so that a reader sees when the machine was busy: on
// a quiet machine the canaries of a run agree. Any thread; one object per thread.
#pragma once

#include "scheduler/base/huge_pages.h"
#include "scheduler/base/ids.h"

namespace weft::bench {

class Canary {
public:
    Canary();

    // Nanoseconds per load, over some 200 thousand of them (40 ms).
    [[nodiscard]] double ns_per_load();

private:
    base::PageArray<u32> next_;  // one cycle through all lines
    u32 at_ = 0;
};

}  // namespace weft::bench
