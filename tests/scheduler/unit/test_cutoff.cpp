// test_cutoff.cpp — the size of shares, and the split of work among units: pure decisions.
#include <array>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/cutoff.h"
#include "scheduler/unit/share_plan.h"

namespace weft::unit {

namespace {

UnitOffer offer(double throughput, u64 target, u64 least, u64 most) {
    UnitOffer made;
    made.throughput = throughput;
    made.target_work = target;
    made.least_work = least;
    made.most_work = most;
    return made;
}

}  // namespace

TEST_SUITE("scheduler/unit/cutoff") {
    TEST_CASE("W2 a share is so large that handing it over costs a hundredth of its time") {
        CutoffInput input;
        input.overhead_ns = 500;
        input.ns_per_work = 10;
        CHECK(share_target(input) == 5000);
        input.ns_per_work = 1000;
        CHECK(share_target(input) == 50);
        input.overhead_ns = 5000;
        CHECK(share_target(input) == 500);
    }

    TEST_CASE("W2 before anything is measured a share has the least size") {
        CutoffInput input;
        input.least_work = 64;
        CHECK(share_target(input) == 64);
        input.overhead_ns = 500;
        CHECK(share_target(input) == 64);
    }

    TEST_CASE("W2 the cutoff stays between what fills the lanes and what the slots hold") {
        for (const double ns_per_work : {1e-9, 1e-3, 1.0, 1e3, 1e9}) {
            CutoffInput input;
            input.overhead_ns = 1000;
            input.ns_per_work = ns_per_work;
            input.least_work = 100;
            input.most_work = 9000;
            CHECK(share_target(input) >= 100);
            CHECK(share_target(input) <= 9000);
        }
        CutoffInput endless;
        endless.overhead_ns = 1e18;
        endless.ns_per_work = 1e-18;
        CHECK(share_target(endless) == ~u64{0});
    }

    TEST_CASE("W2 a size given by the caller overrides the measured one") {
        CutoffInput input;
        input.overhead_ns = 1000;
        input.ns_per_work = 1;
        input.least_work = 50;
        input.most_work = 200;
        input.given_work = 7;
        CHECK(share_target(input) == 7);
        input.given_work = 1000;
        CHECK(share_target(input) == 200);
    }

    TEST_CASE("W2 halves are at least as large as the target and no share is twice as large") {
        for (u64 target = 1; target < 40; ++target) {
            for (u64 size = 1; size < 200; ++size) {
                if (is_share(size, target, 1000)) {
                    CHECK(size < 2 * target);
                } else {
                    CHECK(size / 2 >= target);
                }
            }
        }
        CHECK_FALSE(is_share(11, 10, 10));
        CHECK(is_share(10, 10, 10));
    }
}

TEST_SUITE("scheduler/unit/share_plan") {
    TEST_CASE("W8 shares follow measured throughput and the unmeasured count as the mean") {
        std::array<UnitOffer, 3> offers = {
            offer(3, 10, 1, 100), offer(0, 10, 1, 100), offer(1, 10, 1, 100)};
        set_ratios(offers);
        CHECK(offers[0].ratio == doctest::Approx(0.5));
        CHECK(offers[1].ratio == doctest::Approx(1.0 / 3));
        CHECK(offers[2].ratio == doctest::Approx(1.0 / 6));
        std::array<UnitOffer, 2> fresh = {offer(0, 10, 1, 100), offer(0, 10, 1, 100)};
        set_ratios(fresh);
        CHECK(fresh[0].ratio == 0.5);
        CHECK(fresh[1].ratio == 0.5);
    }

    TEST_CASE("W8 an item for several units gives each at least its target where that fits") {
        std::array<UnitOffer, 2> offers = {offer(3, 300, 1, 100000), offer(1, 300, 1, 100000)};
        set_ratios(offers);
        const SharePlan plan = plan_share(offers);
        CHECK(plan.target_work == 1200);  // a quarter of it is 300
        CHECK(plan.most_work == 133333);  // three quarters of it are 100000
        offers[1].target_work = 90000;
        CHECK(plan_share(offers).target_work == 133333);
    }

    TEST_CASE("W8 one unit alone wants what its own cutoff says") {
        std::array<UnitOffer, 1> offers = {offer(0, 77, 5, 99)};
        CHECK(choose_offers(offers, 1) == 1);
        CHECK(offers[0].ratio == 1);
        CHECK(plan_share(offers).target_work == 77);
        CHECK(plan_share(offers).most_work == 99);
    }

    TEST_CASE("W8 units whose share would leave their lanes idle are left out slowest first") {
        const std::vector<UnitOffer> all = {
            offer(1, 10, 10, 1000), offer(8, 10, 10, 1000), offer(3, 10, 10, 1000)};
        const std::array<std::size_t, 5> expected = {1, 1, 2, 2, 3};
        const std::array<u64, 5> sizes = {1, 30, 40, 119, 120};
        for (std::size_t at = 0; at < sizes.size(); ++at) {
            std::vector<UnitOffer> offers = all;
            const std::size_t count = choose_offers(offers, sizes[at]);
            CHECK(count == expected[at]);
            CHECK(offers[0].throughput == 8);
            double sum = 0;
            for (const UnitOffer& chosen : std::span(offers).first(count)) {
                sum += chosen.ratio;
            }
            CHECK(sum == doctest::Approx(1));
        }
    }
}

}  // namespace weft::unit
