// single_miss.cpp — miss.cpp at one lane, without vectors (shaders/lanes/width.h).
#define WEFT_ONE_LANE

#include "shaders/kernels/miss.cpp"
