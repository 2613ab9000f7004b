// float_state.h — the floating-point state that every worker computes in.
//
// The same bits on every thread need the same rounding everywhere: to nearest, with tiny numbers
// kept (FTZ and DAZ off). New threads inherit the state of whoever made them, and a library may
// have changed that. Any thread may call; each call concerns the calling thread alone.
#pragma once

namespace weft::unit {

// Rounds to nearest, keeps tiny numbers, traps nothing.
void set_float_state();
[[nodiscard]] bool is_float_state_right();

}  // namespace weft::unit
