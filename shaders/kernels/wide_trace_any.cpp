// wide_trace_any.cpp — trace_any.cpp at 32 lanes, for the emulated device (shaders/lanes/width.h).
#define WEFT_WIDE_LANES 32

#include "shaders/kernels/trace_any.cpp"
