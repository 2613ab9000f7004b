// test_fast_filter.cpp — the fast filter against the plain one, the same bits, and bad input.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include "engine/denoise/fast_filter.h"
#include "tests/engine/denoise/allocation_count.h"
#include "tests/engine/denoise/plain_wavelet.h"

namespace weft::denoise::testing {

namespace {

// A wall and a floor that meet at a slanted edge, a shadow, a few bright outliers, and sky.
struct Room {
    u32 width;
    u32 height;
    std::vector<float> truth, colour, first, second, albedo, normal, depth;
    std::vector<u32> samples;

    [[nodiscard]] FastInput input(bool has_halves = true) const {
        FastInput input;
        input.width = width;
        input.height = height;
        input.colour = colour;
        if (has_halves) {
            input.first_half = first;
            input.second_half = second;
        }
        input.albedo = albedo;
        input.normal = normal;
        input.depth = depth;
        input.samples = samples;
        return input;
    }
};

Room room(u32 width, u32 height, float noise) {
    std::mt19937 random(5);
    std::normal_distribution<float> error(0, noise * std::sqrt(2.0F));
    Room room{width, height, {}, {}, {}, {}, {}, {}, {}, {}};
    for (u32 y = 0; y < height; ++y) {
        for (u32 x = 0; x < width; ++x) {
            const bool is_sky = 4 * y < height && 2 * x > width;
            const bool is_wall = 3 * x + 2 * y < 2 * width;
            const float light = x % 40 < 15 ? 0.5F : 1.5F;
            const bool is_outlier = noise > 0 && random() % 97 == 0;
            room.depth.push_back(is_sky ? 0 : is_wall ? 4 : 100 / static_cast<float>(10 + y));
            for (u32 c = 0; c < 3; ++c) {
                const float paint = (x / 3 + y / 2) % 2 == 0 ? 0.2F : 0.7F;
                room.albedo.push_back(is_sky ? 0 : paint);
                room.normal.push_back(!is_sky && c == (is_wall ? 2U : 1U) ? 1.0F : 0.0F);
                const float truth = is_sky ? 0.4F : light * paint;
                room.truth.push_back(truth);
                room.first.push_back(truth * (1 + error(random)) + (is_outlier ? 30.0F : 0.0F));
                room.second.push_back(truth * (1 + error(random)));
                room.colour.push_back(0.5F * (room.first.back() + room.second.back()));
            }
        }
    }
    return room;
}

std::vector<float> filtered(const FastInput& input, shaders::Isa isa = shaders::best_isa()) {
    FastFilter filter(isa);
    std::vector<float> out(input.colour.size());
    const base::Status status = filter.filter(input, out, run_on_tbb);
    INFO(status.error().sentence);
    REQUIRE(status.is_ok());
    return out;
}

double error_of(const std::vector<float>& picture, const std::vector<float>& truth) {
    double sum = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) {
        sum += std::pow(static_cast<double>(picture[k] - truth[k]), 2);
    }
    return sum / static_cast<double>(truth.size());
}

double mean_of(const std::vector<float>& picture) {
    double sum = 0;
    for (const float value : picture) {
        sum += static_cast<double>(value);
    }
    return sum / static_cast<double>(picture.size());
}

std::string refusal_of(const FastInput& input) {
    FastFilter filter;
    std::vector<float> out(input.colour.size());
    const base::Status status = filter.filter(input, out, run_on_tbb);
    REQUIRE(!status.is_ok());
    CHECK(status.error().kind == base::ErrorKind::Scene);
    return status.error().sentence;
}

constexpr std::array<shaders::Isa, 3> kFilterIsas = {
    shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512};

}  // namespace

TEST_SUITE("engine/denoise/fast_filter") {
    TEST_CASE("each instruction set gives what the plain filter does") {
        for (const auto& [width, height] :
             {std::array{90U, 47U}, std::array{1U, 1U}, std::array{3U, 70U}, std::array{33U, 2U}}) {
            for (const bool has_halves : {true, false}) {
                Room noisy = room(width, height, 0.3F);
                const std::vector<double> plain = filter_plainly(noisy.input(has_halves));
                for (const shaders::Isa isa : kFilterIsas) {
                    if (!shaders::is_supported(isa)) {
                        continue;
                    }
                    CAPTURE(shaders::isa_name(isa));
                    CAPTURE(width);
                    const std::vector<float> out = filtered(noisy.input(has_halves), isa);
                    double largest = 0;
                    for (std::size_t k = 0; k < out.size(); ++k) {
                        const double error = std::fabs(static_cast<double>(out[k]) - plain[k]);
                        largest = std::max(largest, error / (1 + std::fabs(plain[k])));
                    }
                    CHECK(largest < 5e-4);
                }
            }
        }
    }

    TEST_CASE("pixels without a sample get what the plain filter gives them") {
        Room sparse = room(70, 50, 0.2F);
        for (std::size_t k = 0; k < sparse.depth.size(); ++k) {
            const bool has_sample = k % 70 % 8 == 3 && k / 70 % 8 == 3;
            sparse.samples.push_back(has_sample ? 1 : 0);
            for (std::size_t at = 3 * k; at < 3 * (k + 1); ++at) {
                sparse.colour[at] = has_sample ? sparse.truth[at] : 0;
            }
        }
        const std::vector<double> plain = filter_plainly(sparse.input(false));
        const std::vector<float> out = filtered(sparse.input(false));
        double largest = 0;
        for (std::size_t k = 0; k < out.size(); ++k) {
            largest = std::max(largest, std::fabs(static_cast<double>(out[k]) - plain[k]));
        }
        CHECK(largest < 5e-4);
        CHECK(error_of(out, sparse.truth) < 0.2 * error_of(sparse.colour, sparse.truth));
    }

    TEST_CASE("AVX2 and AVX-512 give the same bits") {
        if (shaders::is_supported(shaders::Isa::Avx512)) {
            const Room noisy = room(131, 60, 0.3F);
            CHECK(filtered(noisy.input(), shaders::Isa::Avx2) ==
                  filtered(noisy.input(), shaders::Isa::Avx512));
        }
    }

    TEST_CASE("the number of threads and a call before change no bit") {
        const Room noisy = room(200, 90, 0.3F);
        const std::vector<float> usual = filtered(noisy.input());
        const Room other = room(200, 90, 0.1F);
        for (const std::size_t threads : {1U, 2U, 5U}) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            FastFilter filter;
            std::vector<float> out(noisy.colour.size());
            REQUIRE(filter.filter(other.input(), out, run_on_tbb).is_ok());
            REQUIRE(filter.filter(noisy.input(), out, run_on_tbb).is_ok());
            CHECK(out == usual);
        }
    }

    TEST_CASE("a picture without noise comes through with every bit") {
        const Room clean = room(130, 70, 0);
        CHECK(filtered(clean.input()) == clean.colour);
        // Without halves, where there are many samples.
        Room many = room(130, 70, 0.05F);
        many.samples.assign(many.depth.size(), 8192);
        CHECK(filtered(many.input(false)) == many.colour);
    }

    TEST_CASE("noise and outliers go and the mean stays") {
        for (const bool has_halves : {true, false}) {
            Room noisy = room(160, 120, 0.3F);
            const double outliers = error_of(filtered(noisy.input(has_halves)), noisy.truth) /
                                    error_of(noisy.colour, noisy.truth);
            CHECK(outliers < 0.1);
            const double mean = mean_of(filtered(noisy.input(has_halves)));
            CHECK(std::fabs(mean / mean_of(noisy.truth) - 1) < 0.05);
        }
    }

    TEST_CASE("pictures of one row or column are filtered") {
        for (const auto& [width, height] : {std::array{16384U, 1U}, std::array{1U, 16384U}}) {
            const Room noisy = room(width, height, 0.2F);
            CHECK(error_of(filtered(noisy.input()), noisy.truth) <
                  error_of(noisy.colour, noisy.truth));
        }
    }

    TEST_CASE("a call with a picture of the same size allocates nothing") {
        const Room noisy = room(64, 48, 0.3F);
        const FastInput input = noisy.input();
        std::vector<float> out(noisy.colour.size());
        FastFilter filter;
        const RunJobs run = [](u32 count, const std::function<void(u32)>& job) {
            for (u32 k = 0; k < count; ++k) {
                job(k);
            }
        };
        REQUIRE(filter.filter(input, out, run).is_ok());
        const u64 before = allocation_count();
        const base::Status status = filter.filter(input, out, run);
        const u64 after = allocation_count();
        REQUIRE(status.is_ok());
        CHECK(after == before);
        // The counter counts. Compilers may leave out a vector, but no call of operator new.
        ::operator delete(::operator new(sizeof(float)));
        CHECK(allocation_count() > after);
    }

    TEST_CASE("colour alone is enough") {
        const Room noisy = room(64, 64, 0.3F);
        FastInput input;
        input.width = input.height = 64;
        input.colour = noisy.colour;
        CHECK(error_of(filtered(input), noisy.truth) < error_of(noisy.colour, noisy.truth));
    }

    TEST_CASE("values that are not finite and layers of another size are named") {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        for (const float bad : {std::nanf(""), kInfinity, -kInfinity}) {
            Room noisy = room(50, 10, 0.1F);
            noisy.normal[3 * (50 * 7 + 41) + 1] = bad;
            CHECK(refusal_of(noisy.input()) == "layer normal: not finite at pixel 41,7");
        }
        Room noisy = room(50, 10, 0.1F);
        noisy.depth.pop_back();
        CHECK(refusal_of(noisy.input()) == "layer depth: 499 values; expected 500");
        noisy = room(50, 10, 0.1F);
        noisy.second.clear();
        CHECK(refusal_of(noisy.input()) == "layer second half: 0 values; expected 1500");
        FastInput nothing;
        CHECK(refusal_of(nothing) == "a picture of 0x0 pixels; expected sides from 1 to 16384");
    }
}

}  // namespace weft::denoise::testing
