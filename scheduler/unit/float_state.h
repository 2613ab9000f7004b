// float_state.h — the floating-point state that every worker computes in.
//
// The same bits on every thread need the same rounding on every thread: to nearest, with denormals
// (FTZ and DAZ off). A new thread inherits its creator's state, which a library may have changed.
// Any thread may call; a call concerns the calling thread alone.
#pragma once

namespace weft::unit {

// Rounds to nearest, keeps tiny numbers, traps nothing.
void set_float_state();
[[nodiscard]] bool is_float_state_right();

}  // namespace weft::unit
