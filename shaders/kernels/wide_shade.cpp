// wide_shade.cpp — shade.cpp at 32 lanes, for the emulated device (shaders/lanes/width.h).
#define WEFT_WIDE_LANES 32

#include "shaders/kernels/shade.cpp"
