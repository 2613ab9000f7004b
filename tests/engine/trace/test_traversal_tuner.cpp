// test_traversal_tuner.cpp — the tuner finds the strategy that is fastest on average, early and for
// good, and its trials stay cheap.
#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include <doctest/doctest.h>

#include "engine/trace/traversal_tuner.h"

namespace {

using weft::u32;
using weft::trace::BatchPlan;
using weft::trace::TraversalTuner;

using Costs = std::array<double, 4>;

constexpr double kRays = 4096;  // of a batch

// Records a batch whose rays cost so much by the strategy of either half.
void record(TraversalTuner& tuner, const BatchPlan& plan, double first, double second) {
    if (plan.is_trial()) {
        tuner.record(plan, first, second, kRays);
    } else {
        tuner.record(first * kRays);
    }
}

// How often each strategy ran, in halves of batches, and how many batches were trials.
struct Played {
    std::array<u32, 4> halves{};
    u32 trials = 0;
    double cost = 0;  // of all rays over what the cheapest strategy had cost
};

// Runs `batches` batches. `costs(k)` gives the costs per ray of batch k, to which halves of a batch
// add noise of their own, uniform within ± `noise`.
template <typename CostsOf>
Played play(TraversalTuner& tuner, u32 batches, double noise, const CostsOf& costs) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> factor(1 - noise, 1 + noise);
    Played played;
    double least = 0;
    for (u32 k = 0; k < batches; ++k) {
        const BatchPlan plan = tuner.next();
        const Costs here = costs(k);
        ++played.halves[plan.first];
        ++played.halves[plan.second];
        played.cost += (here[plan.first] + here[plan.second]) / 2;
        least += *std::min_element(here.begin(), here.end());
        played.trials += plan.is_trial() ? 1U : 0U;
        const double first = here[plan.first] * factor(random);
        record(tuner, plan, first, here[plan.second] * factor(random));
    }
    played.cost /= least;
    return played;
}

auto always(const Costs& costs) {
    return [costs](u32 /*batch*/) { return costs; };
}

}  // namespace

TEST_SUITE("engine/trace/traversal_tuner") {
    TEST_CASE("the fastest strategy runs nearly all batches whichever it is") {
        for (u32 fastest = 0; fastest < 4; ++fastest) {
            Costs costs = {300, 300, 300, 300};
            costs[fastest] = 200;
            TraversalTuner tuner(4);
            const Played played = play(tuner, 5000, 0.3, always(costs));
            CAPTURE(fastest);
            CHECK(tuner.best() == fastest);
            CHECK(played.halves[fastest] > 9700);
            CHECK(played.cost < 1.012);
        }
    }

    TEST_CASE("trials cost a picture of a thousand batches about a percent") {
        TraversalTuner tuner(4);
        const Played played = play(tuner, 1000, 0.3, always({200, 210, 260, 400}));
        CHECK(tuner.best() == 0);
        CHECK(played.trials < 100);
        CHECK(played.cost < 1.012);
    }

    TEST_CASE("the first decision comes within twenty batches of the first trial") {
        TraversalTuner tuner(3);
        play(tuner, TraversalTuner::kUntried + 20, 0.3, always({400, 100, 300, 1000}));
        CHECK(tuner.best() == 1);
    }

    TEST_CASE("a small picture uses the likeliest strategy and pays for no trial") {
        TraversalTuner tuner(4);
        for (u32 k = 0; k < TraversalTuner::kUntried; ++k) {
            const BatchPlan plan = tuner.next();
            CHECK(plan.first == 0);
            CHECK(!plan.is_trial());
        }
        CHECK(tuner.next().is_trial());
    }

    TEST_CASE("a dear strategy is tried ever more rarely, and one that nearly ties soon again") {
        const auto trials_of = [](double other) {
            TraversalTuner tuner(2);
            return play(tuner, 20000, 0.1, always({100, other, 1000, 1000}));
        };
        const Played dear = trials_of(250);
        CHECK(dear.trials < 100);
        CHECK(dear.cost < 1.004);
        const Played close = trials_of(102);
        CHECK(close.trials > 200);
        CHECK(close.cost < 1.004);
    }

    TEST_CASE("every strategy is soon compared with the best") {
        TraversalTuner tuner(4);
        const Played played =
            play(tuner, TraversalTuner::kUntried + 64, 0.1, always({100, 110, 110, 110}));
        for (const u32 halves : played.halves) {
            CHECK(halves >= 2 * TraversalTuner::kLeastPairs);
        }
    }

    TEST_CASE("a lead of ten percent is found under noise of thirty percent") {
        for (const double noise : {0.1, 0.3}) {
            TraversalTuner tuner(2);
            play(tuner, 20000, noise, always({330, 300, 1000, 1000}));
            CAPTURE(noise);
            CHECK(tuner.best() == 1);
        }
    }

    TEST_CASE("strategies that tie are not exchanged for each other at every trial") {
        TraversalTuner tuner(2);
        u32 exchanges = 0;
        std::mt19937 random(3);
        std::uniform_real_distribution<double> factor(0.9, 1.1);
        for (u32 k = 0; k < 20000; ++k) {
            const u32 before = tuner.best();
            const BatchPlan plan = tuner.next();
            const double first = factor(random);
            record(tuner, plan, first, factor(random));
            exchanges += tuner.best() != before ? 1U : 0U;
        }
        CHECK(exchanges < 4);
    }

    TEST_CASE("regions that cost ten times as much decide nothing") {
        // The cost of a ray rises and falls over the picture; the lead is a tenth.
        for (u32 period = 2; period < 200; period += 22) {
            TraversalTuner tuner(4);
            play(tuner, 4000, 0.1, [period](u32 batch) {
                const double place = batch % period < period / 2 ? 1 : 10;
                return Costs{110 * place, 100 * place, 150 * place, 300 * place};
            });
            CAPTURE(period);
            CHECK(tuner.best() == 1);
        }
    }

    TEST_CASE("the half that goes second is cheaper for both strategies and decides nothing") {
        TraversalTuner tuner(2);
        for (u32 k = 0; k < 5000; ++k) {
            const BatchPlan plan = tuner.next();
            record(tuner, plan, plan.first == 0 ? 105 : 100, plan.second == 0 ? 84 : 80);
        }
        CHECK(tuner.best() == 1);
    }

    TEST_CASE("dear batches decide, however many cheap ones there are") {
        // Rays of most batches miss the scene, where strategy 0 is twice as fast; strategy 1 is
        // twice as fast on the others, which take nearly all of the time.
        for (u32 seed = 0; seed < 20; ++seed) {
            std::mt19937 random(seed);
            std::uniform_real_distribution<double> chance(0, 1);
            TraversalTuner tuner(2);
            const Played played = play(tuner, 2000, 0.2, [&](u32 /*batch*/) {
                return chance(random) < 0.7 ? Costs{4, 8, 1000, 1000} : Costs{250, 130, 1000, 1000};
            });
            CAPTURE(seed);
            CHECK(tuner.best() == 1);
            CHECK(played.halves[1] > 3400);
        }
    }

    TEST_CASE("a strategy twice as slow waits after one pair, one a tenth slower after three") {
        for (const auto& [much, trials] : {std::pair(2.0, 2U), std::pair(1.1, 6U)}) {
            TraversalTuner tuner(2);
            for (u32 k = 0; k < TraversalTuner::kUntried; ++k) {
                CHECK(!tuner.next().is_trial());
                tuner.record(100 * kRays);
            }
            for (u32 k = 0; k < trials; ++k) {
                const BatchPlan plan = tuner.next();
                REQUIRE(plan.is_trial());
                const double more = 100 * much;
                record(tuner, plan, plan.first == 0 ? 100 : more, plan.second == 0 ? 100 : more);
            }
            CHECK(!tuner.next().is_trial());
        }
    }

    TEST_CASE("the wait between trials is one of time, whatever batches take") {
        // Batches become a hundred times as long after the first trials.
        const auto first_trial_after = [](double later) {
            TraversalTuner tuner(2);
            double cost = 100;
            for (u32 k = 0;; ++k) {
                const BatchPlan plan = tuner.next();
                if (plan.is_trial() && k > TraversalTuner::kUntried + 2) {
                    return k;
                }
                record(tuner,
                       plan,
                       plan.first == 0 ? cost : 2 * cost,
                       plan.second == 0 ? cost : 2 * cost);
                cost = plan.is_trial() ? cost : k > TraversalTuner::kUntried ? later : cost;
            }
        };
        const u32 steady = first_trial_after(100);
        // A pair takes a batch more than the best strategy had: .2 % of 500 batches.
        CHECK(steady > 400);
        CHECK(steady < 600);
        CHECK(first_trial_after(10000) < TraversalTuner::kUntried + 2 * TraversalTuner::kLeastWait);
    }

    TEST_CASE("one half that an interrupt made a thousand times as dear decides nothing") {
        TraversalTuner tuner(2);
        for (u32 k = 0; k < 4000; ++k) {
            const BatchPlan plan = tuner.next();
            const double lost = plan.is_trial() && k % 37 == 0 ? 100000 : 0;
            record(tuner,
                   plan,
                   (plan.first == 0 ? 110 : 100) + (plan.first == 1 ? lost : 0),
                   plan.second == 0 ? 110 : 100);
        }
        CHECK(tuner.best() == 1);
    }

    TEST_CASE("every strategy is tried again in later rounds, and a new best one is found") {
        TraversalTuner tuner(2);
        play(tuner, 3000, 0.2, always({300, 100, 1000, 1000}));
        REQUIRE(tuner.best() == 1);
        const Played later = play(tuner, 6000, 0.2, always({100, 300, 1000, 1000}));
        CHECK(tuner.best() == 0);
        CHECK(later.halves[1] > 0);
    }

    TEST_CASE("a single strategy is never tried") {
        TraversalTuner tuner(1);
        for (u32 k = 0; k < 100; ++k) {
            const BatchPlan plan = tuner.next();
            CHECK(plan.first == 0);
            CHECK(!plan.is_trial());
        }
    }
}
