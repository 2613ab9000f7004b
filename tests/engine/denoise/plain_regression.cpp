#include "tests/engine/denoise/plain_regression.h"

#include <algorithm>
#include <cmath>

#include "engine/denoise/kernels/regression.h"

namespace weft::denoise::testing {

namespace {

constexpr i64 kWindow = kWindowReach;
constexpr i64 kPatch = kPatchReach;

// A value; beyond the picture its edges go on.
double value_at(const Planes& picture, u32 channel, i64 x, i64 y) {
    const u32 column = static_cast<u32>(std::clamp<i64>(x, 0, i64{picture.width()} - 1));
    const u32 row = static_cast<u32>(std::clamp<i64>(y, 0, i64{picture.height()} - 1));
    return static_cast<double>(picture.row(channel, row)[column]);
}

// How unlike the patches around two pixels are, beyond what noise explains.
double patch_distance(const Planes& picture, double bandwidth, i64 x, i64 y, i64 dx, i64 dy) {
    double sum = 0;
    for (i64 v = y - kPatch; v <= y + kPatch; ++v) {
        for (i64 u = x - kPatch; u <= x + kPatch; ++u) {
            for (u32 c = 0; c < 3; ++c) {
                const double difference = value_at(picture, kGuide + c, u, v) -
                                          value_at(picture, kGuide + c, u + dx, v + dy);
                const double own = value_at(picture, kVariance + c, u, v);
                const double other = value_at(picture, kVariance + c, u + dx, v + dy);
                sum += (difference * difference - own - std::min(own, other)) /
                       (1e-8 + bandwidth * bandwidth * (own + other));
            }
        }
    }
    return std::max(0.0, sum / (3.0 * (2 * kPatch + 1) * (2 * kPatch + 1)));
}

double weight_of(const Planes& picture, double bandwidth, i64 x, i64 y, i64 dx, i64 dy) {
    double exponent = patch_distance(picture, bandwidth, x, y, dx, dy);
    for (u32 c = 0; c < 3; ++c) {
        const double turned =
            value_at(picture, kNormal + c, x, y) - value_at(picture, kNormal + c, x + dx, y + dy);
        const double painted =
            value_at(picture, kAlbedo + c, x, y) - value_at(picture, kAlbedo + c, x + dx, y + dy);
        exponent += turned * turned + 0.25 * painted * painted;
    }
    return std::exp(-exponent);
}

using Features = std::array<double, kRegressed>;

Features features_of(const Planes& picture, i64 x, i64 y, i64 dx, i64 dy) {
    const auto difference = [&](u32 channel) {
        return value_at(picture, channel, x + dx, y + dy) - value_at(picture, channel, x, y);
    };
    const double depth = 10 * difference(kInverse) / (value_at(picture, kInverse, x, y) + 0.05);
    return {1,
            difference(kNormal),
            difference(kNormal + 1),
            difference(kNormal + 2),
            static_cast<double>(dx) / kWindow,
            static_cast<double>(dy) / kWindow,
            std::clamp(depth, -3.0, 3.0),
            difference(kAlbedo),
            difference(kAlbedo + 1),
            difference(kAlbedo + 2)};
}

// The normal equations of one channel, solved by elimination without pivots: the matrix is
// positive.
double first_coefficient(std::array<Features, kRegressed> matrix, Features right) {
    const double ridge = 1e-3 * matrix[0][0];
    for (u32 i = 1; i < kRegressed; ++i) {
        matrix[i][i] += ridge;
    }
    // The unknown "one" comes last, so that it is left at the end.
    for (u32 k = kRegressed - 1; k >= 1; --k) {
        for (u32 i = 0; i < k; ++i) {
            const double part = matrix[i][k] / matrix[k][k];
            for (u32 j = 0; j < k; ++j) {
                matrix[i][j] -= part * matrix[k][j];
            }
            right[i] -= part * right[k];
        }
    }
    return right[0] / matrix[0][0];
}

}  // namespace

std::array<double, 3> regress_plainly(const Planes& picture, double bandwidth, u32 x, u32 y) {
    std::array<Features, kRegressed> matrix{};
    std::array<Features, 3> right{};
    for (i64 dy = -kWindow; dy <= kWindow; ++dy) {
        for (i64 dx = -kWindow; dx <= kWindow; ++dx) {
            if (x + dx < 0 || y + dy < 0 || x + dx >= picture.width() ||
                y + dy >= picture.height()) {
                continue;
            }
            const double weight = weight_of(picture, bandwidth, x, y, dx, dy);
            const Features features = features_of(picture, x, y, dx, dy);
            for (u32 i = 0; i < kRegressed; ++i) {
                for (u32 k = 0; k < kRegressed; ++k) {
                    matrix[i][k] += weight * features[i] * features[k];
                }
                for (u32 c = 0; c < 3; ++c) {
                    right[c][i] +=
                        weight * features[i] * value_at(picture, kLight + c, x + dx, y + dy);
                }
            }
        }
    }
    std::array<double, 3> light{};
    for (u32 c = 0; c < 3; ++c) {
        light[c] = std::max(0.0, first_coefficient(matrix, right[c]));
    }
    return light;
}

}  // namespace weft::denoise::testing
