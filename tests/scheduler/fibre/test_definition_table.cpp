// test_definition_table.cpp — keys are found while they gather, and not afterwards.
#include <map>

#include <doctest/doctest.h>

#include "scheduler/fibre/definition_table.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

TEST_SUITE("scheduler/fibre/definition_table") {
    TEST_CASE("F6 each key is found however many keys have the same short form") {
        // Of 200000 keys about five pairs have a short form of 32 bits in common.
        constexpr u32 kKeys = 200000;
        DefinitionTable table(kKeys);
        Collections collections(kKeys);
        for (u32 index = 0; index < kKeys; ++index) {
            collections[index].name = {.routine = index % 8,
                                       .key = {.value = index / 16, .tag = index / 8 % 2}};
            REQUIRE(table.find(collections, collections[index].name) == kNone);
            table.insert(collections[index].name, index);
        }
        for (u32 index = 0; index < kKeys; ++index) {
            REQUIRE(table.find(collections, collections[index].name) == index);
        }
        CHECK(table.size_bytes() == (1u << 19) * 8);
    }

    TEST_CASE("F8 the table finds what a map finds however often keys come and go") {
        constexpr u32 kKeys = 50;
        for (const u32 variety : {60u, 100000u}) {
            Seeded random(variety);
            DefinitionTable table(kKeys);
            REQUIRE(table.is_allocated());
            Collections collections(kKeys);
            std::map<u32, u32> twin;  // key to collection
            std::map<u32, u32> key_of;
            for (u32 round = 0; round < 20000; ++round) {
                const u32 value = random() % variety;
                const CollectionKey name{.routine = value % 3,
                                         .key = {.value = value / 6, .tag = value % 2}};
                const auto known = twin.find(value);
                REQUIRE(table.find(collections, name) ==
                        (known == twin.end() ? kNone : known->second));
                if (known == twin.end() && twin.size() < kKeys) {
                    u32 place = 0;
                    while (key_of.contains(place)) {
                        ++place;
                    }
                    collections[place].name = name;
                    table.insert(name, place);
                    twin[value] = place;
                    key_of[place] = value;
                } else {
                    const auto gone = key_of.lower_bound(random() % kKeys);
                    if (gone != key_of.end()) {
                        table.erase(collections[gone->first].name, gone->first);
                        twin.erase(gone->second);
                        key_of.erase(gone);
                    }
                }
                REQUIRE(table.key_count() == twin.size());
                for (const auto& [key, place] : twin) {
                    REQUIRE(table.find(collections, collections[place].name) == place);
                }
            }
        }
    }
}

}  // namespace weft::fibre
