// isa_name.cpp — names of instruction sets, apart from the kernels that are compiled for them.
#include "shaders/host/shade_kernels.h"

namespace weft::shaders {

const char* isa_name(Isa isa) {
    return isa == Isa::Sse4 ? "sse4" : isa == Isa::Avx2 ? "avx2" : "avx512";
}

}  // namespace weft::shaders
