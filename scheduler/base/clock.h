// clock.h — the steady clock for all durations, in nanoseconds.
//
// Its zero is arbitrary: use differences. Any thread; about 20 ns a call. No result of a render may
// depend on it.
#pragma once

#include <chrono>

#include "scheduler/base/ids.h"

namespace weft::base {

using Clock = std::chrono::steady_clock;

inline u64 now_ns() {
    const auto since_zero = Clock::now().time_since_epoch();
    return static_cast<u64>(std::chrono::nanoseconds(since_zero).count());
}

inline double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace weft::base
