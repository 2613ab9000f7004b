// trace_any.cpp — any-hit traversal for every instruction set: whether a shadow ray is blocked, and
// the tint of the panes it passes (trace_row-inl.h).
#include "shaders/lanes/width.h"
#include "shaders/traverse/trace_rows.h"

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "shaders/kernels/trace_any.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "shaders/traverse/trace_row-inl.h"
// clang-format on

#if HWY_ONCE
namespace weft::shaders::WEFT_WIDTH {

TraceRow any_row([[maybe_unused]] Isa isa) {
    WEFT_PICK_ISA(isa, trace_row<true>())
    return {};
}

}  // namespace weft::shaders::WEFT_WIDTH
#endif
