// clock.h — the one clock that durations are measured with: steady, in nanoseconds.
//
// Its zero means nothing; take differences. Any thread may call; about 20 ns a call. No result of a
// render may depend on it.
#pragma once

#include <chrono>

#include "scheduler/base/ids.h"

namespace weft::base {

inline u64 now_ns() {
    const auto since_zero = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<u64>(std::chrono::nanoseconds(since_zero).count());
}

}  // namespace weft::base
