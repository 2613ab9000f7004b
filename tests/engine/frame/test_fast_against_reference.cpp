// test_fast_against_reference.cpp — the SIMD renderer against the double-precision reference
// tracer, scene by scene.
//
// Both use the same sample sequence, so pixels differ by rounding alone, except where rounding
// flips a decision (another lobe, another edge). Such paths are unbiased: the mean of the
// differences must lie within its own 99.9 % confidence interval, widened by a relative 2e-4 for
// what float rounding may shift (albedo tables, texture weights).
#include <array>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "engine/trace/reference/reference_tracer.h"
#include "tests/engine/trace/small_scenes.h"

namespace {

using weft::u32;
using weft::frame::Renderer;
using weft::frame::RenderSettings;
using weft::shaders::Isa;
using weft::trace::SchedulerMode;

constexpr u32 kSize = 24;
constexpr u32 kSamples = 16;
constexpr double kQuantile = 3.2905;  // 99.9 %, two-sided
constexpr double kFloatShift = 2e-4;

RenderSettings settings_of(Isa isa, SchedulerMode mode) {
    RenderSettings settings;
    settings.width = kSize;
    settings.height = kSize;
    settings.samples_per_pixel = kSamples;
    settings.thread_count = 2;
    settings.isa = isa;
    settings.integrator.mode = mode;
    settings.integrator.path_count = 1024;
    settings.integrator.trace_batch = 1024;
    return settings;
}

// Mean pixels of the reference tracer.
std::vector<std::array<double, 3>> reference_pixels(const weft::scene::Scene& scene) {
    const weft::trace::SceneTables tables = weft::trace::make_scene_tables(scene, {});
    const std::vector<float> filter =
        weft::trace::make_filter_table(weft::trace::PixelFilter::BlackmanHarris);
    weft::trace::ReferenceSettings settings;
    settings.params.width = kSize;
    settings.params.height = kSize;
    settings.params.max_bounces = 8;
    settings.params.clamp_direct = INFINITY;
    settings.params.clamp_indirect = INFINITY;
    settings.params.filter_table = filter.data();
    settings.camera = weft::trace::make_camera(scene.cameras.front(), kSize, kSize);
    const weft::trace::ReferenceTracer tracer(tables, settings);
    std::vector<std::array<double, 3>> pixels;
    for (u32 y = 0; y < kSize; ++y) {
        for (u32 x = 0; x < kSize; ++x) {
            std::array<double, 3> sum{};
            for (u32 i = 0; i < kSamples; ++i) {
                const auto rgba = tracer.trace_sample(x, y, i);
                for (std::size_t c = 0; c < 3; ++c) {
                    sum[c] += rgba[c] / kSamples;
                }
            }
            pixels.push_back(sum);
        }
    }
    return pixels;
}

void compare(const weft::scene::Scene& scene,
             const std::vector<std::array<double, 3>>& expected,
             Isa isa,
             SchedulerMode mode) {
    auto renderer = Renderer::prepare(scene, scene.cameras.front(), settings_of(isa, mode), {});
    REQUIRE(renderer.is_ok());
    REQUIRE(renderer.value()->render({}).is_ok());
    for (std::size_t c = 0; c < 3; ++c) {
        double mean = 0;
        double mean_difference = 0;
        double square = 0;
        const double count = kSize * kSize;
        for (u32 k = 0; k < kSize * kSize; ++k) {
            const double got =
                static_cast<double>(renderer.value()->film().pixel(k % kSize, k / kSize)[c]);
            const double difference = got - expected[k][c];
            mean += expected[k][c] / count;
            mean_difference += difference / count;
            square += difference * difference / count;
        }
        const double deviation =
            std::sqrt(std::max(0.0, square - mean_difference * mean_difference) / count);
        INFO("channel " << c << " mean " << mean << " difference " << mean_difference << " ± "
                        << deviation);
        CHECK(std::fabs(mean_difference) <= kQuantile * deviation + kFloatShift * mean);
        // Most pixels agree to float rounding: a shifted formula would show here even without bias.
        CHECK(std::sqrt(square) <= 0.1 * mean + 1e-6);
    }
    CHECK(renderer.value()->figures().dropped_samples == 0);
}

}  // namespace

TEST_SUITE("engine/frame/fast_against_reference") {
    TEST_CASE("every scene agrees with the reference on every instruction set and scheduler") {
        for (const weft::tests::SmallScene& small : weft::tests::ten_scenes()) {
            INFO("scene " << small.name);
            const auto expected = reference_pixels(small.scene);
            for (const Isa isa : {Isa::Sse4, Isa::Avx2, Isa::Avx512}) {
                if (!weft::shaders::is_supported(isa)) {
                    continue;
                }
                for (const SchedulerMode mode :
                     {SchedulerMode::Keyed, SchedulerMode::Unkeyed, SchedulerMode::Embree}) {
                    INFO("instruction set " << weft::shaders::isa_name(isa) << " mode "
                                            << static_cast<int>(mode));
                    compare(small.scene, expected, isa, mode);
                }
            }
        }
    }
}
