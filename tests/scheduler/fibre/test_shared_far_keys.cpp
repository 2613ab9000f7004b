// test_shared_far_keys.cpp — fibres of several clusters whose data are far: one fetch serves all of
// them, no cluster blocks, and data stay near until the last slice has run.
#include <array>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/shared_packet_unit.h"
#include "tests/scheduler/fibre/far_places.h"

namespace weft::fibre {

namespace {

constexpr u32 kKey = 7;
constexpr ClusterConfig kConfig{.element_count = 8, .list_capacity = 64};

// Two clusters, stepped by the test: each launch goes on to kKey, and ends there.
struct FarPair {
    struct Ran {
        u32 cluster;
        u32 packet_id;
        u64 fibres;
    };

    // Who had slices of the packets that left.
    static inline std::vector<std::vector<u32>> left;

    Places places;
    SharedPacketUnit unit{kConfig, 2};
    std::array<std::unique_ptr<Script>, 2> scripts;
    std::vector<Ran> ran;
    u32 waited_again = 0;

    explicit FarPair(u32 far_tag = 0) {
        left.clear();
        for (u32 index = 0; index < 2; ++index) {
            scripts[index] = std::make_unique<Script>(kConfig, unit, index);
            add_parent(*scripts[index]);
            RoutineDesc desc = places.far({.name = "work", .may_mix_keys = false});
            desc.far_tag = far_tag;
            desc.leaves = [](void*, Key key, std::span<const u32> clusters) {
                CHECK(key.value == kKey);
                left.emplace_back(clusters.begin(), clusters.end());
            };
            scripts[index]->add([this, index](const Packet& packet,
                                              Spawner& spawner) { work(index, packet, spawner); },
                                desc);
        }
    }

    void work(u32 index, const Packet& packet, Spawner& spawner) {
        const bool has_come = places.of_key[kKey] == Fetch::Near;
        if (packet.payload.empty()) {
            go_to(spawner, kKey, packet.elements);
        } else if (packet.key.tag == 0 && !has_come && waited_again < 100) {
            ++waited_again;
            go_to(spawner, kKey, packet.elements);
        } else {
            ran.push_back({index, packet.packet_id, packet.elements.size()});
        }
    }

    void submit(u32 launches) {
        for (const auto& script : scripts) {
            REQUIRE(script->submit({.launch_count = launches}) == Admission::Taken);
        }
    }

    // Until nothing is left to do.
    void step_all() {
        for (bool has_worked = true; has_worked;) {
            has_worked = false;
            for (const auto& script : scripts) {
                has_worked = script->cluster().step() || has_worked;
            }
        }
    }
};

}  // namespace

TEST_SUITE("scheduler/fibre/shared_far_keys") {
    TEST_CASE("F8 F12 F13 one fetch serves the fibres of all clusters and none of these blocks") {
        FarPair pair;
        pair.submit(4);
        pair.step_all();
        // All eight wait in one collection, and every step says that there is nothing to do.
        CHECK(pair.ran.empty());
        CHECK(pair.places.asks_of(kKey) > 0);
        CHECK(pair.places.waited.empty());
        CHECK_FALSE(pair.scripts[0]->cluster().is_idle());
        pair.places.of_key[kKey] = Fetch::Near;
        // One cluster lets the packet leave, and runs its slice of it.
        CHECK(pair.scripts[0]->cluster().step());
        REQUIRE(FarPair::left.size() == 1);
        CHECK(FarPair::left[0].size() == 2);
        REQUIRE(pair.ran.size() == 1);
        pair.step_all();
        REQUIRE(pair.ran.size() == 2);
        CHECK(pair.ran[0].cluster != pair.ran[1].cluster);
        CHECK(pair.ran[0].packet_id == pair.ran[1].packet_id);
        CHECK(pair.ran[0].fibres + pair.ran[1].fibres == 8);
        CHECK(pair.scripts[0]->cluster().is_idle());
        CHECK(pair.scripts[1]->cluster().is_idle());
        const FetchCounters fetches = pair.unit.counters().routine[1].fetches;
        CHECK(fetches.started == 1);
        CHECK(fetches.fibres_served == 8);
    }

    TEST_CASE("F12 what was refused is asked for again while no packet runs") {
        FarPair pair;
        pair.places.of_key[kKey] = Fetch::Refused;
        pair.submit(3);
        pair.step_all();
        const u64 asked = pair.places.asks_of(kKey);
        for (u32 k = 0; k < 4; ++k) {
            CHECK_FALSE(pair.scripts[k % 2]->cluster().step());
        }
        CHECK(pair.places.asks_of(kKey) > asked + 2);
        pair.places.of_key[kKey] = Fetch::Near;
        pair.step_all();
        CHECK(pair.scripts[0]->cluster().is_idle());
        CHECK(pair.scripts[1]->cluster().is_idle());
    }

    TEST_CASE("F12 data that give way before their packet leaves are fetched again") {
        FarPair pair;
        pair.submit(2);
        pair.step_all();
        // Near when asked first, and gone when the packet would leave.
        pair.places.of_key[kKey] = Fetch::Near;
        CHECK(pair.unit.tend_far({0, 1}));
        pair.places.of_key[kKey] = Fetch::Coming;
        pair.step_all();
        CHECK(pair.ran.empty());
        CHECK(FarPair::left.empty());
        pair.places.of_key[kKey] = Fetch::Near;
        pair.step_all();
        CHECK(pair.ran.size() == 2);
    }

    TEST_CASE("F12 keys with small tags are always near") {
        FarPair pair(1);
        pair.places.of_key[kKey] = Fetch::Refused;
        pair.waited_again = 100;
        pair.submit(4);
        pair.step_all();
        CHECK(pair.ran.size() >= 2);
        CHECK(pair.places.asks_of(kKey) == 0);
        CHECK(FarPair::left.empty());
        CHECK(pair.scripts[1]->cluster().is_idle());
    }

    TEST_CASE("F12 F13 a lost cluster's far fibres are dropped and the others' wait on") {
        FarPair pair;
        pair.submit(4);
        pair.step_all();
        pair.scripts[1]->cluster().abandon();
        CHECK(pair.unit.counters().dropped_fibres == 4);
        pair.step_all();
        CHECK(pair.ran.empty());
        CHECK(pair.waited_again > 0);
        pair.places.of_key[kKey] = Fetch::Near;
        pair.step_all();
        REQUIRE(pair.ran.size() == 1);
        CHECK(pair.ran[0].cluster == 0);
        CHECK(pair.ran[0].fibres == 4);
        CHECK(FarPair::left.back() == std::vector<u32>{0});
        CHECK(pair.scripts[0]->cluster().is_idle());
    }
}

}  // namespace weft::fibre
