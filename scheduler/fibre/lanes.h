// lanes.h — the form of a fibre routine (F1): written once over Lanes<N>, it runs up to N fibres at
// a time in lockstep, under a mask.
//
// N is 1 for debugging, 4 to 16 on the CPU, 32 on the emulated GPU; results must not depend on it.
// The kernels of shaders/kernels run their paths so, with vectors of N numbers of their own. Plain
// values, no thread rules.
//
//     packet.elements  a b c d e f g   N = 4:  [a b c d] mask 1111, [e f g e] mask 0111
#pragma once

#include <span>

#include "scheduler/base/ids.h"

namespace weft::fibre {

// The fibres of one lane group.
template <u32 N>
struct Lanes {
    static_assert(N == 1 || N == 4 || N == 8 || N == 16 || N == 32);
    u32 element[N];  // lanes beyond the last fibre repeat the first: safe to read
    u32 mask;        // bit k: lane k has a fibre
    u32 count;       // of fibres: lanes [0, count)
};

// The fibres `elements[first]` and after it, N of them or all that are left, at least one.
template <u32 N>
Lanes<N> lanes_at(std::span<const u32> elements, std::size_t first) {
    const std::size_t left = elements.size() - first;
    Lanes<N> lanes;
    lanes.count = left < N ? static_cast<u32>(left) : N;
    for (u32 k = 0; k < N; ++k) {
        lanes.element[k] = elements[first + (k < lanes.count ? k : 0)];
    }
    lanes.mask = ~u32{0} >> (32 - lanes.count);
    return lanes;
}

}  // namespace weft::fibre
