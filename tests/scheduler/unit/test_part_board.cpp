// test_part_board.cpp — the barrier of a unit's parts and the one retry of each, by every order in
// which parts can end.
#include <array>
#include <string>

#include <doctest/doctest.h>

#include "scheduler/unit/part_board.h"

namespace weft::unit {

namespace {

// A board with the truth beside it: copied at each branch of the search.
struct Watched {
    PartBoard board;
    u32 part_count = 0;
    u32 running = 0;  // bits
    std::array<u32, 4> begun{};
    std::array<u32, 4> failed{};
    u32 done = 0;
    u32 first_error = 0;
    u32 first_error_part = 0;
};

struct Tally {
    u64 ends = 0;
    u64 failed_ends = 0;
    u64 wrong = 0;
};

void check_end(const Watched& now, Tally& tally) {
    TaskStatus status;
    now.board.write(status);
    u32 retried = 0;
    for (u32 part = 0; part < now.part_count; ++part) {
        retried += now.begun[part] == 2 ? 1u : 0u;
    }
    const bool is_right = status.done_parts == now.done && status.error_code == now.first_error &&
                          (now.first_error == 0 || status.error_part == now.first_error_part) &&
                          status.retried_parts == retried;
    tally.wrong += is_right ? 0u : 1u;
    ++tally.ends;
    tally.failed_ends += now.first_error != 0 ? 1u : 0u;
}

// Either begins the next part or ends any running one, well or badly, in every order.
void search(const Watched& now, Tally& tally) {
    if (now.board.is_complete()) {
        check_end(now, tally);
        return;
    }
    Watched begun = now;
    u32 part = 0;
    u32 attempt = 0;
    if (begun.board.next(part, attempt)) {
        tally.wrong += attempt == begun.failed[part] && begun.begun[part] == attempt ? 0u : 1u;
        ++begun.begun[part];
        begun.running |= 1u << part;
        search(begun, tally);
    }
    for (part = 0; part < now.part_count; ++part) {
        for (const u32 error_code : {0u, part + 10}) {
            if ((now.running >> part & 1u) == 0) {
                continue;
            }
            Watched ended = now;
            ended.board.finish(part, error_code);
            ended.running &= ~(1u << part);
            ended.done |= error_code == 0 ? 1u << part : 0u;
            ended.failed[part] += error_code == 0 ? 0u : 1u;
            if (ended.failed[part] == 2 && ended.first_error == 0) {
                ended.first_error = error_code;
                ended.first_error_part = part;
            }
            search(ended, tally);
        }
    }
}

}  // namespace

TEST_SUITE("scheduler/unit/part_board") {
    TEST_CASE("W6 W7 in every order of ends the barrier holds until each part ended for good") {
        u64 ends_before = 0;
        for (const u32 part_count : {1u, 2u, 3u}) {
            Watched start;
            start.part_count = part_count;
            start.board.open(part_count);
            Tally tally;
            search(start, tally);
            CHECK(tally.wrong == 0);
            CHECK(tally.ends > ends_before);
            CHECK(tally.failed_ends > 0);
            CHECK(tally.failed_ends < tally.ends);
            ends_before = tally.ends;
        }
    }

    TEST_CASE("W7 32 parts fill the status word") {
        PartBoard board;
        board.open(kMostParts);
        u32 part = 0;
        u32 attempt = 0;
        for (u32 expected = 0; expected < kMostParts; ++expected) {
            REQUIRE(board.next(part, attempt));
            CHECK(part == expected);
            board.finish(part, 0);
        }
        CHECK_FALSE(board.next(part, attempt));
        TaskStatus status;
        board.write(status);
        CHECK(status.done_parts == ~0u);
        CHECK(status.error_code == 0);
    }

    TEST_CASE("W7 an abandoned task is complete and keeps its first error") {
        PartBoard board;
        board.open(3);
        u32 part = 0;
        u32 attempt = 0;
        REQUIRE(board.next(part, attempt));
        board.finish(part, 0);
        REQUIRE(board.next(part, attempt));
        board.abandon(5);
        board.abandon(6);
        CHECK(board.is_complete());
        TaskStatus status;
        board.write(status);
        CHECK(status.error_code == 5);
        CHECK(status.error_part == 1);
        CHECK(status.done_parts == 1);
        board.open(2);
        CHECK_FALSE(board.is_complete());
        REQUIRE(board.next(part, attempt));
        CHECK(part == 0);
        CHECK(attempt == 0);
    }
}

}  // namespace weft::unit
