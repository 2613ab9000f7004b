// alias_table.h — picks one of n entries with probabilities that are known exactly, in constant
// time.
//
// Entry i = min(floor(u · n), n − 1) for a float u on the sampler's grid of 2⁻²⁴; a second number f
// on that grid stays on i where f < threshold[i] and goes to alias[i] otherwise. `pdf` is not the
// asked weight but what this procedure does, grid and rounding included: estimators that divide by
// it are unbiased however many entries there are. Built by one thread; Walker 1977; Vose 1991;
// swept in place as in Hübschle-Schneider & Sanders 2019, which needs no work lists.
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

// Weights that are not finite or not positive get pdf 0 and are never picked; every other one can
// be, if its entry or an alias of it is on the grid.
AliasTable make_alias_table(std::span<const double> weights);

}  // namespace weft::trace
