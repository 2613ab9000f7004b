// test_guide.cpp — the guide of cosine lobes: tables made from records, and the reference's draws
// from them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "engine/trace/guide.h"
#include "engine/trace/reference/reference_guide.h"

namespace weft::tests {

namespace {

using trace::Guide;
using trace::GuideRecord;
using trace::reference::Vec;

constexpr u32 kUp = 2;  // axis of floors
using shaders::kGuideBins;
constexpr u32 kBright = 19;

// Records all over a floor of 8 m × 8 m, each bin as often: bin b brings light[b].
std::vector<GuideRecord> floor_records(u32 per_bin, const std::array<float, kGuideBins>& light) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> place(0, 8);
    std::vector<GuideRecord> records;
    for (u32 b = 0; b < kGuideBins; ++b) {
        for (u32 k = 0; k < per_bin; ++k) {
            const float x = place(random);
            const float z = place(random);
            records.push_back({{x, 0, z}, kUp * kGuideBins + b, light[b]});
        }
    }
    return records;
}

Guide guide_of(std::vector<GuideRecord> records) {
    base::Result<Guide> guide = trace::make_guide(records);
    REQUIRE(guide.is_ok());
    return std::move(guide.value());
}

std::array<float, kGuideBins> one_bright_bin() {
    std::array<float, kGuideBins> light{};
    light[kBright] = 5;
    return light;
}

// Two corners of a cube with 384 records each, too few for a fine cell; the second one is dark.
std::vector<GuideRecord> two_places() {
    std::vector<GuideRecord> records = floor_records(6, one_bright_bin());
    std::vector<GuideRecord> dark = floor_records(6, {});
    for (GuideRecord& r : records) {
        r.position[0] = r.position[2] = 0;
    }
    for (GuideRecord& r : dark) {
        r.position[0] = r.position[2] = 8;
    }
    records.insert(records.end(), dark.begin(), dark.end());
    return records;
}

shaders::SceneView view_of(const Guide& guide) {
    shaders::SceneView view{};
    trace::point_at(guide, guide.slots.data(), guide.tables.data(), view);
    return view;
}

bool are_equal(const Guide& a, const Guide& b) {
    const auto same = [](const auto& first, const auto& second) {
        return first.size() == second.size() &&
               std::memcmp(first.data(), second.data(), first.size() * sizeof(first[0])) == 0;
    };
    return same(a.slots, b.slots) && same(a.tables, b.tables);
}

double density_of(const shaders::GuideTable& table, u32 bin) {
    const float* const ends = table.column_end[bin / shaders::kGuideSide];
    const u32 column = bin % shaders::kGuideSide;
    return static_cast<double>(ends[column] - (column == 0 ? 0 : ends[column - 1]));
}

}  // namespace

TEST_SUITE("engine/trace/guide") {
    TEST_CASE("a table is what its records say") {
        const Guide guide = guide_of(two_places());
        // The dark place has none.
        REQUIRE(guide.tables.size() == 1);
        const shaders::GuideTable& table = guide.tables.front();
        const double mean = 5.0 / kGuideBins;
        CHECK(static_cast<double>(table.light) == doctest::Approx(mean));
        // Six draws of each bin, and four of the mean: 3.03125 wanted of the bright one, 0.03125 of
        // each other, 5 in all.
        for (u32 b = 0; b < kGuideBins; ++b) {
            const double wanted = b == kBright ? 3.03125 : 0.03125;
            CHECK(density_of(table, b) == doctest::Approx(0.4 + 0.6 * kGuideBins * wanted / 5));
        }
        CHECK(static_cast<double>(table.row_end[shaders::kGuideSide - 1]) ==
              doctest::Approx(kGuideBins));
    }

    TEST_CASE("a surface has the table of its place and axis") {
        const Guide guide = guide_of(two_places());
        const shaders::SceneView view = view_of(guide);
        const Vec up = trace::reference::normalize({0.2, 1, -0.3});
        CHECK(trace::reference::guide_square(view, {0, 0, 0}, up).has_value());
        CHECK(trace::reference::guide_square(view, {0.4, 0.3, 0.5}, up).has_value());
        CHECK_FALSE(trace::reference::guide_square(view, {0, 0, 0}, {0, -1, 0}).has_value());
        CHECK_FALSE(trace::reference::guide_square(view, {8, 0, 8}, up).has_value());
        CHECK_FALSE(trace::reference::guide_square(view, {-100, 0, 0}, up).has_value());
        CHECK_FALSE(trace::reference::guide_square({}, {0, 0, 0}, up).has_value());
    }

    TEST_CASE("directions are drawn by their density") {
        const Guide guide = guide_of(two_places());
        for (const Vec& n : {Vec{0, 1, 0}, trace::reference::normalize({0.4, 1, -0.5})}) {
            const auto square = trace::reference::guide_square(view_of(guide), {0, 0, 0}, n);
            REQUIRE(square.has_value());
            // Draws per bin, from a grid of even numbers.
            constexpr u32 kSide = 400;
            std::vector<double> drawn(kGuideBins);
            double inverse = 0;
            for (u32 k = 0; k < kSide * kSide; ++k) {
                const Vec wi = square->draw({(k % kSide + 0.5) / kSide, (k / kSide + 0.5) / kSide});
                CHECK(dot(wi, n) >= 0);
                const double density = square->density(wi);
                ++drawn[density > 10 ? kBright : 0];
                inverse += 1 / density;
            }
            constexpr double kDraws = kSide * kSide;
            CHECK(drawn[kBright] / kDraws == doctest::Approx(23.68 / kGuideBins).epsilon(0.02));
            // The mean of 1 / density over draws is the size of the square.
            CHECK(inverse / kDraws == doctest::Approx(1).epsilon(0.02));
        }
    }

    TEST_CASE("the order of the records does not count") {
        std::array<float, kGuideBins> light{};
        std::mt19937 random(3);
        std::uniform_real_distribution<float> some(0, 1);
        std::generate(light.begin(), light.end(), [&] { return some(random); });
        std::vector<GuideRecord> records = floor_records(700, light);
        const Guide first = guide_of(records);
        std::shuffle(records.begin(), records.end(), random);
        CHECK(are_equal(first, guide_of(records)));
        CHECK(first.tables.size() > 16);
    }

    TEST_CASE("too few records, and light without end, make no table") {
        CHECK(guide_of({}).is_empty());
        CHECK(guide_of(floor_records(1, one_bright_bin())).is_empty());
        std::array<float, kGuideBins> endless{};
        endless.fill(INFINITY);
        CHECK(guide_of(floor_records(300, endless)).is_empty());
        CHECK(guide_of(floor_records(300, {})).is_empty());  // dark
    }
}

}  // namespace weft::tests
