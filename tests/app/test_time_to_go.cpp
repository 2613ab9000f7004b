// test_time_to_go.cpp — the estimate of the remaining time, on clocks that the tests make up or
// that a render recorded.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/time_to_go.h"

namespace weft::app::testing {

namespace {

struct Step {
    u64 done = 0;
    double elapsed_s = 0;
};

// Samples by time, a step every 50 ms, until `total` is reached. `pace` is in samples per second.
std::vector<Step> steps_of(u64 found, u64 total, const std::function<double(double)>& pace) {
    constexpr double kStep_s = 0.05;
    std::vector<Step> steps;
    double done = static_cast<double>(found);
    for (double elapsed_s = 0; done < static_cast<double>(total); elapsed_s += kStep_s) {
        steps.push_back({static_cast<u64>(done), elapsed_s});
        done += pace(elapsed_s) * kStep_s;
    }
    steps.push_back({total, steps.back().elapsed_s + kStep_s});
    return steps;
}

// The largest error of the estimates after the first tenth of the steps' samples, as a share of the
// true time. Of the last twentieth of the time, where a share means little, only that it is short.
double worst_error(const TimeToGo::Work& work, const std::vector<Step>& steps, double end_s) {
    TimeToGo to_go(work);
    const double tenth =
        static_cast<double>(work.found) + 0.1 * static_cast<double>(work.total - work.found);
    double worst = 0;
    u32 estimates = 0;
    for (const Step& step : steps) {
        to_go.add(step.done, step.elapsed_s);
        if (static_cast<double>(step.done) < tenth || step.elapsed_s >= end_s) {
            continue;
        }
        const std::optional<double> left_s = to_go.left_s();
        REQUIRE(left_s);
        const double truth_s = end_s - step.elapsed_s;
        if (truth_s > 0.05 * end_s) {
            worst = std::max(worst, std::abs(*left_s / truth_s - 1));
            ++estimates;
        } else {
            CHECK(*left_s < 0.1 * end_s);
        }
    }
    REQUIRE(estimates > 5);
    return worst;
}

double worst_error(const TimeToGo::Work& work, const std::vector<Step>& steps) {
    return worst_error(work, steps, steps.back().elapsed_s);
}

constexpr u64 kTotal = 10'000'000;

// Recorded with --progress json while other programs kept the machine busy.
const std::vector<Step>& interior() {
    static const std::vector<Step> steps = {
        {0, 0.01},        {223808, 1.02},   {646848, 2.02},   {1075136, 3.03},  {1420224, 4.03},
        {1814720, 5.04},  {2218432, 6.04},  {2654912, 7.04},  {3009472, 8.05},  {3394496, 9.06},
        {3806400, 10.07}, {4226496, 11.08}, {4601536, 12.08}, {5002944, 13.09}, {5382080, 14.10},
        {5785792, 15.11}, {6156736, 16.11}, {6529472, 17.13}, {6945472, 18.13}, {7381952, 19.14},
        {7806144, 20.15}, {8207808, 21.16}, {8294400, 21.37}};
    return steps;
}

const std::vector<Step>& rubble() {
    static const std::vector<Step> steps = {
        {0, 0.01},        {323584, 1.54},   {638976, 3.07},   {942080, 4.58},   {1282048, 6.09},
        {1601536, 7.59},  {1916928, 9.11},  {2228224, 10.62}, {2555904, 12.13}, {2871296, 13.64},
        {3198976, 15.15}, {3497984, 16.66}, {3821568, 18.17}, {4169728, 19.68}, {4509696, 21.20},
        {4841472, 22.71}, {5173248, 24.22}, {5500928, 25.73}, {5836800, 27.25}, {6135808, 28.76},
        {6471680, 30.27}, {6791168, 31.78}, {7127040, 33.29}, {7442432, 34.81}, {7753728, 36.32},
        {8069120, 37.83}, {8376320, 39.34}, {8679424, 40.85}, {9015296, 42.36}, {9338880, 43.87},
        {9437184, 44.29}};
    return steps;
}

}  // namespace

TEST_SUITE("app/time_to_go") {
    TEST_CASE("at constant speed the estimate is exact") {
        const auto steps = steps_of(0, kTotal, [](double) { return 250e3; });
        CHECK(worst_error({.total = kTotal}, steps) < 0.03);
    }

    TEST_CASE("a slow start is forgotten by the tenth of the work") {
        // Nothing for two seconds of some forty, then full speed.
        const auto late = steps_of(0, kTotal, [](double t) { return t < 2 ? 0 : 250e3; });
        CHECK(worst_error({.total = kTotal}, late) < 0.05);
        // A ramp up to full speed in four seconds.
        const auto ramp =
            steps_of(0, kTotal, [](double t) { return 250e3 * std::min(1.0, (t + 0.1) / 4); });
        CHECK(worst_error({.total = kTotal}, ramp) < 0.2);
        // Half speed for the first twentieth of the work.
        const auto half = steps_of(0, kTotal, [](double t) { return t < 4 ? 125e3 : 250e3; });
        CHECK(worst_error({.total = kTotal}, half) < 0.1);
    }

    TEST_CASE("speed that swings by a third gives an estimate within a fifth") {
        const auto steps =
            steps_of(0, kTotal, [](double t) { return 250e3 * (1 + std::sin(8 * t) / 3); });
        CHECK(worst_error({.total = kTotal}, steps) < 0.2);
    }

    TEST_CASE("samples that arrive in bursts give an estimate within a fifth") {
        std::vector<Step> steps = steps_of(0, kTotal, [](double) { return 250e3; });
        for (Step& step : steps) {
            step.done -= step.done == kTotal ? 0 : step.done % 100'000;
        }
        CHECK(worst_error({.total = kTotal}, steps) < 0.2);
    }

    TEST_CASE("after a resume at two fifths the found samples are no pace") {
        constexpr u64 kFound = kTotal * 2 / 5;
        const auto pace = [](double t) { return t < 1 ? 50e3 : 250e3; };
        const auto steps = steps_of(kFound, kTotal, pace);
        CHECK(worst_error({.found = kFound, .total = kTotal}, steps) < 0.2);
        TimeToGo fresh({.found = kFound, .total = kTotal});
        fresh.add(kFound, 0.6);
        CHECK(!fresh.left_s());  // 40 % are done, and none of them in this run
    }

    TEST_CASE("a slice is estimated by its own samples") {
        constexpr u64 kSlice = kTotal / 8;
        const auto steps = steps_of(0, kSlice, [](double t) { return t < 0.2 ? 0 : 100e3; });
        CHECK(worst_error({.total = kSlice}, steps) < 0.1);
    }

    TEST_CASE("with a time limit the earlier end counts") {
        const auto steps = steps_of(0, kTotal, [](double) { return 250e3; });
        CHECK(worst_error({.total = kTotal, .limit_s = 12}, steps, 12) < 1e-9);
        CHECK(worst_error({.total = kTotal, .limit_s = 1000}, steps) < 0.03);
        // A render that its limit ends long before its first hundredth.
        const auto endless = steps_of(0, kTotal, [](double t) { return t < 60 ? 1e3 : 1e7; });
        TimeToGo limited({.total = kTotal, .limit_s = 60});
        limited.add(endless[400].done, endless[400].elapsed_s);
        REQUIRE(limited.left_s());
        CHECK(*limited.left_s() == doctest::Approx(40));
        TimeToGo over({.total = kTotal, .limit_s = 1});
        over.add(kTotal / 2, 1.01);
        CHECK(over.left_s() == 0);
    }

    TEST_CASE("recorded renders are estimated within a fifth") {
        CHECK(worst_error({.total = interior().back().done}, interior()) < 0.2);
        CHECK(worst_error({.total = rubble().back().done}, rubble()) < 0.2);
    }

    TEST_CASE("there is no estimate before the first hundredth nor of nothing") {
        TimeToGo to_go({.total = kTotal});
        CHECK(!to_go.left_s());
        to_go.add(kTotal / 200, 9);
        CHECK(!to_go.left_s());
        to_go.add(kTotal / 50, 9.5);
        CHECK(to_go.left_s());
        TimeToGo idle({.total = kTotal});
        idle.add(0, 60);
        CHECK(!idle.left_s());
        TimeToGo quick({.total = kTotal});
        quick.add(kTotal / 2, 0.2);
        CHECK(!quick.left_s());
        TimeToGo done({.found = kTotal, .total = kTotal});
        done.add(kTotal, 1);
        CHECK(!done.left_s());
    }
}

}  // namespace weft::app::testing
