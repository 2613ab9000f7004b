// allocation_count.h — counts the calls of operator new in this program, which it replaces.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::denoise::testing {

// Since the program began, by any thread.
u64 allocation_count();

}  // namespace weft::denoise::testing
