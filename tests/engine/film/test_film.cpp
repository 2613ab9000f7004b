// test_film.cpp — sums that no order can change, and means that are rounded once.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/film.h"

namespace weft::film {

namespace {

using Sample = std::array<float, kFilmChannels>;

constexpr u32 kSeed = 20240611;

std::vector<Sample> random_samples(std::size_t count) {
    std::mt19937 bits(kSeed);
    std::vector<Sample> samples(count);
    for (Sample& sample : samples) {
        for (float& value : sample) {
            // Magnitudes from 2⁻²⁰ to 2²⁰ and both signs: a float sum would depend on the order.
            const float scale = std::ldexp(1.0F, static_cast<int>(bits() % 41) - 20);
            value = (static_cast<float>(bits() % 20001) / 10000.0F - 1.0F) * scale;
        }
    }
    return samples;
}

ExactSum sum_of(Int128 value) {
    return {static_cast<u64>(value), static_cast<i64>(value >> 64)};
}

// The nearest float by long double arithmetic on the exact quotient, for sums of at most 2⁶³: 64
// bits hold the sum.
bool is_nearest(float mean, i64 sum, u32 count) {
    // |mean·count·2³² − sum| must not exceed that of either neighbour; all three are exact in 128
    // bits.
    const auto distance = [&](float candidate) {
        const Int128 quanta =
            static_cast<Int128>(std::ldexp(static_cast<double>(candidate), 86));  // 2⁵⁴ per quantum
        const Int128 off = quanta * static_cast<Int128>(count) - (static_cast<Int128>(sum) << 54);
        return off < 0 ? -off : off;
    };
    const float up = std::nextafter(mean, std::numeric_limits<float>::infinity());
    const float down = std::nextafter(mean, -std::numeric_limits<float>::infinity());
    return distance(mean) <= distance(up) && distance(mean) <= distance(down);
}

}  // namespace

TEST_SUITE("engine/film/film") {
    TEST_CASE("the order of the samples changes neither pixel nor hash") {
        CAPTURE(kSeed);
        std::vector<Sample> samples = random_samples(500);
        Film first(1, 1, {0, 0, 1, 1}, {});
        for (const Sample& sample : samples) {
            REQUIRE(first.add_sample(0, 0, sample));
        }
        std::mt19937 bits(kSeed);
        for (int round = 0; round < 20; ++round) {
            std::shuffle(samples.begin(), samples.end(), bits);
            Film other(1, 1, {0, 0, 1, 1}, {});
            for (const Sample& sample : samples) {
                REQUIRE(other.add_sample(0, 0, sample));
            }
            CHECK(other.pixel(0, 0) == first.pixel(0, 0));
            CHECK(other.film_hash() == first.film_hash());
        }
    }

    TEST_CASE("threads on disjoint pixels give the film of one thread") {
        constexpr u32 kSide = 32;
        const std::vector<Sample> samples = random_samples(kSide * 8);
        const auto add_row = [&](Film& film, u32 y) {
            for (u32 i = 0; i < samples.size(); ++i) {
                film.add_sample(i % kSide, y, samples[(i + y * 7) % samples.size()]);
            }
        };
        Film serial(kSide, kSide, {0, 0, kSide, kSide}, {});
        for (u32 y = 0; y < kSide; ++y) {
            add_row(serial, y);
        }
        for (const u32 threads : {1u, 2u, 4u, 7u}) {
            Film film(kSide, kSide, {0, 0, kSide, kSide}, {});
            {
                std::vector<std::jthread> workers;
                for (u32 worker = 0; worker < threads; ++worker) {
                    workers.emplace_back([&, worker] {
                        for (u32 y = worker; y < kSide; y += threads) {
                            add_row(film, y);
                        }
                    });
                }
            }
            CHECK(film.film_hash() == serial.film_hash());
        }
    }

    TEST_CASE("a value is rounded once to the quantum with halves to even") {
        const double quantum = std::ldexp(1.0, -32);
        const auto quanta_of = [](double value) {
            i64 quanta = -77;
            REQUIRE(to_quanta(static_cast<float>(value), quanta));
            return quanta;
        };
        CHECK(quanta_of(0.5 * quantum) == 0);
        CHECK(quanta_of(1.5 * quantum) == 2);
        CHECK(quanta_of(2.5 * quantum) == 2);
        CHECK(quanta_of(-0.5 * quantum) == 0);
        CHECK(quanta_of(-1.5 * quantum) == -2);
        CHECK(quanta_of(0.75 * quantum) == 1);
        CHECK(quanta_of(8388607.5 * quantum) == 8388608);
        CHECK(quanta_of(1.0) == i64{1} << 32);
        CHECK(quanta_of(-1073741824.0) == -(i64{1} << 62));
    }

    TEST_CASE("a sample with one channel out of range or not finite is dropped whole") {
        Film film(1, 1, {0, 0, 1, 1}, {});
        REQUIRE(film.add_sample(0, 0, {1, 2, 3, 1}));
        const std::string before = film.film_hash();
        const float beyond = std::nextafter(1073741824.0F, 2e9F);
        for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                                std::numeric_limits<float>::infinity(),
                                -std::numeric_limits<float>::infinity(),
                                beyond,
                                -beyond}) {
            for (std::size_t c = 0; c < kFilmChannels; ++c) {
                Sample sample{1, 1, 1, 1};
                sample[c] = bad;
                CHECK_FALSE(film.add_sample(0, 0, sample));
            }
        }
        CHECK(film.film_hash() == before);
        CHECK(film.sample_count(0, 0) == 1);
        CHECK(film.add_sample(0, 0, {1073741824.0F, -1073741824.0F, 0, 1}));
    }

    TEST_CASE("samples of a pixel added together give the sums of samples added one by one") {
        CAPTURE(kSeed);
        std::vector<Sample> samples = random_samples(700);
        samples[3] = {0x1p30F, -0x1p30F, 0x1p-33F, -0x1p-33F};
        samples[4] = {0x1p30F, -0x1p30F, 0x1.8p-32F, -0x1.8p-32F};
        samples[5] = {0x1p19F, -0x1p19F, 0x1.fffffep18F, -0x1.fffffep18F};
        Film alone(2, 1, {0, 0, 2, 1}, {});
        Film together(2, 1, {0, 0, 2, 1}, {});
        std::vector<u32> dropped(samples.size());
        for (std::size_t k = 0; k < samples.size(); ++k) {
            alone.add_sample(1, 0, samples[k]);
        }
        // In visits of 0, 1, 2 … samples.
        u32 first = 0;
        for (u32 count = 0; first < samples.size(); first += count, ++count) {
            count = std::min(count, static_cast<u32>(samples.size()) - first);
            CHECK(together.add_samples(1, 0, samples[first].data(), count, dropped.data()) == 0);
        }
        CHECK(together.sample_count(1, 0) == samples.size());
        CHECK(together.sample_count(0, 0) == 0);
        CHECK(together.film_hash() == alone.film_hash());
    }

    TEST_CASE("among samples added together the dropped ones are named and the others count") {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        const std::vector<Sample> samples = {{1, 1, 1, 1},
                                             {2, kNan, 2, 2},
                                             {3, 3, 3, 3},
                                             {0x1.000002p30F, 0, 0, 0},
                                             {0, 0, 0, -kInfinity}};
        Film film(1, 1, {0, 0, 1, 1}, {});
        std::array<u32, 5> dropped{};
        REQUIRE(film.add_samples(0, 0, samples[0].data(), 5, dropped.data()) == 3);
        CHECK(dropped[0] == 1);
        CHECK(dropped[1] == 3);
        CHECK(dropped[2] == 4);
        CHECK(film.sample_count(0, 0) == 2);
        CHECK(film.pixel(0, 0) == Sample{2, 2, 2, 2});
    }

    TEST_CASE("sums carry across the low word in both directions") {
        ExactSum sum;
        Int128 wanted = 0;
        for (const i64 step : {i64{1} << 62,
                               i64{1} << 62,
                               i64{1} << 62,
                               i64{1} << 62,
                               i64{-1},
                               i64{1},
                               -(i64{1} << 62)}) {
            sum.add(step);
            wanted += step;
            CHECK(sum.value() == wanted);
        }
        for (int i = 0; i < 8; ++i) {
            sum.add(-(i64{1} << 62));
            wanted -= i64{1} << 62;
            CHECK(sum.value() == wanted);
        }
        CHECK(sum.value() < 0);
    }

    TEST_CASE("a mean is the float nearest to the exact quotient") {
        CAPTURE(kSeed);
        std::mt19937_64 bits(kSeed);
        for (int i = 0; i < 20000; ++i) {
            const u32 count = static_cast<u32>(bits() % 1000) + 1;
            const i64 sum = static_cast<i64>(bits() >> (bits() % 40 + 4)) * ((bits() & 1) ? 1 : -1);
            if (sum != 0) {
                REQUIRE(is_nearest(exact_mean(sum_of(sum), count), sum, count));
            }
        }
    }

    TEST_CASE("a quotient just beside the middle of two floats goes to its own side") {
        // 2²⁴ + 1 quanta lie in the middle of two floats; a ten-millionth part beside it a double
        // division cannot see.
        const u32 count = 10000019;
        const Int128 middle = Int128{(1 << 24) + 1} * static_cast<Int128>(count) * (1 << 12);
        const double unit = std::ldexp(1.0, 12 - 32);
        CHECK(static_cast<double>(exact_mean(sum_of(middle), count)) == (1 << 24) * unit);
        CHECK(static_cast<double>(exact_mean(sum_of(middle + 1), count)) == ((1 << 24) + 2) * unit);
        CHECK(static_cast<double>(exact_mean(sum_of(middle - 1), count)) == (1 << 24) * unit);
        CHECK(static_cast<double>(exact_mean(sum_of(-middle - 1), count)) ==
              -((1 << 24) + 2) * unit);
    }

    TEST_CASE("means of sums beyond 64 bits are exact too") {
        const Int128 sum = Int128{3} << 100;
        CHECK(exact_mean(sum_of(sum), 3) == std::ldexp(1.0F, 68));
        CHECK(exact_mean(sum_of(-sum), 4) == -std::ldexp(0.75F, 68));
        CHECK(exact_mean(sum_of(1), 0xffffffffu) == std::ldexp(1.0F, -64));
        CHECK(exact_mean(sum_of(sum), 0) == 0.0F);
    }

    TEST_CASE("a crop has the pixels of the full picture's coordinates") {
        Film film(8, 6, {2, 3, 5, 6}, {});
        REQUIRE(film.is_allocated());
        REQUIRE(film.add_sample(4, 5, {0.25F, 0.5F, 0.75F, 1}));
        REQUIRE(film.add_sample(4, 5, {0.75F, 0.5F, 0.25F, 1}));
        CHECK(film.pixel(4, 5) == Sample{0.5F, 0.5F, 0.5F, 1});
        CHECK(film.sample_count(4, 5) == 2);
        CHECK(film.sample_count(3, 5) == 0);
        CHECK(film.pixel(3, 5) == Sample{0, 0, 0, 0});
    }

    TEST_CASE("AOVs are means over the kept samples and an instance is an index") {
        Film film(2, 1, {0, 0, 2, 1}, {Aov::Albedo, Aov::Instance, Aov::Depth});
        REQUIRE(film.is_allocated());
        const std::array<float, 3> albedo{0.5F, 1, 0};
        const float depth = 8;
        const float bad = std::numeric_limits<float>::quiet_NaN();
        for (int sample = 0; sample < 2; ++sample) {
            REQUIRE(film.add_sample(1, 0, {1, 1, 1, 1}));
        }
        film.add_aov(0, 1, 0, albedo.data());
        film.add_aov(2, 1, 0, &depth);
        film.add_aov(2, 1, 0, &bad);
        film.set_number(1, 1, 0, 0);
        std::array<float, 3> mean{};
        film.aov_pixel(0, 1, 0, mean.data());
        CHECK(mean == std::array<float, 3>{0.25F, 0.5F, 0});
        float mean_depth = 0;
        film.aov_pixel(2, 1, 0, &mean_depth);
        CHECK(mean_depth == 4.0F);
        CHECK(film.number(1, 1, 0) == 0);
        CHECK(film.number(1, 0, 0) == kNone);
    }

    TEST_CASE("many samples of an AOV at once are added as one after the other") {
        const std::vector<Sample> samples = random_samples(5000);  // more than 64 bits hold
        const u32 stride = kFilmChannels;
        for (const Aov aov : {Aov::Albedo, Aov::Depth, Aov::Noise}) {
            CAPTURE(aov_name(aov));
            Film film(2, 2, {0, 0, 2, 2}, {Aov::Normal, aov});
            Film other(2, 2, {0, 0, 2, 2}, {Aov::Normal, aov});
            std::vector<Sample> values = samples;
            values[7][0] = std::numeric_limits<float>::quiet_NaN();  // a sample that is left out
            values[8][0] = std::ldexp(1.0F, 25);
            values[9][0] = std::ldexp(1.0F, 31);
            for (const Sample& sample : values) {
                other.add_aov(1, 1, 1, sample.data());
            }
            film.add_aov_samples(1, 1, 1, values.front().data(), stride, 0);
            film.add_aov_samples(1, 1, 1, values.front().data(), stride, 3);
            film.add_aov_samples(1, 1, 1, values[3].data(), stride, 4997);
            CHECK(film.aov_hash(1) == other.aov_hash(1));
            CHECK(film.aov_hash(1) != film.aov_hash(0));
        }
    }

    TEST_CASE("raw words give back the film and words of another size are refused") {
        Film film(5, 4, {1, 1, 5, 3}, {});
        const std::vector<Sample> samples = random_samples(64);
        for (u32 i = 0; i < samples.size(); ++i) {
            film.add_sample(1 + i % 4, 1 + i / 4 % 2, samples[i]);
        }
        std::vector<u32> words = film.raw_words();
        CHECK(words.size() == 8 * kRawWords);
        Film other(5, 4, {1, 1, 5, 3}, {});
        REQUIRE(other.set_raw_words(words));
        CHECK(other.film_hash() == film.film_hash());
        CHECK(other.raw_words() == words);
        words.pop_back();
        CHECK_FALSE(other.set_raw_words(words));
        CHECK(other.film_hash() == film.film_hash());
    }
}

}  // namespace weft::film
