// width.h — the namespace of the kernels of one lane count.
//
// The same kernel sources are compiled three times: `narrow` with one register per number, for the
// CPU's clusters; `wide` with 32 lanes in several registers, for the emulated device (a file of
// kernels/wide_*.cpp sets WEFT_WIDE_LANES and includes the narrow file); and `single` with one lane
// and no vector at all, for debugging and path by path (kernels/single_*.cpp set WEFT_ONE_LANE).
// The wide ones exist for the arithmetic class "fma" alone, so SSE4 has none. One lane needs one
// form for each class: AVX-512 has AVX2's. Included by kernels only.
//
// WEFT_HAS_TARGET: whether this width is compiled for HWY_TARGET.
// WEFT_PICK_ISA(isa, name), for functions in namespace WEFT_WIDTH after all targets: returns `name`
// of that instruction set's namespace if it was compiled, else falls through.
#pragma once

#include <hwy/detect_targets.h>

#ifdef WEFT_WIDE_LANES
#    define WEFT_WIDTH wide
#    define WEFT_HAS_SSE4 0
#    define WEFT_HAS_AVX512 1
#elif defined(WEFT_ONE_LANE)
#    define WEFT_WIDTH single
#    define WEFT_HAS_SSE4 1
#    define WEFT_HAS_AVX512 0
#else
#    define WEFT_WIDTH narrow
#    define WEFT_HAS_SSE4 1
#    define WEFT_HAS_AVX512 1
#endif

#define WEFT_HAS_TARGET \
    ((WEFT_HAS_SSE4 || HWY_TARGET != HWY_SSE4) && (WEFT_HAS_AVX512 || HWY_TARGET != HWY_AVX3))

#if (HWY_TARGETS & HWY_SSE4) && WEFT_HAS_SSE4
#    define WEFT_PICK_SSE4(isa, name) \
        if ((isa) == Isa::Sse4) {     \
            return N_SSE4::name;      \
        }
#else
#    define WEFT_PICK_SSE4(isa, name)
#endif

#if HWY_TARGETS & HWY_AVX2
#    define WEFT_PICK_AVX2(isa, name) \
        if ((isa) == Isa::Avx2) {     \
            return N_AVX2::name;      \
        }
#else
#    define WEFT_PICK_AVX2(isa, name)
#endif

#if (HWY_TARGETS & HWY_AVX3) && WEFT_HAS_AVX512
#    define WEFT_PICK_AVX512(isa, name) \
        if ((isa) == Isa::Avx512) {     \
            return N_AVX3::name;        \
        }
#elif HWY_TARGETS & HWY_AVX3
#    define WEFT_PICK_AVX512(isa, name) \
        if ((isa) == Isa::Avx512) {     \
            return N_AVX2::name;        \
        }
#else
#    define WEFT_PICK_AVX512(isa, name)
#endif

#define WEFT_PICK_ISA(isa, name) \
    WEFT_PICK_SSE4(isa, name) WEFT_PICK_AVX2(isa, name) WEFT_PICK_AVX512(isa, name)
