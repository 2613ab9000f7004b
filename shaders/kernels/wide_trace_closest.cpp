// wide_trace_closest.cpp — trace_closest.cpp at 32 lanes, for the emulated device
// (shaders/lanes/width.h).
#define WEFT_WIDE_LANES 32

#include "shaders/kernels/trace_closest.cpp"
