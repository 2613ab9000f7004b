// test_lanes.cpp — routines over Lanes<N> run every fibre once, under the mask, N lanes a call,
// with the same results for every N.
#include <algorithm>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/lanes.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

// Calls body with a std::integral_constant for each lane count.
template <typename Body>
void for_each_lane_count(const Body& body) {
    body(std::integral_constant<u32, 1>());
    body(std::integral_constant<u32, 4>());
    body(std::integral_constant<u32, 8>());
    body(std::integral_constant<u32, 16>());
    body(std::integral_constant<u32, 32>());
}

std::vector<float> random_floats(u32 seed, u32 count) {
    Seeded random(seed);
    std::vector<float> numbers(count);
    for (float& number : numbers) {
        number = static_cast<float>(random() % 20001) / 100.0f - 100;
    }
    return numbers;
}

// A little of everything, per lane: what the scalar twin below computes for one fibre.
template <u32 N>
LaneFloats<N> formula(const LaneFloats<N>& x, const LaneFloats<N>& y) {
    const LaneFloats<N> sum = 2 * x + y * y;
    return select(x < y, min(sum, 100), max(x - y, sum - 7));
}

float scalar_formula(float x, float y) {
    const float sum = 2 * x + y * y;
    return x < y ? std::min(sum, 100.0f) : std::max(x - y, sum - 7);
}

}  // namespace

TEST_SUITE("scheduler/fibre/lanes") {
    TEST_CASE("F1 every fibre is in one lane of one call and lanes issued are N per call") {
        std::vector<u32> elements(100);
        std::iota(elements.rbegin(), elements.rend(), 1000u);
        std::vector<float> payload = random_floats(5, 100);
        for (const u32 count : {0u, 1u, 3u, 4u, 31u, 32u, 33u, 64u, 100u}) {
            for_each_lane_count([&](auto lane_count) {
                constexpr u32 kLanes = decltype(lane_count)::value;
                Packet packet;
                packet.elements = std::span(elements).first(count);
                packet.payload = std::span(payload).first(count);
                LaneCounters counters;
                LaneList seen;
                run_in_lanes<kLanes>(packet, counters, [&](const Lanes<kLanes>& lanes) {
                    CHECK(lanes.count > 0);
                    CHECK(lanes.mask == ~u64{0} >> (64 - lanes.count));
                    for (u32 lane = lanes.count; lane < kLanes; ++lane) {
                        CHECK(lanes.element[lane] == lanes.element[0]);
                    }
                    seen.append(lanes, lanes.payload, lanes.mask);
                });
                CHECK(std::ranges::equal(seen.elements, packet.elements));
                CHECK(std::ranges::equal(seen.payload, packet.payload));
                CHECK(counters.calls == (count + kLanes - 1) / kLanes);
                CHECK(counters.lanes_issued == counters.calls * kLanes);
                CHECK(counters.lanes_active == count);
            });
        }
    }

    TEST_CASE("F1 a packet without payload gives each lane the number zero") {
        const std::vector<u32> elements = {4, 5, 6};
        Packet packet;
        packet.elements = elements;
        LaneCounters counters;
        run_in_lanes<8>(packet, counters, [](const Lanes<8>& lanes) {
            CHECK(lanes.payload.lane == std::array<float, 8>{});
        });
        CHECK(counters.calls == 1);
    }

    TEST_CASE("F1 a formula over lanes gives the bits of the scalar one whatever N is") {
        constexpr u32 kCount = 1003;
        const std::vector<float> x = random_floats(1, kCount);
        const std::vector<float> y = random_floats(2, kCount);
        std::vector<u32> elements(kCount);
        std::iota(elements.begin(), elements.end(), 0u);
        Packet packet;
        packet.elements = elements;
        for_each_lane_count([&](auto lane_count) {
            constexpr u32 kLanes = decltype(lane_count)::value;
            std::vector<float> results(kCount, -1e30f);
            LaneCounters counters;
            run_in_lanes<kLanes>(packet, counters, [&](const Lanes<kLanes>& lanes) {
                const LaneFloats<kLanes> result =
                    formula(gather(x, lanes.element), gather(y, lanes.element));
                scatter(results, lanes.element, result, lanes.mask);
            });
            u32 wrong = 0;
            for (u32 index = 0; index < kCount; ++index) {
                wrong += results[index] == scalar_formula(x[index], y[index]) ? 0u : 1u;
            }
            CHECK(wrong == 0);
        });
    }

    TEST_CASE("F1 a cluster counts the lanes that its routines issue and no scalar calls") {
        for_each_lane_count([](auto lane_count) {
            constexpr u32 kLanes = decltype(lane_count)::value;
            struct Issued {
                LaneCounters counters;
                RoutineId add = 0;
                std::vector<float> sums = std::vector<float>(300);

                void parent(const Packet& packet, Spawner& spawner) {
                    packet.is_initial_launch ? spawner.spawn(add, packet.elements)
                                             : spawner.release(packet.elements);
                }

                void add_one(const Packet& packet, Spawner&) {
                    run_in_lanes<kLanes>(packet, counters, [&](const Lanes<kLanes>& lanes) {
                        const auto sum = gather(sums, lanes.element) + 1;
                        scatter(sums, lanes.element, sum, lanes.mask);
                    });
                }
            } issued;
            Cluster cluster({.element_count = 300, .lane_count = kLanes});
            cluster.declare(
                {.name = "parent", .run = run_member<Issued, &Issued::parent>, .context = &issued});
            issued.add = cluster.declare(
                {.name = "add", .run = run_member<Issued, &Issued::add_one>, .context = &issued});
            REQUIRE(cluster.submit({.launch_count = 900}) == Admission::Taken);
            cluster.run();
            const RoutineCounters& counted = cluster.counters().routine[issued.add];
            CHECK(issued.counters.lanes_issued == issued.counters.calls * kLanes);
            CHECK(issued.counters.lanes_issued == counted.lanes_issued);
            CHECK(issued.counters.lanes_active == counted.lanes_active);
            CHECK(counted.lanes_active == 900);
            CHECK(std::accumulate(issued.sums.begin(), issued.sums.end(), 0.0f) == 900);
        });
    }

    TEST_CASE("F1 lanes outside of the mask write nothing") {
        std::vector<float> table(8, 1.0f);
        const std::array<u32, 4> index = {7, 3, 0, 5};
        scatter(table, index, LaneFloats<4>(2), 0b0101);
        CHECK(table == std::vector<float>{2, 1, 1, 1, 1, 1, 1, 2});
        const Lanes<4> lanes{.element = index, .payload = {}, .mask = 0b1111, .count = 4};
        LaneList list;
        list.append(lanes, LaneFloats<4>(9), 0b1010);
        CHECK(list.elements == std::vector<u32>{3, 5});
        CHECK(list.payload == std::vector<float>{9, 9});
        list.clear();
        CHECK(list.elements.empty());
    }
}

}  // namespace weft::fibre
