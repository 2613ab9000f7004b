// test_lanes.cpp — lane groups hold every fibre of a packet once, under the mask, and a cluster
// counts N lanes for each, whatever N is.
#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/cluster.h"
#include "scheduler/fibre/lanes.h"

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

}  // namespace

TEST_SUITE("scheduler/fibre/lanes") {
    TEST_CASE("F1 every fibre is in one lane and the mask names the lanes that have one") {
        std::vector<u32> elements(100);
        std::iota(elements.rbegin(), elements.rend(), 1000u);
        for (const u32 count : {1u, 3u, 4u, 31u, 32u, 33u, 64u, 100u}) {
            for_each_lane_count([&](auto lane_count) {
                constexpr u32 kLanes = decltype(lane_count)::value;
                const auto packet = std::span<const u32>(elements).first(count);
                std::vector<u32> seen;
                u32 groups = 0;
                for (std::size_t first = 0; first < count; first += kLanes, ++groups) {
                    const Lanes<kLanes> lanes = lanes_at<kLanes>(packet, first);
                    CHECK(lanes.count > 0);
                    for (u32 k = 0; k < kLanes; ++k) {
                        const bool has_fibre = (lanes.mask >> k & 1) != 0;
                        CHECK(has_fibre == (k < lanes.count));
                        if (has_fibre) {
                            seen.push_back(lanes.element[k]);
                        } else {
                            CHECK(lanes.element[k] == lanes.element[0]);
                        }
                    }
                }
                CHECK(std::ranges::equal(seen, packet));
                CHECK(groups == (count + kLanes - 1) / kLanes);
            });
        }
    }

    TEST_CASE("F1 a cluster counts N lanes for each group that its routines run") {
        for_each_lane_count([](auto lane_count) {
            constexpr u32 kLanes = decltype(lane_count)::value;
            struct Issued {
                RoutineId add = 0;
                u64 lanes_issued = 0;
                u64 lanes_active = 0;
                std::vector<float> sums = std::vector<float>(300);

                void parent(const Packet& packet, Spawner& spawner) {
                    packet.is_initial_launch ? spawner.spawn(add, packet.elements)
                                             : spawner.release(packet.elements);
                }

                void add_one(const Packet& packet, Spawner&) {
                    for (std::size_t first = 0; first < packet.elements.size(); first += kLanes) {
                        const Lanes<kLanes> lanes = lanes_at<kLanes>(packet.elements, first);
                        for (u32 k = 0; k < kLanes; ++k) {
                            sums[lanes.element[k]] += (lanes.mask >> k & 1) != 0 ? 1.0f : 0.0f;
                        }
                        lanes_issued += kLanes;
                        lanes_active += lanes.count;
                    }
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
            CHECK(issued.lanes_issued == counted.lanes_issued);
            CHECK(issued.lanes_active == counted.lanes_active);
            CHECK(counted.lanes_active == 900);
            CHECK(std::accumulate(issued.sums.begin(), issued.sums.end(), 0.0f) == 900);
        });
    }
}

}  // namespace weft::fibre
