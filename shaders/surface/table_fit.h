// table_fit.h — entries of a table that is read linearly, moved so that it errs to both sides.
//
// Straight lines between samples of a curve lie on one side of it. In a step of width h they are
// off by f'' h²/12 in the mean, so each sample is moved by that much, along one axis after the
// other; a path that meets a surface many times would add the errors up. Entries at the ends of an
// axis stay along it. Pure.
#pragma once

#include <span>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::shaders {

// `sizes`: entries along each axis, the innermost last.
inline void fit_linear(std::vector<float>& table, std::span<const u32> sizes) {
    std::size_t stride = table.size();
    for (const u32 size : sizes) {
        const std::size_t block = stride;
        stride /= size;
        const std::vector<float> samples = table;
        for (std::size_t i = 0; i < table.size(); ++i) {
            const std::size_t step = i % block / stride;
            if (step > 0 && step + 1 < size) {
                const float bend = samples[i + stride] - 2 * samples[i] + samples[i - stride];
                table[i] = samples[i] - bend / 12;
            }
        }
    }
}

}  // namespace weft::shaders
