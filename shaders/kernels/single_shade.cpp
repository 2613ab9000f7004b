// single_shade.cpp — shade.cpp at one lane, without vectors (shaders/lanes/width.h).
#define WEFT_ONE_LANE

#include "shaders/kernels/shade.cpp"
