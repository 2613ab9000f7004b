// test_timeline.cpp — the bars of the timeline panel, without a window.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "app/view/models/timeline.h"

using namespace weft;
using namespace weft::app;

namespace {

base::TracedMark mark(const char* name, u64 begin_ns, u64 duration_ns) {
    return {name, begin_ns, duration_ns, {}};
}

constexpr TimeWindow kMicrosecond{0, 1e-6};

}  // namespace

TEST_SUITE("app/view/timeline") {
    TEST_CASE("a bar lies at its mark's time and below its enclosing mark") {
        const std::vector<base::TracedMark> marks = {mark("leaf", 100, 800),
                                                     mark("closest", 200, 100),
                                                     mark("shade", 300, 400),
                                                     mark("park", 950, 50)};
        const auto bars = time_bars(marks, kMicrosecond, 1000);
        REQUIRE(bars.size() == 4);
        CHECK(bars[0].x0 == doctest::Approx(100));
        CHECK(bars[0].x1 == doctest::Approx(900));
        CHECK(bars[0].depth == 0);
        CHECK(bars[1].depth == 1);
        CHECK(bars[2].depth == 1);  // begins when the previous one ends: beside it, not in it
        CHECK(bars[3].depth == 0);
    }

    TEST_CASE("marks shorter than a pixel merge into few bars that count them all") {
        std::vector<base::TracedMark> marks;
        for (u64 k = 0; k < 100'000; ++k) {
            marks.push_back(mark("packet", k * 10, 9));
        }
        const auto bars = time_bars(marks, {0, 1e-3}, 500);
        CHECK(bars.size() <= 1000);
        u64 counted = 0;
        for (const TimeBar& bar : bars) {
            counted += bar.count;
            CHECK(bar.x1 <= 500);
        }
        CHECK(counted == marks.size());
    }

    TEST_CASE("marks outside the interval make no bar and one that crosses an edge is clipped") {
        const std::vector<base::TracedMark> marks = {
            mark("before", 0, 500), mark("crosses", 900, 200), mark("after", 3000, 10)};
        const auto bars = time_bars(marks, {1e-6, 1e-6}, 100);
        REQUIRE(bars.size() == 1);
        CHECK(bars[0].first == 1);
        CHECK(bars[0].x0 == 0);
        CHECK(bars[0].x1 == doctest::Approx(10));
    }

    TEST_CASE("zooming keeps the moment under the mouse and stops following") {
        Timeline timeline;
        const double before = timeline.window().begin_s + 0.25 * timeline.window().length_s;
        timeline.zoom(0.1, 0.25);
        CHECK(timeline.is_paused());
        CHECK(timeline.window().length_s == doctest::Approx(0.01));
        CHECK(timeline.window().begin_s + 0.25 * timeline.window().length_s ==
              doctest::Approx(before));
        timeline.zoom(1e-9, 0.5);
        CHECK(timeline.window().length_s == Timeline::kShortest_s);
        timeline.zoom(1e12, 0.5);
        CHECK(timeline.window().length_s == Timeline::kLongest_s);
    }

    TEST_CASE("a timeline shows new marks except while it is paused") {
        base::start_trace();
        const auto count = [](const Timeline& timeline) {
            std::size_t marks = 0;
            for (const base::TracedThread& thread : timeline.threads()) {
                marks += thread.marks.size();
            }
            return marks;
        };
        Timeline timeline;
        timeline.set_length(Timeline::kLongest_s);
        { const base::TraceMark first("first"); }
        timeline.update();
        CHECK(count(timeline) == 1);
        timeline.set_paused(true);
        { const base::TraceMark second("second"); }
        timeline.update();
        CHECK(count(timeline) == 1);
        timeline.set_paused(false);
        timeline.update();
        CHECK(count(timeline) == 2);
        base::stop_trace();
    }

    TEST_CASE("the last work stays visible and earlier work is reached by scrolling") {
        base::start_trace();
        Timeline timeline;
        timeline.set_length(1e-4);
        const auto names_in_sight = [&timeline] {
            std::string names;
            for (const base::TracedThread& thread : timeline.threads()) {
                for (const TimeBar& bar : time_bars(thread.marks, timeline.window(), 1000)) {
                    names += std::string(thread.marks[bar.first].name) + " ";
                }
            }
            return names;
        };
        const auto rest = [] {
            const u64 until_ns = base::trace_age_ns() + 2'000'000;
            while (base::trace_age_ns() < until_ns) {
            }
        };
        { const base::TraceMark first("first"); }
        rest();
        timeline.update();
        CHECK(names_in_sight() == "first ");
        { const base::TraceMark second("second"); }
        rest();
        timeline.update();
        CHECK(names_in_sight() == "second ");
        timeline.zoom(1e4, 1);
        CHECK(names_in_sight() == "first second ");
        base::stop_trace();
        timeline.set_paused(false);
        timeline.update();
        CHECK(names_in_sight() == "first second ");
    }
}
