// test_light_tree_draws.cpp — light trees draw every light as often as they state: chi-square tests
// with independent numbers, from two lights to a million, with suns and the environment among them.
//
// The walk is that of the reference tracer; test_kernel_reference compares the kernels with it, and
// test_light_tree its stratified draws.
#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tests/engine/trace/random_lights.h"

namespace weft::tests {

namespace {

using trace::LightBounds;
using trace::LightTree;
using trace::reference::LitPoint;
using trace::reference::TreeDraw;

// How often each light is drawn, or should be. The last bin has walks into a dead end.
using Histogram = std::vector<double>;

Histogram expected_draws(const LightTree& tree, const LitPoint& lit, u32 draws) {
    const shaders::SceneView view = view_of(tree);
    Histogram expected;
    double total = 0;
    for (const u32 path : tree.path) {
        const double share = trace::reference::tree_pdf(view, lit, path);
        total += share;
        expected.push_back(share * draws);
    }
    CHECK(total <= 1 + 1e-9);
    expected.push_back(std::max(1 - total, 0.0) * draws);
    return expected;
}

TreeDraw draw(const shaders::SceneView& view, const LitPoint& lit, Random& numbers) {
    const auto u = static_cast<double>(numbers.unit());
    const auto fine = static_cast<double>(numbers.unit());
    return trace::reference::draw_from_tree(view, lit, u, fine);
}

Histogram observed_draws(const LightTree& tree, const LitPoint& lit, u32 draws, Random& numbers) {
    const shaders::SceneView view = view_of(tree);
    Histogram observed(tree.path.size() + 1);
    for (u32 k = 0; k < draws; ++k) {
        const u32 light = draw(view, lit, numbers).light;
        observed[light == kNone ? tree.path.size() : light] += 1;
    }
    return observed;
}

// A light that is never to be drawn is not.
bool is_possible(const Histogram& observed, const Histogram& expected) {
    for (std::size_t k = 0; k + 1 < expected.size(); ++k) {
        if (observed[k] > 0 && expected[k] <= 0) {
            return false;
        }
    }
    return true;
}

// A correct tree fails one of the 161 tests below in one run of 600; seeds are fixed.
constexpr double kLeast = 1e-5;

}  // namespace

TEST_SUITE("engine/trace/light_tree_draws") {
    TEST_CASE("independent draws of small random trees follow the probabilities") {
        constexpr u32 kDraws = 1U << 12;

        struct Lights {
            u32 placed;
            u32 suns;
            bool has_sky;
        };

        Random numbers(11);
        for (const Lights& kinds : {Lights{2, 0, false},
                                    Lights{3, 0, false},
                                    Lights{40, 0, false},
                                    Lights{1000, 0, false},
                                    Lights{0, 2, false},
                                    Lights{0, 20, true},
                                    Lights{1, 0, true},
                                    Lights{1, 1, false},
                                    Lights{2, 2, true},
                                    Lights{300, 7, true}}) {
            CAPTURE(kinds.placed);
            CAPTURE(kinds.suns);
            CAPTURE(kinds.has_sky);
            for (u32 trial = 0; trial < 16; ++trial) {
                const LightTree tree = trace::make_light_tree(random_lights_outdoors(
                    kinds.placed, kinds.suns, kinds.has_sky, 100 * trial + kinds.placed));
                const LitPoint lit = random_point(numbers);
                const Histogram expected = expected_draws(tree, lit, kDraws);
                const Histogram observed = observed_draws(tree, lit, kDraws, numbers);
                CHECK(is_possible(observed, expected));
                CHECK(chi_square_p_value(observed, expected) > kLeast);
            }
        }
    }

    TEST_CASE("independent draws among a million lights follow their probabilities and no others") {
        constexpr u32 kNamed = 1U << 14;
        constexpr u32 kDraws = 1U << 18;
        std::vector<LightBounds> lights = random_lights_outdoors(1'000'000, 3, true, 5);
        for (LightBounds& light : lights) {
            // The tree of lamps that shine anywhere is made in half of the time.
            if (light.place == trace::LightPlace::Bounded) {
                light.cos_spread = -1;
                light.is_two_sided = false;
            }
        }
        const LightTree tree = trace::make_light_tree(lights);
        const shaders::SceneView view = view_of(tree);
        const LitPoint lit = {{1, 2, -3}, {0, 1, 0}, false, false};
        // Draws give some lights a bin of their own; all others share the first.
        Random numbers(12);
        std::vector<u32> bin_of(lights.size(), 0);
        Histogram expected = {kDraws};
        for (u32 k = 0; k < kNamed; ++k) {
            const u32 light = draw(view, lit, numbers).light;
            if (light != kNone && bin_of[light] == 0) {
                bin_of[light] = static_cast<u32>(expected.size());
                expected.push_back(kDraws *
                                   trace::reference::tree_pdf(view, lit, tree.path[light]));
                expected[0] -= expected.back();
            }
        }
        CHECK(expected[0] > 0);
        // Other draws follow them.
        Histogram observed(expected.size());
        for (u32 k = 0; k < kDraws; ++k) {
            const u32 light = draw(view, lit, numbers).light;
            observed[light == kNone ? 0 : bin_of[light]] += 1;
        }
        CHECK(chi_square_p_value(observed, expected) > kLeast);
        // Probabilities are refuted of which every second is a tenth larger.
        for (std::size_t k = 0; k < expected.size(); k += 2) {
            expected[k] *= 1.1;
        }
        CHECK(chi_square_p_value(observed, expected) < kLeast);
    }
}

}  // namespace weft::tests
