// canary.h — how fast memory is just now: dependent loads through 64 MB, in nanoseconds each.
//
// Printed beside figures that wait for memory, so that a reader sees when the machine was busy: on
// a quiet one the numbers of a run agree. Any thread; one object per thread.
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
