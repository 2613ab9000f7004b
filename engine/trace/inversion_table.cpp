#include "engine/trace/inversion_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "scheduler/base/ensure.h"

namespace weft::trace {

namespace {

using shaders::EnvironmentCell;

constexpr u32 kNumbers = 1u << 24;  // values that the sampler's numbers can have

u32 guide_of(u64 cell, u64 reach) {
    // Strides halve from the largest power of two up to the reach.
    const u32 shift = shaders::kNoStride - static_cast<u32>(std::bit_width(reach));
    return static_cast<u32>(cell) | shift << 24;
}

// Sets the guides of cells whose begins are known.
void set_guides(std::span<EnvironmentCell> cells) {
    const u32 intervals = shaders::guide_count(static_cast<u32>(cells.size()));
    const u32 numbers = kNumbers / intervals;
    // The last cell that begins at `n` or before; n rises from call to call.
    std::size_t at = 0;
    const auto last_at = [&](u32 n) {
        while (at + 1 < cells.size() && cells[at + 1].begin <= static_cast<float>(n)) {
            ++at;
        }
        return at;
    };
    for (u32 i = 0; i < intervals; ++i) {
        const std::size_t first = last_at(i * numbers);
        const std::size_t last = last_at((i + 1) * numbers - 1);
        cells[i].guide = guide_of(first, last - first);
    }
}

}  // namespace

void invert_weights(std::span<const double> weights, std::span<EnvironmentCell> cells) {
    ENSURE(weights.size(), ==, cells.size());
    ENSURE(cells.size(), <, u64{1} << 24);
    double total = 0;
    u32 positive = 0;
    for (const double weight : weights) {
        total += weight;
        positive += weight > 0 ? 1 : 0;
    }
    if (!(total > 0)) {
        std::fill(cells.begin(), cells.end(), EnvironmentCell{0, 0, 0, guide_of(0, 0)});
        return;
    }
    // Give one step to each, and share the rest.
    const u32 each = positive <= kNumbers / 2 ? 1 : 0;
    const double shared = kNumbers - each * positive;
    double sum = 0;
    u32 given = 0;
    u32 begin = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        sum += weights[i];
        given += weights[i] > 0 ? each : 0;
        const u32 end = given + static_cast<u32>(std::floor(shared * (sum / total) + 0.5));
        cells[i] = {static_cast<float>(begin), static_cast<float>(end - begin), 0, guide_of(0, 0)};
        begin = end;
    }
    ENSURE(begin, ==, kNumbers);
    set_guides(cells);
}

}  // namespace weft::trace
