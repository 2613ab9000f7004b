#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/alias_table.h"

using namespace weft;
using namespace weft::trace;

namespace {

constexpr u32 kGrid = 1u << 24;

std::vector<double> random_weights(std::size_t count, u32 seed) {
    std::mt19937 random(seed);
    std::vector<double> weights(count);
    for (double& weight : weights) {
        const double u = static_cast<double>(random()) / 4294967296.0;
        weight = u < 0.1 ? 0 : u * u * u * u * 1000;  // a few heavy entries, a tenth without weight
    }
    return weights;
}

// Probability of each entry over all values of the first number.
std::vector<double> tried_on_grid(const AliasTable& table, u32 numbers) {
    const auto count = static_cast<float>(table.threshold.size());
    std::vector<double> hits(table.threshold.size(), 0.0);
    for (u32 m = 0; m < numbers; ++m) {
        const float u = static_cast<float>(m) / static_cast<float>(numbers);
        const auto i = std::min(static_cast<std::size_t>(u * count), table.threshold.size() - 1);
        hits[i] += static_cast<double>(table.threshold[i]);
        hits[table.alias[i]] += 1 - static_cast<double>(table.threshold[i]);
    }
    for (double& hit : hits) {
        hit /= numbers;
    }
    return hits;
}

}  // namespace

TEST_SUITE("engine/trace/alias_table") {
    TEST_CASE("the pdf equals the table's probabilities over the whole grid of the sampler") {
        for (const u32 numbers : {kGrid, kGrid / 8}) {
            for (const std::size_t count : {1u, 2u, 3u, 7u, 1000u, 65536u, 1048583u}) {
                CAPTURE(numbers);
                CAPTURE(count);
                const AliasTable table = make_alias_table(random_weights(count, 11), numbers);
                const std::vector<double> tried = tried_on_grid(table, numbers);
                double total = 0;
                double worst = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    worst = std::max(worst, std::fabs(table.pdf[i] - tried[i]));
                    total += table.pdf[i];
                }
                CHECK(worst < 1e-12);
                CHECK(std::fabs(total - 1) < 1e-9);
            }
        }
    }

    TEST_CASE("the pdf follows the weights to within the grid") {
        for (const std::size_t count : {2u, 10u, 5000u}) {
            const std::vector<double> weights = random_weights(count, 5);
            const AliasTable table = make_alias_table(weights);
            double total = 0;
            for (const double weight : weights) {
                total += weight;
            }
            for (std::size_t i = 0; i < count; ++i) {
                // An entry is off by one grid step in share and threshold; so is each entry that
                // points at it.
                const double wanted = weights[i] / total;
                const double steps = 4 * (1 + wanted * static_cast<double>(count));
                CHECK(std::fabs(table.pdf[i] - wanted) <= steps / kGrid);
            }
        }
    }

    TEST_CASE("entries without a usable weight are never drawn and all others can be") {
        std::vector<double> weights = random_weights(999, 3);
        weights[17] = NAN;
        weights[18] = INFINITY;
        weights[19] = -4;
        weights[20] = 1e-30;
        const AliasTable table = make_alias_table(weights);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const bool is_usable = std::isfinite(weights[i]) && weights[i] > 0;
            CHECK((table.pdf[i] > 0) == is_usable);
            CHECK(table.threshold[i] >= 0);
            CHECK(table.threshold[i] <= 1);
            CHECK(table.alias[i] < weights.size());
        }
    }

    TEST_CASE("no weight at all gives a table of zeros") {
        CHECK(make_alias_table({}).pdf.empty());
        const std::vector<double> nothing(5, 0.0);
        for (const double pdf : make_alias_table(nothing).pdf) {
            CHECK(pdf == 0);
        }
    }

    TEST_CASE("draws follow the pdf") {
        constexpr int kDraws = 400000;
        std::vector<double> weights(40);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            weights[i] = 1 + static_cast<double>(i * i % 17);
        }
        const AliasTable table = make_alias_table(weights);
        std::mt19937 random(2024);
        std::vector<int> seen(weights.size(), 0);
        for (int draw = 0; draw < kDraws; ++draw) {
            const float u = static_cast<float>(random() >> 8) * 0x1p-24f;
            const float fraction = static_cast<float>(random() >> 8) * 0x1p-24f;
            const auto i = std::min<std::size_t>(static_cast<std::size_t>(u * 40.0f), 39);
            ++seen[fraction < table.threshold[i] ? i : table.alias[i]];
        }
        double chi_squared = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const double expected = table.pdf[i] * kDraws;
            chi_squared += (seen[i] - expected) * (seen[i] - expected) / expected;
        }
        CHECK(chi_squared < 72.1);  // 39 degrees of freedom, 0.1 %
    }
}
