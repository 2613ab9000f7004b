#include "engine/denoise/fast_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <new>

#include "scheduler/base/memory_limit.h"

namespace weft::denoise {

namespace {

constexpr u32 kMostSide = 16384;
constexpr u32 kRowsPerJob = 8;
constexpr u32 kMostLanes = 16;

struct FastLayer {
    const char* name;
    std::span<const float> values;
    u32 channels;
    bool is_needed;
};

std::array<FastLayer, 6> layers_of(const FastInput& input) {
    return {{{"colour", input.colour, 3, true},
             {"first half", input.first_half, 3, false},
             {"second half", input.second_half, 3, false},
             {"albedo", input.albedo, 3, false},
             {"normal", input.normal, 3, false},
             {"depth", input.depth, 1, false}}};
}

base::Error wrong_size(const char* name, u64 values, u64 expected) {
    return {base::ErrorKind::Scene,
            fmt::format("layer {}: {} values; expected {}", name, values, expected)};
}

// The first value that is not finite.
base::Error not_finite(const FastInput& input) {
    for (const FastLayer& layer : layers_of(input)) {
        const auto bad = std::find_if(layer.values.begin(), layer.values.end(), [](float value) {
            return !std::isfinite(value);
        });
        if (bad != layer.values.end()) {
            const u64 pixel = static_cast<u64>(bad - layer.values.begin()) / layer.channels;
            return {base::ErrorKind::Scene,
                    fmt::format("layer {}: not finite at pixel {},{}",
                                layer.name,
                                pixel % input.width,
                                pixel / input.width)};
        }
    }
    return {base::ErrorKind::Scene, "a value is not finite"};
}

template <typename Value>
std::span<Value> row_of(std::span<Value> values, u32 width, u32 channels, u32 y) {
    const std::size_t count = std::size_t{width} * channels;
    return values.empty() ? values : values.subspan(y * count, count);
}

WaveletRow input_row(const FastInput& input, u32 y) {
    const u32 width = input.width;
    return {row_of(input.colour, width, 3, y),
            row_of(input.first_half, width, 3, y),
            row_of(input.second_half, width, 3, y),
            row_of(input.albedo, width, 3, y),
            row_of(input.normal, width, 3, y),
            row_of(input.depth, width, 1, y),
            row_of(input.samples, width, 1, y),
            input.sample_count};
}

// Runs row(y) for all rows, kRowsPerJob in a job.
template <typename Row>
void for_rows(u32 height, const RunJobs& run, const Row& row) {
    const auto rows_of_job = [height, &row](u32 job) {
        for (u32 y = job * kRowsPerJob; y < std::min(height, (job + 1) * kRowsPerJob); ++y) {
            row(y);
        }
    };
    // A reference fits into the function itself: nothing is allocated.
    run((height + kRowsPerJob - 1) / kRowsPerJob, std::ref(rows_of_job));
}

// A brightness far below that of a typical pixel: as dark_light().
float dark_of(std::span<const RowSums> sums) {
    double roots = 0;
    u64 known = 0;
    for (const RowSums& row : sums) {
        roots += row.roots;
        known += row.known;
    }
    const double mean = known == 0 ? 0.0 : roots / static_cast<double>(known);
    return mean > 0 ? static_cast<float>(std::max(0.4 * mean * mean, 1e-12)) : 1.0F;
}

}  // namespace

FastFilter::FastFilter(shaders::Isa isa) : kernels_(wavelet_kernels(isa)) {}

base::Status FastFilter::resize(u32 width, u32 height) {
    if (width == 0 || height == 0 || width > kMostSide || height > kMostSide) {
        return base::Error{base::ErrorKind::Scene,
                           fmt::format("a picture of {}x{} pixels; expected sides from 1 to {}",
                                       width,
                                       height,
                                       kMostSide)};
    }
    if (width == planes_.width && height == planes_.height) {
        return base::Done{};
    }
    const u32 registers = (width + kMostLanes - 1) / kMostLanes;
    const std::size_t stride = std::size_t{registers} * kMostLanes + 2 * kWaveletPad;
    const std::size_t count = stride * kWaveletPlanes * height;
    base::Result<base::MemoryClaim> claim =
        base::claim_memory(count * sizeof(float), "the fast denoiser");
    WEFT_TRY(claim);
    try {
        planes_ = {};
        values_.assign(count, 0.0F);
        sums_.assign(height, RowSums{});
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory, "out of memory while denoising"};
    }
    claim.value().give_back(count * sizeof(float));
    planes_ = {width, height, stride, values_.data()};
    return base::Done{};
}

base::Status FastFilter::check(const FastInput& input, std::span<float> out) const {
    const u64 pixels = u64{input.width} * input.height;
    for (const FastLayer& layer : layers_of(input)) {
        const u64 expected = pixels * layer.channels;
        if (layer.values.size() != expected && (layer.is_needed || !layer.values.empty())) {
            return wrong_size(layer.name, layer.values.size(), expected);
        }
    }
    if (!input.samples.empty() && input.samples.size() != pixels) {
        return wrong_size("samples", input.samples.size(), pixels);
    }
    if (input.first_half.empty() != input.second_half.empty()) {
        return wrong_size(input.first_half.empty() ? "first half" : "second half", 0, 3 * pixels);
    }
    return out.size() == 3 * pixels ? base::Status(base::Done{})
                                    : wrong_size("output", out.size(), 3 * pixels);
}

base::Status FastFilter::filter(const FastInput& input, std::span<float> out, const RunJobs& run) {
    WEFT_TRY(check(input, out));
    WEFT_TRY(resize(input.width, input.height));
    for_rows(input.height, run, [&](u32 y) {
        sums_[y] = kernels_.prepare(input_row(input, y), planes_, y);
    });
    const bool is_finite =
        std::all_of(sums_.begin(), sums_.end(), [](const RowSums& row) { return row.is_finite; });
    if (!is_finite) {
        return not_finite(input);
    }
    const WaveletScale scale{dark_of(sums_), !input.first_half.empty()};
    for_rows(input.height, run, [&](u32 y) { kernels_.examine(scale, planes_, y); });
    for (u32 level = 0; level < kWaveletLevels; ++level) {
        for_rows(input.height, run, [&](u32 y) { kernels_.smooth(scale, planes_, level, y); });
    }
    for_rows(input.height, run, [&](u32 y) {
        kernels_.finish(scale, planes_, input_row(input, y), y, row_of(out, input.width, 3, y));
    });
    return base::Done{};
}

}  // namespace weft::denoise
