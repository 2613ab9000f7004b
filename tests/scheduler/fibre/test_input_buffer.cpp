// test_input_buffer.cpp — small packets wait for others of their routine until a lane group is
// full.
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/input_buffer.h"
#include "scheduler/fibre/packet_policy.h"

namespace weft::fibre {

namespace {

std::vector<u32> take_all(InputBuffer& buffer, ClaimTable& claims, u32 row, u32 packet_id) {
    std::vector<BufferEntry> entries(8);
    entries.resize(buffer.take(row, {.claims = claims, .packet_id = packet_id}, entries.data()));
    std::vector<u32> elements;
    for (const BufferEntry& entry : entries) {
        elements.push_back(entry.element);
    }
    return elements;
}

}  // namespace

TEST_SUITE("scheduler/fibre/input_buffer") {
    TEST_CASE("F15 fibres of several keys fill one lane group") {
        InputBuffer buffer(4);
        ClaimTable claims(16);
        buffer.put(1, {.value = 10}, 0, 0, std::vector<u32>{0, 1, 2});
        CHECK(buffer.full_row() == kNone);
        buffer.put(1, {.value = 11}, 0, 1, std::vector<u32>{3, 4});
        REQUIRE(buffer.full_row() != kNone);
        CHECK(take_all(buffer, claims, buffer.full_row(), 1) == std::vector<u32>{0, 1, 2, 3});
        CHECK(buffer.full_row() == kNone);
        CHECK(buffer.entry_count() == 1);
        CHECK(take_all(buffer, claims, buffer.oldest_row(), 2) == std::vector<u32>{4});
        CHECK(buffer.oldest_row() == kNone);
        CHECK(buffer.most_urgent_row() == kNone);
    }

    TEST_CASE("routines and tags never share a lane group") {
        InputBuffer buffer(4);
        ClaimTable claims(16);
        buffer.put(1, {.value = 1, .tag = 0}, 0, 0, std::vector<u32>{0, 1});
        buffer.put(1, {.value = 1, .tag = 5}, 0, 0, std::vector<u32>{2, 3});
        buffer.put(2, {.value = 1, .tag = 0}, 0, 0, std::vector<u32>{4, 5});
        CHECK(buffer.full_row() == kNone);
        CHECK(buffer.entry_count() == 6);
    }

    TEST_CASE("F18 an element that is twice in a row leaves in two packets") {
        InputBuffer buffer(4);
        ClaimTable claims(16);
        buffer.put(1, {.value = 1}, 0, 0, std::vector<u32>{0, 1, 2});
        buffer.put(1, {.value = 2}, 0, 0, std::vector<u32>{0, 1, 3});
        CHECK(take_all(buffer, claims, buffer.full_row(), 1) == std::vector<u32>{0, 1, 2, 3});
        CHECK(take_all(buffer, claims, buffer.oldest_row(), 2) == std::vector<u32>{0, 1});
        CHECK(claims.counters().granted == 6);
        CHECK(claims.counters().refused == 2);
    }

    TEST_CASE(
        "F14 the most urgent fibres of a row fill the lane group and the others keep their order") {
        InputBuffer buffer(4);
        ClaimTable claims(16);
        buffer.put(1, {.value = 1}, 0, 0, std::vector<u32>{0, 1, 2});
        buffer.put(1, {.value = 2}, 50, 0, std::vector<u32>{3, 4, 5});
        CHECK(take_all(buffer, claims, buffer.full_row(), 1) == std::vector<u32>{3, 4, 5, 0});
        // Equal priority, but the newcomer has not waited.
        buffer.put(1, {.value = 3}, 0, 1, std::vector<u32>{6});
        CHECK(take_all(buffer, claims, buffer.oldest_row(), 2) == std::vector<u32>{1, 2, 6});
    }

    TEST_CASE("F14 the more urgent fibre goes first and waiting outweighs any priority") {
        InputBuffer buffer(4);
        ClaimTable claims(16);
        buffer.put(1, {}, 0, 0, std::vector<u32>{0});
        buffer.put(2, {}, 100, 0, std::vector<u32>{1});
        CHECK(buffer.row(buffer.most_urgent_row()).routine == 2);
        // A priority is worth less than one in all: two spread over the waits of Policy::Balanced.
        const u64 late = static_cast<u64>(2 / age_gain(Policy::Balanced)) + 1;
        buffer.put(3, {}, 1.0e30f, late, std::vector<u32>{2});
        static_cast<void>(take_all(buffer, claims, buffer.most_urgent_row(), 1));
        CHECK(buffer.row(buffer.most_urgent_row()).routine == 1);
        CHECK(buffer.row(buffer.oldest_row()).routine == 1);
    }

    TEST_CASE("with every row in use only their own routines and tags have a place") {
        InputBuffer buffer(4);
        for (u32 tag = 0; tag < kBufferRows; ++tag) {
            CHECK(buffer.has_place(1, tag));
            buffer.put(1, {.tag = tag}, 0, tag, std::vector<u32>{tag});
        }
        CHECK_FALSE(buffer.has_place(1, kBufferRows));
        CHECK_FALSE(buffer.has_place(2, 0));
        CHECK(buffer.has_place(1, 3));
        CHECK(buffer.row(buffer.oldest_row()).tag == 0);
    }
}

}  // namespace weft::fibre
