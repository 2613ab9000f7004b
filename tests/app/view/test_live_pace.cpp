// test_live_pace.cpp — the time left in the viewer's status line, from statuses that the tests make
// up.
#include <doctest/doctest.h>

#include "app/view/models/live_pace.h"

using namespace weft;
using namespace weft::app;

namespace {

constexpr u64 kPixels = 1000;
constexpr double kLook_s = 0.05;

live::LiveStatus status_at(double samples, double elapsed_s) {
    live::LiveStatus status;
    status.prepared_job = 1;
    status.samples_mean = samples;
    status.samples_wanted = 100;
    status.elapsed_s = elapsed_s;
    return status;
}

// Looks from `begin_s` to `end_s` at a render of `pace` samples per second, which has `samples` of
// them at first. Returns those of the last look.
double follow(LivePace& live, double begin_s, double end_s, double pace, double samples = 0) {
    double last = samples;
    for (double t = begin_s; t <= end_s; t += kLook_s) {
        last = samples + pace * (t - begin_s);
        live.look(status_at(last, t), kPixels, 0);
    }
    return last;
}

}  // namespace

TEST_SUITE("app/view/live_pace") {
    TEST_CASE("at constant speed the time left is exact and there is none at the end") {
        LivePace live;
        CHECK(!live.left_s());
        follow(live, 0, 4, 10);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(6).epsilon(0.02));
        live.look(status_at(100, 10), kPixels, 0);
        CHECK(!live.left_s());
    }

    TEST_CASE("a slow start is forgotten as in weft render") {
        // Nothing in 10 s, then 5 samples per second: the mean pace would say 15 s at half.
        LivePace live;
        follow(live, 0, 10, 0);
        follow(live, 10, 20, 5);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(10).epsilon(0.05));
    }

    TEST_CASE("a frame that begins again or comes back has a pace of its own") {
        LivePace live;
        follow(live, 0, 4, 20);
        // Another job, four times as slow: what was before plays no part.
        live::LiveStatus again = status_at(0, 0);
        again.prepared_job = 2;
        live.look(again, kPixels, 0);
        CHECK(!live.left_s());
        for (double t = 0; t <= 4; t += kLook_s) {
            again.samples_mean = 5 * t;
            again.elapsed_s = t;
            live.look(again, kPixels, 0);
        }
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(16).epsilon(0.05));
        // The first frame comes back with its 80 samples of 4 s.
        live.look(status_at(80, 4), kPixels, 0);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(1).epsilon(0.05));
    }

    TEST_CASE("another number of samples changes the time left at once") {
        LivePace live;
        const double samples = follow(live, 0, 5, 10);
        live::LiveStatus more = status_at(samples, 5);
        more.samples_wanted = 250;
        live.look(more, kPixels, 0);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(20).epsilon(0.02));
    }

    TEST_CASE("the time to a noise threshold counts where it is earlier than the last sample") {
        LivePace live;
        follow(live, 0, 4, 10);
        live::LiveStatus status = status_at(40, 4);
        status.noise = 0.2;
        // Half the noise takes four times as long: 12 s more. The last sample comes after 6 s.
        live.look(status, kPixels, 0.1);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(6).epsilon(0.02));
        live.look(status, kPixels, 0.16);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(4 * (1.25 * 1.25 - 1)));
        // Beyond the threshold some blocks still go on: the samples tell.
        status.noise = 0.01;
        live.look(status, kPixels, 0.16);
        REQUIRE(live.left_s());
        CHECK(*live.left_s() == doctest::Approx(6).epsilon(0.02));
    }
}
