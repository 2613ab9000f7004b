// test_lane_choice.cpp — the way that is fastest on average is found, early and for good, and
// trying the others stays cheap.
#include <array>
#include <random>

#include <doctest/doctest.h>

#include "engine/trace/lane_choice.h"

namespace {

using weft::u32;
using weft::trace::LaneChoice;

// Plays `batches` batches whose ways cost so many ns per ray on average; how often each was taken.
std::array<u32, 3> play(LaneChoice& choice, std::array<double, 3> costs, u32 batches) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> noise(0.5, 1.5);
    std::array<u32, 3> taken{};
    for (u32 k = 0; k < batches; ++k) {
        const u32 way = choice.next();
        ++taken[way];
        if (choice.is_timed()) {
            choice.record(1000, 1000 * costs[way] * noise(random));
        }
    }
    return taken;
}

}  // namespace

TEST_SUITE("engine/trace/lane_choice") {
    TEST_CASE("the fastest way runs most batches whichever it is") {
        for (u32 fastest = 0; fastest < 3; ++fastest) {
            std::array<double, 3> costs = {300, 300, 300};
            costs[fastest] = 200;
            LaneChoice choice(3);
            const std::array<u32, 3> taken = play(choice, costs, 5000);
            CHECK(choice.best() == fastest);
            CHECK(taken[fastest] > 4500);
        }
    }

    TEST_CASE("the first choice comes within twenty batches of the first trial") {
        LaneChoice choice(3);
        play(choice, {400, 100, 300}, LaneChoice::kUntried + 20);
        CHECK(choice.best() == 1);
    }

    TEST_CASE("what is small goes the likeliest way and pays for no trial") {
        LaneChoice choice(4);
        for (u32 k = 0; k < LaneChoice::kUntried; ++k) {
            CHECK(choice.next() == 0);
            CHECK(!choice.is_timed());
        }
        std::array<bool, 4> is_tried{};
        for (u32 k = 0; k < 8; ++k) {
            is_tried[choice.next()] = true;
            if (choice.is_timed()) {
                choice.record(1000, 1000);
            }
        }
        CHECK(is_tried == std::array<bool, 4>{true, true, true, true});
    }

    TEST_CASE("a lead of ten percent is found under noise of fifty percent") {
        LaneChoice choice(2);
        play(choice, {330, 300, 0}, 20000);
        CHECK(choice.best() == 1);
    }

    TEST_CASE("parts of a picture that cost three times as much turn no choice") {
        // The cost of a ray rises and falls slowly, as over a picture; the lead is a tenth.
        for (u32 period = 8; period < 200; period += 24) {
            LaneChoice choice(4);
            const std::array<double, 4> costs = {110, 100, 150, 300};
            for (u32 k = 0; k < 4000; ++k) {
                const u32 way = choice.next();
                const double place = k % period < period / 2 ? 1 : 3;
                if (choice.is_timed()) {
                    choice.record(1000, 1000 * costs[way] * place);
                }
            }
            CAPTURE(period);
            CHECK(choice.best() == 1);
        }
    }

    TEST_CASE("a way that was tried first on cold memory still wins within a hundred batches") {
        LaneChoice choice(4);
        const std::array<double, 4> costs = {100, 120, 120, 150};
        for (u32 k = 0; k < 100; ++k) {
            const u32 way = choice.next();
            if (choice.is_timed()) {
                choice.record(1000, 1000 * costs[way] * (k < LaneChoice::kUntried + 3 ? 3 : 1));
            }
        }
        CHECK(choice.best() == 0);
    }

    TEST_CASE("a way that is far behind is given up before its share of the round") {
        LaneChoice choice(3);
        const std::array<u32, 3> taken = play(choice, {100, 102, 1000}, 3000);
        CHECK(taken[2] * 4 < taken[1]);
    }

    TEST_CASE("every way is tried again for as long as it runs") {
        LaneChoice choice(2);
        play(choice, {300, 100, 0}, 3000);
        REQUIRE(choice.best() == 1);
        const std::array<u32, 3> later = play(choice, {300, 100, 0}, 3000);
        CHECK(later[0] > 0);
    }

    TEST_CASE("a single way is never timed") {
        LaneChoice choice(1);
        for (u32 k = 0; k < 100; ++k) {
            CHECK(choice.next() == 0);
            CHECK(!choice.is_timed());
        }
    }
}
