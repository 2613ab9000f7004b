// filter_table.cpp — pixel filters as inverse cumulative distributions: a sample displaced by the
// table has weight 1 (shaders/bsdf.md section 2). Called once per frame.
#include <cmath>

#include "engine/trace/scene_tables.h"
#include "shaders/host/scalar_math.h"

namespace weft::trace {

namespace {

constexpr double kRadius = 1.5;   // pixels, of all windows but the box
constexpr u32 kSteps = 1u << 15;  // of the integration over [0, kRadius]

double blackman_harris(double x) {
    const double phase = 2 * shaders::kPi * x / (2 * kRadius);
    return 0.35875 + 0.48829 * shaders::cos_of(phase) + 0.14128 * shaders::cos_of(2 * phase) +
           0.01168 * shaders::cos_of(3 * phase);
}

double gaussian(double x) {
    constexpr double kSigma = 0.5;
    return shaders::exp_of(-0.5 * x * x / (kSigma * kSigma));
}

// Offsets x ≥ 0 where the window's integral over [0, x] is i / `count` of the whole, i = 0 … count.
std::vector<double> half_inverse(double (*window)(double), u32 count) {
    // Midpoint sums up to the end of each step.
    constexpr double kStep = kRadius / kSteps;
    std::vector<double> sum(kSteps + 1, 0.0);
    for (u32 k = 0; k < kSteps; ++k) {
        sum[k + 1] = sum[k] + window((k + 0.5) * kStep);
    }
    std::vector<double> offset(count + 1, 0.0);
    u32 k = 0;
    for (u32 i = 1; i < count; ++i) {
        const double wanted = sum[kSteps] * i / count;
        while (sum[k + 1] < wanted) {
            ++k;
        }
        offset[i] = (k + (wanted - sum[k]) / (sum[k + 1] - sum[k])) * kStep;
    }
    offset[count] = kRadius;
    return offset;
}

}  // namespace

std::vector<float> make_filter_table(PixelFilter filter) {
    constexpr u32 kHalf = shaders::kFilterTableSize / 2;
    std::vector<float> table(shaders::kFilterTableSize + 1);
    if (filter == PixelFilter::Box) {
        for (u32 i = 0; i < table.size(); ++i) {
            table[i] = static_cast<float>(i) / shaders::kFilterTableSize - 0.5f;
        }
        return table;
    }
    const auto offset =
        half_inverse(filter == PixelFilter::Gaussian ? gaussian : blackman_harris, kHalf);
    for (u32 i = 0; i <= kHalf; ++i) {
        table[kHalf + i] = static_cast<float>(offset[i]);
        table[kHalf - i] = -static_cast<float>(offset[i]);
    }
    return table;
}

}  // namespace weft::trace
