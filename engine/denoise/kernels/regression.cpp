// regression.cpp — the loop of regression.h, compiled once per instruction set.
//
// A block is copied with the pixels around it, then each neighbour (dx, dy) in turn: its weights
// for all pixels of the block, then its part of their normal equations. At the end these are solved
// by Cholesky's method, a register of pixels at a time.
#include "engine/denoise/kernels/regression.h"

#include <algorithm>
#include <array>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/denoise/kernels/regression.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#ifndef WEFT_DENOISE_REGRESSION_ONCE
#    define WEFT_DENOISE_REGRESSION_ONCE

namespace weft::denoise {

namespace {

constexpr u32 kAround = kWindowReach + kPatchReach;
constexpr u32 kCopyWidth = kBlockWidth + 2 * kAround + 16;  // and a register
constexpr u32 kCopyHeight = kBlockHeight + 2 * kAround;
constexpr u32 kPatchWidth = kBlockWidth + 2 * kPatchReach + 16;
constexpr u32 kPatchHeight = kBlockHeight + 2 * kPatchReach;
constexpr u32 kWindowWidth = 2 * kWindowReach + 1;
constexpr u32 kSumsOfPixel = kRegressed * (kRegressed + 1) / 2 + kRegressed * kColours;
constexpr float kRidge = 1e-3F;       // of the sum of weights
constexpr float kDepthScale = 10.0F;  // a change of depth by a tenth counts as one
constexpr float kLog2E = 1.44269504F;

// A block with its surroundings. Beyond the picture its edges go on; `inside` is 0 there.
struct BlockCopy {
    std::vector<float> values =
        std::vector<float>((kRegressionPlanes + 1) * kCopyWidth * kCopyHeight);

    [[nodiscard]] const float* at(u32 plane, i64 x, i64 y) const {
        return values.data() +
               (plane * kCopyHeight + static_cast<std::size_t>(y + i64{kAround})) * kCopyWidth +
               static_cast<std::size_t>(x + i64{kAround});
    }
};

constexpr u32 kInside = kRegressionPlanes;

BlockCopy copy_block(const Planes& picture, u32 x0, u32 y0) {
    BlockCopy copy;
    const i64 width = picture.width();
    const i64 height = picture.height();
    // Columns of the copy from `begin` to `end` are in the picture.
    const i64 left = i64{x0} - i64{kAround};
    const i64 begin = std::max<i64>(-left, 0);
    const i64 end = std::min<i64>(width - left, kCopyWidth);
    float* to = copy.values.data();
    for (u32 plane = 0; plane < kRegressionPlanes; ++plane) {
        for (u32 row = 0; row < kCopyHeight; ++row, to += kCopyWidth) {
            const i64 y = std::clamp<i64>(i64{y0} + row - i64{kAround}, 0, height - 1);
            const float* const from = picture.row(plane, static_cast<u32>(y));
            std::fill(to, to + begin, from[0]);
            std::copy(from + left + begin, from + left + end, to + begin);
            std::fill(to + end, to + kCopyWidth, from[width - 1]);
        }
    }
    for (u32 row = 0; row < kCopyHeight; ++row, to += kCopyWidth) {
        const i64 y = i64{y0} + row - i64{kAround};
        std::fill(to + begin, to + end, y >= 0 && y < height ? 1.0F : 0.0F);
    }
    return copy;
}

}  // namespace

}  // namespace weft::denoise

#endif

HWY_BEFORE_NAMESPACE();

namespace weft::denoise::HWY_NAMESPACE {

namespace {

namespace hn = hwy::HWY_NAMESPACE;

using FloatLanes = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatLanes>;

// 2^x for x ≤ 0; 0 below −126. Relative error below 2e-7: the polynomial of
// shaders/lanes/elementary-inl.h.
HWY_INLINE FloatVector power_of_two(FloatVector x) {
    const FloatLanes lanes;
    const hn::RebindToSigned<FloatLanes> whole_lanes;
    const FloatVector inside = hn::Max(x, hn::Set(lanes, -126.0F));
    const FloatVector whole = hn::Floor(hn::Add(inside, hn::Set(lanes, 0.5F)));
    const FloatVector f = hn::Sub(inside, whole);
    FloatVector p =
        hn::MulAdd(f, hn::Set(lanes, 1.52973237607e-5F), hn::Set(lanes, 0.000154614446986F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 0.00133335023862F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 0.00961805666718F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 0.0555041088391F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 0.240226509223F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 0.69314718056F));
    p = hn::MulAdd(p, f, hn::Set(lanes, 1.0F));
    const auto exponent = hn::ConvertTo(whole_lanes, hn::Add(whole, hn::Set(lanes, 127.0F)));
    const FloatVector scale = hn::BitCast(lanes, hn::ShiftLeft<23>(exponent));
    return hn::IfThenElse(hn::Lt(x, hn::Set(lanes, -126.0F)), hn::Zero(lanes), hn::Mul(p, scale));
}

// What a block needs beside its copy.
struct BlockSums {
    std::vector<float> distance = std::vector<float>(kPatchWidth * kPatchHeight);
    std::vector<float> rows = std::vector<float>(kPatchWidth * kPatchHeight);
    // Of each neighbour in a row of them.
    std::vector<float> weights = std::vector<float>(kWindowWidth * kBlockWidth * kBlockHeight);
    // Per register of pixels and feature: its row of the normal matrix up to the diagonal, then its
    // right sides.
    std::vector<float> sums = std::vector<float>(kSumsOfPixel * kBlockWidth * kBlockHeight);

    [[nodiscard]] const float* weights_of(i64 k) const {
        return weights.data() + static_cast<std::size_t>(k) * (kBlockWidth * kBlockHeight);
    }
};

// The weights of this neighbour in the row dy for all pixels of the block.
void weigh(const BlockCopy& copy, float bandwidth, i64 neighbour, i64 dy, BlockSums& block) {
    const FloatLanes lanes;
    const i64 dx = neighbour - i64{kWindowReach};
    float* const weights =
        block.weights.data() + static_cast<std::size_t>(neighbour) * (kBlockWidth * kBlockHeight);
    const auto count = static_cast<u32>(hn::Lanes(lanes));
    const FloatVector tiny = hn::Set(lanes, 1e-8F);
    const FloatVector tolerance = hn::Set(lanes, bandwidth * bandwidth);
    // Distances of single pixels.
    constexpr i64 kEdge = kPatchReach;
    for (u32 row = 0; row < kPatchHeight; ++row) {
        const i64 y = i64{row} - kEdge;
        for (u32 column = 0; column < kBlockWidth + 2 * kPatchReach; column += count) {
            const i64 x = i64{column} - kEdge;
            FloatVector sum = hn::Zero(lanes);
            for (u32 c = 0; c < kColours; ++c) {
                const FloatVector here = hn::LoadU(lanes, copy.at(kGuide + c, x, y));
                const FloatVector there = hn::LoadU(lanes, copy.at(kGuide + c, x + dx, y + dy));
                const FloatVector own = hn::LoadU(lanes, copy.at(kVariance + c, x, y));
                const FloatVector other = hn::LoadU(lanes, copy.at(kVariance + c, x + dx, y + dy));
                const FloatVector difference = hn::Sub(here, there);
                const FloatVector noise = hn::Add(own, hn::Min(own, other));
                const FloatVector scale = hn::MulAdd(tolerance, hn::Add(own, other), tiny);
                sum = hn::Add(sum, hn::Div(hn::Sub(hn::Mul(difference, difference), noise), scale));
            }
            hn::StoreU(sum, lanes, block.distance.data() + row * kPatchWidth + column);
        }
    }
    // Their sums over the patch: columns, then rows.
    for (u32 row = 0; row < kBlockHeight; ++row) {
        for (u32 column = 0; column < kBlockWidth + 2 * kPatchReach; column += count) {
            const float* const from = block.distance.data() + row * kPatchWidth + column;
            FloatVector sum = hn::LoadU(lanes, from);
            for (u32 k = 1; k <= 2 * kPatchReach; ++k) {
                sum = hn::Add(sum, hn::LoadU(lanes, from + k * kPatchWidth));
            }
            hn::StoreU(sum, lanes, block.rows.data() + row * kPatchWidth + column);
        }
    }
    constexpr float kPerPatch = 1.0F / (3.0F * (2 * kPatchReach + 1) * (2 * kPatchReach + 1));
    for (u32 row = 0; row < kBlockHeight; ++row) {
        for (u32 column = 0; column < kBlockWidth; column += count) {
            const float* const from = block.rows.data() + row * kPatchWidth + column;
            FloatVector sum = hn::LoadU(lanes, from);
            for (u32 k = 1; k <= 2 * kPatchReach; ++k) {
                sum = hn::Add(sum, hn::LoadU(lanes, from + k));
            }
            FloatVector exponent =
                hn::Max(hn::Mul(sum, hn::Set(lanes, kPerPatch)), hn::Zero(lanes));
            for (u32 c = 0; c < kColours; ++c) {
                const FloatVector turned =
                    hn::Sub(hn::LoadU(lanes, copy.at(kNormal + c, column, row)),
                            hn::LoadU(lanes, copy.at(kNormal + c, column + dx, row + dy)));
                const FloatVector painted =
                    hn::Sub(hn::LoadU(lanes, copy.at(kAlbedo + c, column, row)),
                            hn::LoadU(lanes, copy.at(kAlbedo + c, column + dx, row + dy)));
                exponent = hn::MulAdd(turned, turned, exponent);
                exponent = hn::MulAdd(hn::Mul(painted, painted), hn::Set(lanes, 0.25F), exponent);
            }
            const FloatVector weight =
                hn::Mul(power_of_two(hn::Mul(exponent, hn::Set(lanes, -kLog2E))),
                        hn::LoadU(lanes, copy.at(kInside, column + dx, row + dy)));
            hn::StoreU(weight, lanes, weights + row * kBlockWidth + column);
        }
    }
}

// A neighbour of each pixel of a register: its features relative to the pixel, and its light.
struct Neighbour {
    FloatVector weight;
    FloatVector features[kRegressed];
    FloatVector light[kColours];
};

// The neighbour k of its row, seen from the register of pixels at (column, row) of the block.
HWY_INLINE void load_neighbour(const BlockCopy& copy,
                               const BlockSums& block,
                               i64 k,
                               i64 dy,
                               u32 column,
                               u32 row,
                               Neighbour& n) {
    const FloatLanes lanes;
    const i64 dx = k - i64{kWindowReach};
    const auto difference = [&](u32 plane) {
        return hn::Sub(hn::LoadU(lanes, copy.at(plane, column + dx, row + dy)),
                       hn::LoadU(lanes, copy.at(plane, column, row)));
    };
    const FloatVector near = hn::LoadU(lanes, copy.at(kInverse, column, row));
    const FloatVector depth = hn::Div(hn::Mul(difference(kInverse), hn::Set(lanes, kDepthScale)),
                                      hn::Add(near, hn::Set(lanes, 0.05F)));
    n.features[0] = hn::Set(lanes, 1.0F);
    n.features[4] = hn::Set(lanes, static_cast<float>(dx) / static_cast<float>(kWindowReach));
    n.features[5] = hn::Set(lanes, static_cast<float>(dy) / static_cast<float>(kWindowReach));
    n.features[6] = hn::Min(hn::Max(depth, hn::Set(lanes, -3.0F)), hn::Set(lanes, 3.0F));
    for (u32 c = 0; c < kColours; ++c) {
        n.features[1 + c] = difference(kNormal + c);
        n.features[7 + c] = difference(kAlbedo + c);
        n.light[c] = hn::LoadU(lanes, copy.at(kLight + c, column + dx, row + dy));
    }
    n.weight = hn::LoadU(lanes, block.weights_of(k) + row * kBlockWidth + column);
}

// Adds five neighbours to the normal equations of a register of pixels, one after the other: a sum
// is read and written once for all of them.
HWY_INLINE void add_five(const Neighbour* n, float* sums) {
    const FloatLanes lanes;
    const auto count = static_cast<u32>(hn::Lanes(lanes));
    for (u32 i = 0; i < kRegressed; ++i) {
        const FloatVector weighted0 = hn::Mul(n[0].weight, n[0].features[i]);
        const FloatVector weighted1 = hn::Mul(n[1].weight, n[1].features[i]);
        const FloatVector weighted2 = hn::Mul(n[2].weight, n[2].features[i]);
        const FloatVector weighted3 = hn::Mul(n[3].weight, n[3].features[i]);
        const FloatVector weighted4 = hn::Mul(n[4].weight, n[4].features[i]);
        const auto add = [&](const auto& value_of) {
            FloatVector sum = hn::LoadU(lanes, sums);
            sum = hn::MulAdd(weighted0, value_of(n[0]), sum);
            sum = hn::MulAdd(weighted1, value_of(n[1]), sum);
            sum = hn::MulAdd(weighted2, value_of(n[2]), sum);
            sum = hn::MulAdd(weighted3, value_of(n[3]), sum);
            sum = hn::MulAdd(weighted4, value_of(n[4]), sum);
            hn::StoreU(sum, lanes, sums);
            sums += count;
        };
        for (u32 k = 0; k <= i; ++k) {
            add([k](const Neighbour& each) { return each.features[k]; });
        }
        for (u32 c = 0; c < kColours; ++c) {
            add([c](const Neighbour& each) { return each.light[c]; });
        }
    }
}

// Adds the neighbours of row dy, whose weights are known, to the normal equations of all pixels of
// the block.
void add_neighbours(const BlockCopy& copy, i64 dy, BlockSums& block) {
    constexpr u32 kTogether = 5;
    static_assert(kWindowWidth % kTogether == 0);
    const auto count = static_cast<u32>(hn::Lanes(FloatLanes()));
    float* sums = block.sums.data();
    for (u32 row = 0; row < kBlockHeight; ++row) {
        for (u32 column = 0; column < kBlockWidth; column += count) {
            for (u32 first = 0; first < kWindowWidth; first += kTogether) {
                Neighbour neighbours[kTogether];
                for (u32 k = 0; k < kTogether; ++k) {
                    load_neighbour(copy, block, first + k, dy, column, row, neighbours[k]);
                }
                add_five(neighbours, sums);
            }
            sums += std::size_t{count} * kSumsOfPixel;
        }
    }
}

// Solves the normal equations of a register of pixels for the coefficient of the feature "one".
void solve(const float* sums, FloatVector (&light)[kColours]) {
    const FloatLanes lanes;
    const std::size_t count = hn::Lanes(lanes);
    FloatVector lower[kRegressed][kRegressed];
    FloatVector inverse[kRegressed];
    FloatVector right[kRegressed][kColours];
    for (u32 i = 0; i < kRegressed; ++i) {
        for (u32 k = 0; k <= i; ++k, sums += count) {
            lower[i][k] = hn::LoadU(lanes, sums);
        }
        for (u32 c = 0; c < kColours; ++c, sums += count) {
            right[i][c] = hn::LoadU(lanes, sums);
        }
    }
    const FloatVector ridge = hn::Mul(lower[0][0], hn::Set(lanes, kRidge));
    for (u32 i = 0; i < kRegressed; ++i) {
        lower[i][i] = i == 0 ? lower[i][i] : hn::Add(lower[i][i], ridge);
        for (u32 k = 0; k <= i; ++k) {
            FloatVector rest = lower[i][k];
            for (u32 j = 0; j < k; ++j) {
                rest = hn::NegMulAdd(lower[i][j], lower[k][j], rest);
            }
            if (k < i) {
                lower[i][k] = hn::Mul(rest, inverse[k]);
            } else {
                const FloatVector least =
                    hn::MulAdd(ridge, hn::Set(lanes, 0.1F), hn::Set(lanes, 1e-20F));
                inverse[i] = hn::Div(hn::Set(lanes, 1.0F), hn::Sqrt(hn::Max(rest, least)));
            }
        }
    }
    // Forwards, then backwards; only the first coefficient is wanted.
    for (u32 c = 0; c < kColours; ++c) {
        for (u32 i = 0; i < kRegressed; ++i) {
            FloatVector rest = right[i][c];
            for (u32 j = 0; j < i; ++j) {
                rest = hn::NegMulAdd(lower[i][j], right[j][c], rest);
            }
            right[i][c] = hn::Mul(rest, inverse[i]);
        }
        for (u32 i = kRegressed; i-- > 0;) {
            FloatVector rest = right[i][c];
            for (u32 j = i + 1; j < kRegressed; ++j) {
                rest = hn::NegMulAdd(lower[j][i], right[j][c], rest);
            }
            right[i][c] = hn::Mul(rest, inverse[i]);
        }
        light[c] = right[0][c];
    }
}

}  // namespace

void regress(const Planes& picture, float bandwidth, u32 x0, u32 y0, Planes& out) {
    const FloatLanes lanes;
    const auto count = static_cast<u32>(hn::Lanes(lanes));
    constexpr i64 kReachOfWindow = kWindowReach;
    const BlockCopy copy = copy_block(picture, x0, y0);
    BlockSums block;
    for (i64 dy = -kReachOfWindow; dy <= kReachOfWindow; ++dy) {
        for (i64 k = 0; k < i64{kWindowWidth}; ++k) {
            weigh(copy, bandwidth, k, dy, block);
        }
        add_neighbours(copy, dy, block);
    }
    const float* sums = block.sums.data();
    std::array<float, 16> values{};
    for (u32 row = 0; row < kBlockHeight; ++row) {
        for (u32 column = 0; column < kBlockWidth; column += count) {
            FloatVector light[kColours];
            solve(sums, light);
            sums += std::size_t{count} * kSumsOfPixel;
            for (u32 c = 0; c < kColours; ++c) {
                hn::StoreU(hn::Max(light[c], hn::Zero(lanes)), lanes, values.data());
                for (u32 k = 0; k < count; ++k) {
                    if (x0 + column + k < out.width() && y0 + row < out.height()) {
                        out.row(c, y0 + row)[x0 + column + k] = values[k];
                    }
                }
            }
        }
    }
}

}  // namespace weft::denoise::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace weft::denoise {

RegressBlock regress_block(shaders::Isa isa) {
#    if HWY_TARGETS & HWY_AVX3
    if (isa == shaders::Isa::Avx512) {
        return N_AVX3::regress;
    }
#    endif
#    if HWY_TARGETS & HWY_AVX2
    if (isa != shaders::Isa::Sse4) {
        return N_AVX2::regress;
    }
#    endif
    return N_SSE4::regress;
}

}  // namespace weft::denoise

#endif
