// alias_table.h — draws one of n entries in constant time, with exactly known probabilities.
//
// Entry i = min(floor(u · n), n − 1) for a float u, a multiple of 1/`numbers` in [0, 1); a
// second number f on the sampler's grid of 2⁻²⁴ keeps i if f < threshold[i], else takes alias[i].
// `pdf` is the probability of this procedure, grid and rounding included, not the given weight:
// estimators that divide by it are unbiased for any number of entries. Built by one thread. Walker
// 1977; Vose 1991; built in place as in Hübschle-Schneider & Sanders 2019, without work lists.
#pragma once

#include <span>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::trace {

struct AliasTable {
    std::vector<float> threshold;  // multiples of 2⁻²⁴ in [0, 1]
    std::vector<u32> alias;
    std::vector<double> pdf;  // sums to 1, or all 0 where no weight is positive
};

// Weights that are not finite or not positive get pdf 0 and are never drawn. Others are drawn if
// their entry, or an entry with them as alias, lies on the grid. `numbers` is a power of two up to
// 2²⁴: the values that u has.
AliasTable make_alias_table(std::span<const double> weights, u32 numbers = 1u << 24);

}  // namespace weft::trace
