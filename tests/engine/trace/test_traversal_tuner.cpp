// test_traversal_tuner.cpp — the tuner finds the strategy that is fastest on average, early and for
// good, and its trials stay cheap.
#include <array>
#include <random>

#include <doctest/doctest.h>

#include "engine/trace/traversal_tuner.h"

namespace {

using weft::u32;
using weft::trace::TraversalTuner;

// Runs `batches` batches at mean `costs` in ns per ray; returns how often each strategy ran.
std::array<u32, 3> play(TraversalTuner& tuner, std::array<double, 3> costs, u32 batches) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> noise(0.5, 1.5);
    std::array<u32, 3> taken{};
    for (u32 k = 0; k < batches; ++k) {
        const u32 strategy = tuner.next();
        ++taken[strategy];
        if (tuner.is_timed()) {
            tuner.record(1000, 1000 * costs[strategy] * noise(random));
        }
    }
    return taken;
}

}  // namespace

TEST_SUITE("engine/trace/traversal_tuner") {
    TEST_CASE("the fastest strategy runs most batches whichever it is") {
        for (u32 fastest = 0; fastest < 3; ++fastest) {
            std::array<double, 3> costs = {300, 300, 300};
            costs[fastest] = 200;
            TraversalTuner tuner(3);
            const std::array<u32, 3> taken = play(tuner, costs, 5000);
            CHECK(tuner.best() == fastest);
            CHECK(taken[fastest] > 4500);
        }
    }

    TEST_CASE("the first decision comes within twenty batches of the first trial") {
        TraversalTuner tuner(3);
        play(tuner, {400, 100, 300}, TraversalTuner::kUntried + 20);
        CHECK(tuner.best() == 1);
    }

    TEST_CASE("a small picture uses the likeliest strategy and pays for no trial") {
        TraversalTuner tuner(4);
        for (u32 k = 0; k < TraversalTuner::kUntried; ++k) {
            CHECK(tuner.next() == 0);
            CHECK(!tuner.is_timed());
        }
        std::array<bool, 4> is_tried{};
        for (u32 k = 0; k < 8; ++k) {
            is_tried[tuner.next()] = true;
            if (tuner.is_timed()) {
                tuner.record(1000, 1000);
            }
        }
        CHECK(is_tried == std::array<bool, 4>{true, true, true, true});
    }

    TEST_CASE("a lead of ten percent is found under noise of fifty percent") {
        TraversalTuner tuner(2);
        play(tuner, {330, 300, 0}, 20000);
        CHECK(tuner.best() == 1);
    }

    TEST_CASE("regions that cost three times as much decide nothing") {
        // The cost of a ray rises and falls slowly, as over a picture; the lead is a tenth.
        for (u32 period = 8; period < 200; period += 24) {
            TraversalTuner tuner(4);
            const std::array<double, 4> costs = {110, 100, 150, 300};
            for (u32 k = 0; k < 4000; ++k) {
                const u32 strategy = tuner.next();
                const double place = k % period < period / 2 ? 1 : 3;
                if (tuner.is_timed()) {
                    tuner.record(1000, 1000 * costs[strategy] * place);
                }
            }
            CAPTURE(period);
            CHECK(tuner.best() == 1);
        }
    }

    TEST_CASE("a strategy first tried on cold memory still wins within a hundred batches") {
        TraversalTuner tuner(4);
        const std::array<double, 4> costs = {100, 120, 120, 150};
        for (u32 k = 0; k < 100; ++k) {
            const u32 strategy = tuner.next();
            if (tuner.is_timed()) {
                tuner.record(1000,
                             1000 * costs[strategy] * (k < TraversalTuner::kUntried + 3 ? 3 : 1));
            }
        }
        CHECK(tuner.best() == 0);
    }

    TEST_CASE("a strategy far behind leaves the round early") {
        TraversalTuner tuner(3);
        const std::array<u32, 3> taken = play(tuner, {100, 102, 1000}, 3000);
        CHECK(taken[2] * 4 < taken[1]);
    }

    TEST_CASE("every strategy is tried again in later rounds") {
        TraversalTuner tuner(2);
        play(tuner, {300, 100, 0}, 3000);
        REQUIRE(tuner.best() == 1);
        const std::array<u32, 3> later = play(tuner, {300, 100, 0}, 3000);
        CHECK(later[0] > 0);
    }

    TEST_CASE("a single strategy is never timed") {
        TraversalTuner tuner(1);
        for (u32 k = 0; k < 100; ++k) {
            CHECK(tuner.next() == 0);
            CHECK(!tuner.is_timed());
        }
    }
}
