#include "scheduler/unit/float_state.h"

#include <xmmintrin.h>

namespace weft::unit {

namespace {

constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kRounding = 0x6000;  // 0: to nearest
constexpr unsigned kExceptionMasks = 0x1f80;
constexpr unsigned kDenormalsAreZero = 0x0040;

}  // namespace

void set_float_state() {
    _mm_setcsr(kExceptionMasks);
}

bool is_float_state_right() {
    const unsigned state = _mm_getcsr();
    return (state & (kFlushToZero | kRounding | kDenormalsAreZero)) == 0;
}

}  // namespace weft::unit
