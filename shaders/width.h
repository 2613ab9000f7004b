// width.h — the namespace that kernels of one lane count live in.
//
// The same kernel sources are compiled twice: `narrow` with one register per number, for the CPU's
// clusters, and `wide` with 32 lanes in several registers, for the emulated device (a file of
// kernels/wide_*.cpp sets WEFT_WIDE_LANES and includes the narrow file). The wide ones exist for
// the arithmetic class "fma" alone, so SSE4 has none. Included by kernels only.
#pragma once

#ifdef WEFT_WIDE_LANES
#    define WEFT_WIDTH wide
#    define WEFT_HAS_SSE4 0
#else
#    define WEFT_WIDTH narrow
#    define WEFT_HAS_SSE4 1
#endif
