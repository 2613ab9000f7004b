// test_packet_policy.cpp — the choice of the next collection, on made-up numbers.
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/packet_policy.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

constexpr Policy kPolicies[] = {
    Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced};

CollectionView random_view(Seeded& random, u64 max_age) {
    const float mean = static_cast<float>(random() % 1000) / 100.0f;
    return {.fibre_count = 1 + static_cast<u32>(random() % 2000),
            .mean_priority = mean,
            .max_priority = mean + static_cast<float>(random() % 100),
            .age_packets = random() % (max_age + 1),
            .push_order = random() % 1000000,
            .packet_fill = 64};
}

}  // namespace

TEST_SUITE("scheduler/fibre/packet_policy") {
    TEST_CASE("F11 each policy prefers what it is named for") {
        const CollectionView plain{.fibre_count = 10, .age_packets = 10, .push_order = 5};
        CollectionView other = plain;
        other.push_order = 6;
        CHECK(score(Policy::DepthFirst, other) > score(Policy::DepthFirst, plain));
        other = plain;
        other.fibre_count = 11;
        CHECK(score(Policy::Fullest, other) > score(Policy::Fullest, plain));
        CHECK(score(Policy::Balanced, other) > score(Policy::Balanced, plain));
        other = plain;
        other.age_packets = 11;
        CHECK(score(Policy::Oldest, other) > score(Policy::Oldest, plain));
        CHECK(score(Policy::Balanced, other) > score(Policy::Balanced, plain));
        other = plain;
        other.mean_priority = 1;
        CHECK(score(Policy::Priority, other) > score(Policy::Priority, plain));
        CHECK(score(Policy::Balanced, other) > score(Policy::Balanced, plain));
    }

    TEST_CASE("F11 one very urgent fibre lifts its whole group") {
        const CollectionView even{.fibre_count = 10, .mean_priority = 2, .max_priority = 2};
        const CollectionView lifted{.fibre_count = 10, .mean_priority = 1, .max_priority = 10};
        CHECK(score(Policy::Priority, lifted) > score(Policy::Priority, even));
    }

    TEST_CASE("F11 one fibre or push more outweighs every age within the bound") {
        CollectionView old{.fibre_count = 10, .age_packets = kAgeBound, .push_order = 5};
        CollectionView young{.fibre_count = 11, .age_packets = 0, .push_order = 6};
        CHECK(score(Policy::Fullest, young) > score(Policy::Fullest, old));
        CHECK(score(Policy::DepthFirst, young) > score(Policy::DepthFirst, old));
    }

    TEST_CASE("F14 beyond the age bound the older leaves first whatever else the policy sees") {
        Seeded random(1);
        for (const Policy policy : kPolicies) {
            for (u32 round = 0; round < 1000; ++round) {
                CollectionView old = random_view(random, 0);
                CollectionView young = random_view(random, kAgeBound);
                old.age_packets = kAgeBound + 1 + random() % 1000;
                REQUIRE(score(policy, old) > score(policy, young));
                young.age_packets = old.age_packets + 1;
                REQUIRE(score(policy, young) > score(policy, old));
            }
        }
    }

    TEST_CASE("the order by standing and time of arrival is the order of the scores at any time") {
        Seeded random(2);
        for (const Policy policy : kPolicies) {
            for (u32 round = 0; round < 1000; ++round) {
                const u64 now = 1000000;
                const CollectionView a = random_view(random, kAgeBound);
                const CollectionView b = random_view(random, kAgeBound);
                const auto rank = [&](const CollectionView& view) {
                    return standing(policy, view) -
                           age_gain(policy) * static_cast<double>(now - view.age_packets);
                };
                const double apart = score(policy, a) - score(policy, b);
                REQUIRE(rank(a) - rank(b) == doctest::Approx(apart).epsilon(1e-6));
            }
        }
    }

    TEST_CASE("a bounded priority keeps the order and stays within one") {
        const float priorities[] = {-1.0e30f, -5, -1, 0, 0.5f, 1, 100, 1.0e6f};
        for (u32 index = 0; index + 1 < std::size(priorities); ++index) {
            CHECK(bounded_priority(priorities[index]) < bounded_priority(priorities[index + 1]));
        }
        CHECK(bounded_priority(1.0e30f) <= 1);
        CHECK(bounded_priority(-1.0e30f) >= -1);
    }

    TEST_CASE("policies have the names of the command line") {
        std::vector<std::string_view> names;
        for (const Policy policy : kPolicies) {
            names.push_back(policy_name(policy));
        }
        CHECK(names == std::vector<std::string_view>{
                           "depth_first", "fullest", "oldest", "priority", "balanced"});
    }
}

}  // namespace weft::fibre
