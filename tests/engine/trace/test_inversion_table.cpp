#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/inversion_table.h"

using namespace weft;
using namespace weft::trace;
using shaders::EnvironmentCell;

namespace {

constexpr u32 kSteps = 1u << 24;

// A few heavy weights, many light ones, every fifth 0.
std::vector<double> random_cells(std::size_t count, u32 seed) {
    std::mt19937 random(seed);
    std::vector<double> weights(count);
    for (double& weight : weights) {
        const double u = static_cast<double>(random()) / 4294967296.0;
        weight = u < 0.2 ? 0 : std::pow(u, 40) * 1e6;
    }
    weights[count / 2] = 3;
    return weights;
}

std::vector<EnvironmentCell> cells_of(const std::vector<double>& weights) {
    std::vector<EnvironmentCell> cells(weights.size());
    invert_weights(weights, cells);
    return cells;
}

// The cell that kernels find for a number, and the strides that they try.
struct Search {
    std::size_t cell;
    u32 strides;
};

Search search(const std::vector<EnvironmentCell>& cells, u32 number) {
    const u32 intervals = shaders::guide_count(static_cast<u32>(cells.size()));
    const u32 guide = cells[number / (kSteps / intervals)].guide;
    Search found = {guide & (shaders::kMostStride - 1), 0};
    for (u32 stride = shaders::kMostStride >> (guide >> 24); stride > 0; stride >>= 1) {
        const std::size_t next = found.cell + stride;
        if (next < cells.size() && cells[next].begin <= static_cast<float>(number)) {
            found.cell = next;
        }
        ++found.strides;
    }
    return found;
}

bool holds(const EnvironmentCell& cell, u32 number) {
    const auto n = static_cast<float>(number);
    return cell.begin <= n && n < cell.begin + cell.steps;
}

u64 sum_of_steps(const std::vector<EnvironmentCell>& cells) {
    u64 sum = 0;
    for (const EnvironmentCell& cell : cells) {
        sum += static_cast<u64>(cell.steps);
    }
    return sum;
}

}  // namespace

TEST_SUITE("engine/trace/inversion_table") {
    TEST_CASE("cells lie side by side on the grid, with their weights as steps") {
        for (const std::size_t count : {1u, 2u, 3u, 7u, 100u, 4096u, 16384u, 65537u}) {
            CAPTURE(count);
            const std::vector<double> weights = random_cells(count, 5);
            const std::vector<EnvironmentCell> cells = cells_of(weights);
            double total = 0;
            double positive = 0;
            for (const double weight : weights) {
                total += weight;
                positive += weight > 0 ? 1 : 0;
            }
            float begin = 0;
            double error = 0;
            u32 wrongly_dark = 0;
            for (std::size_t i = 0; i < count; ++i) {
                REQUIRE(cells[i].begin == begin);
                begin += cells[i].steps;
                wrongly_dark += (weights[i] > 0) == (cells[i].steps > 0) ? 0u : 1u;
                const double share =
                    weights[i] > 0 ? 1 + (kSteps - positive) * weights[i] / total : 0;
                error = std::max(error, std::fabs(static_cast<double>(cells[i].steps) - share));
            }
            CHECK(begin == static_cast<float>(kSteps));
            CHECK(wrongly_dark == 0);
            CHECK(error <= 1);
        }
    }

    TEST_CASE("every number finds the cell that holds it") {
        // All numbers of some tables, and of others those around the borders of cells.
        for (const std::size_t count : {1u, 3u, 1000u}) {
            CAPTURE(count);
            const std::vector<EnvironmentCell> cells = cells_of(random_cells(count, 7));
            u32 wrong = 0;
            std::size_t last = 0;
            for (u32 number = 0; number < kSteps; ++number) {
                const Search found = search(cells, number);
                wrong += holds(cells[found.cell], number) && found.cell >= last ? 0u : 1u;
                last = found.cell;
            }
            CHECK(wrong == 0);
        }
        for (const std::size_t count : {2u, 7u, 64u, 65u, 4095u, 16384u, 65537u}) {
            CAPTURE(count);
            const std::vector<EnvironmentCell> cells = cells_of(random_cells(count, 9));
            u32 wrong = 0;
            for (const EnvironmentCell& cell : cells) {
                const auto begin = static_cast<i64>(cell.begin);
                for (i64 n = std::max<i64>(begin - 2, 0); n < std::min<i64>(begin + 2, kSteps);
                     ++n) {
                    const auto number = static_cast<u32>(n);
                    wrong += holds(cells[search(cells, number).cell], number) ? 0u : 1u;
                }
            }
            CHECK(wrong == 0);
        }
    }

    TEST_CASE("a search has few strides in the mean and a bound at worst") {
        for (const std::size_t count : {64u, 100u, 4096u, 16384u}) {
            CAPTURE(count);
            const std::vector<EnvironmentCell> cells = cells_of(random_cells(count, 3));
            double sum = 0;
            u32 most = 0;
            constexpr u32 kTries = 1u << 16;
            for (u32 i = 0; i < kTries; ++i) {
                const u32 strides = search(cells, i * (kSteps / kTries)).strides;
                sum += strides;
                most = std::max(most, strides);
            }
            CHECK(sum / kTries < 2);
            CHECK(most <= static_cast<u32>(std::bit_width(count)));
        }
    }

    TEST_CASE("no weights, one weight, and equal ones") {
        const std::vector<EnvironmentCell> dark = cells_of({0, 0, 0, 0, 0});
        CHECK(sum_of_steps(dark) == 0);
        CHECK(search(dark, 0).cell == 0);
        CHECK(search(dark, kSteps - 1).cell == 0);
        const std::vector<EnvironmentCell> one = cells_of({0, 0, 0, 1e-300, 0});
        CHECK(one[3].begin == 0);
        CHECK(sum_of_steps(one) == kSteps);
        for (const u32 number : {0u, kSteps / 2, kSteps - 1}) {
            CHECK(search(one, number).cell == 3);
        }
        for (const EnvironmentCell& cell : cells_of(std::vector<double>(1024, 0.1))) {
            CHECK(cell.steps == 1u << 14);
            CHECK((cell.guide >> 24) == shaders::kNoStride);
        }
    }

    TEST_CASE("weights that are next to nothing beside others still have a step") {
        std::vector<double> weights(16384, 1e-30);
        weights[77] = 1e30;
        const std::vector<EnvironmentCell> cells = cells_of(weights);
        CHECK(cells[0].steps == 1);
        CHECK(cells[16383].steps == 1);
        CHECK(cells[77].steps == kSteps - 16383);
    }

    TEST_CASE("more weights than half of the grid share it without a step in advance") {
        std::vector<double> weights((1u << 23) + 1, 1.0);
        weights[5] = 1e9;
        const std::vector<EnvironmentCell> cells = cells_of(weights);
        CHECK(sum_of_steps(cells) == kSteps);
        CHECK(static_cast<double>(cells[5].steps) ==
              doctest::Approx(kSteps * (1e9 / (1e9 + (1u << 23)))));
        for (const u32 number : {0u, 77u, kSteps / 2, kSteps - 1}) {
            CHECK(holds(cells[search(cells, number).cell], number));
        }
    }
}
