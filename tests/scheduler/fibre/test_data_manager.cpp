// test_data_manager.cpp — every number of every range becomes one launch of one thread, whatever
// clusters refuse and however many of them are fed at once.
#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/data_manager.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

// A cluster's table of threads: takes as many as it has room for.
struct Table {
    u32 capacity = kNone;
    u32 elements = kNone;
    std::vector<ThreadDesc> threads{};

    Admission submit(const ThreadDesc& desc) {
        if (desc.elements_at_once > elements) {
            return Admission::TooLarge;
        }
        if (threads.size() >= capacity) {
            return Admission::Full;
        }
        threads.push_back(desc);
        return Admission::Taken;
    }
};

std::vector<u64> begins_of(const Table& table) {
    std::vector<u64> begins;
    for (const ThreadDesc& desc : table.threads) {
        begins.push_back(Piece::of(desc.user).begin);
    }
    return begins;
}

}  // namespace

TEST_SUITE("scheduler/fibre/data_manager") {
    TEST_CASE("F17 a range is cut at its grain and the last piece is what is left") {
        for (const DataKind kind :
             {DataKind::Camera, DataKind::Ray, DataKind::Compute, DataKind::Geometry}) {
            DataManager manager(kind, 4, 1);
            REQUIRE(manager.give({.begin = 5, .end = 28, .grain = 10, .elements_at_once = 7}));
            Table table;
            CHECK(manager.feed(table, 100) == Feed::Drained);
            REQUIRE(table.threads.size() == 3);
            CHECK(begins_of(table) == std::vector<u64>{5, 15, 25});
            CHECK(table.threads[0].launch_count == 10);
            CHECK(table.threads[2].launch_count == 3);
            CHECK(table.threads[0].elements_at_once == 7);
            CHECK(table.threads[2].elements_at_once == 3);
            CHECK(Piece::of(table.threads[1].user).kind == kind);
            CHECK(manager.counters().threads_made == 3);
            CHECK(manager.counters().numbers_taken == 23);
        }
    }

    TEST_CASE("F17 the most urgent range is cut first and equals in the order of arrival") {
        DataManager manager(DataKind::Camera, 4, 1);
        REQUIRE(manager.give({.begin = 0, .end = 20, .grain = 10}));
        REQUIRE(manager.give({.begin = 100, .end = 110, .grain = 10}));
        Table table;
        CHECK(manager.feed(table, 1) == Feed::More);
        REQUIRE(manager.give({.begin = 200, .end = 210, .grain = 10, .priority = 1}));
        CHECK(manager.feed(table, 100) == Feed::Drained);
        CHECK(begins_of(table) == std::vector<u64>{0, 200, 10, 100});
        CHECK(table.threads[1].priority == 1);
    }

    TEST_CASE("F16 a cluster that is full is back-pressure and its piece is the next one's") {
        DataManager manager(DataKind::Camera, 1, 2);
        REQUIRE(manager.give({.begin = 0, .end = 100, .grain = 10}));
        Table first{.capacity = 3};
        Table second;
        CHECK(manager.feed(first, 100) == Feed::BackPressure);
        CHECK(manager.feed(first, 100) == Feed::BackPressure);
        CHECK(manager.feed(second, 100) == Feed::Drained);
        CHECK(begins_of(first) == std::vector<u64>{0, 10, 20});
        CHECK(begins_of(second) == std::vector<u64>{30, 40, 50, 60, 70, 80, 90});
        CHECK(manager.counters().back_pressure == 2);
        CHECK(manager.counters().threads_waited == 1);
    }

    TEST_CASE("F16 a full queue refuses a range and records nothing of it") {
        DataManager manager(DataKind::Ray, 2, 1);
        const WorkRange range{.begin = 0, .end = 10, .grain = 10};
        CHECK(manager.give(range));
        CHECK(manager.give(range));
        CHECK(!manager.give(range));
        Table table;
        CHECK(manager.feed(table, 1) == Feed::More);
        CHECK(manager.give(range));
        CHECK(manager.feed(table, 100) == Feed::Drained);
        CHECK(table.threads.size() == 3);
        CHECK(manager.counters().ranges_given == 3);
        CHECK(manager.counters().ranges_refused == 1);
    }

    TEST_CASE("F17 a thread too large for one cluster waits for a larger one") {
        DataManager manager(DataKind::Geometry, 1, 1);
        REQUIRE(manager.give({.begin = 0, .end = 100, .grain = 50, .elements_at_once = 40}));
        Table small{.elements = 39};
        Table large{.elements = 40};
        CHECK(manager.feed(small, 1) == Feed::TooLarge);
        CHECK(manager.feed(large, 9) == Feed::Drained);
        CHECK(begins_of(large) == std::vector<u64>{0, 50});
    }

    TEST_CASE("F17 the work is done when every thread has finished and not when all are taken") {
        DataManager manager(DataKind::Compute, 1, 1);
        CHECK(manager.is_done());
        REQUIRE(manager.give({.begin = 0, .end = 20, .grain = 10}));
        CHECK(!manager.is_done());
        Table table;
        CHECK(manager.feed(table, 9) == Feed::Drained);
        manager.finished();
        CHECK(!manager.is_done());
        manager.finished();
        CHECK(manager.is_done());
    }

    TEST_CASE("F18 threads of one kind write disjoint ranges and those of two kinds never meet") {
        Table table;
        for (const DataKind kind : {DataKind::Camera, DataKind::Geometry}) {
            DataManager manager(kind, 1, 1);
            REQUIRE(manager.give({.begin = 0, .end = 95, .grain = 10}));
            CHECK(manager.feed(table, 100) == Feed::Drained);
        }
        REQUIRE(table.threads.size() == 20);
        for (std::size_t left = 0; left < table.threads.size(); ++left) {
            CHECK(!table.threads[left].range.is_empty());
            for (std::size_t right = 0; right < left; ++right) {
                CHECK(!table.threads[left].range.overlaps(table.threads[right].range));
            }
        }
    }

    TEST_CASE("F17 clusters on as many threads take every number once whatever they refuse") {
        for (const u32 cluster_count : {1u, 2u, 4u, 8u, 64u}) {
            CAPTURE(cluster_count);
            constexpr u32 kRanges = 40;
            constexpr u64 kNumbers = 100;  // per range
            DataManager manager(DataKind::Camera, kRanges, cluster_count);
            for (u64 range = 0; range < kRanges; ++range) {
                REQUIRE(manager.give({.begin = range * kNumbers,
                                      .end = (range + 1) * kNumbers,
                                      .grain = 1 + range,
                                      .priority = static_cast<float>(range % 3)}));
            }
            std::vector<u32> taken(kRanges * kNumbers, 0);  // each written by one thread alone
            const auto drive = [&](u32 cluster) {
                Seeded random(cluster);
                while (!manager.is_done()) {
                    Table table{.capacity = random() % 3};
                    manager.feed(table, 1 + random() % 4);
                    for (const ThreadDesc& desc : table.threads) {
                        const u64 begin = Piece::of(desc.user).begin;
                        for (u64 launch = 0; launch < desc.launch_count; ++launch) {
                            ++taken[begin + launch];
                        }
                        manager.finished();
                    }
                }
            };
            std::vector<std::thread> threads;
            for (u32 cluster = 0; cluster < cluster_count; ++cluster) {
                threads.emplace_back(drive, cluster);
            }
            for (std::thread& thread : threads) {
                thread.join();
            }
            CHECK(std::ranges::count(taken, 1u) == static_cast<std::ptrdiff_t>(taken.size()));
            const DataCounters counters = manager.counters();
            CHECK(counters.ranges_given == kRanges);
            CHECK(counters.numbers_taken == taken.size());
            CHECK(counters.threads_made == counters.threads_finished);
            CHECK(counters.threads_waited <= counters.back_pressure);
            CHECK((counters.back_pressure > 0 || cluster_count > 1));
        }
    }
}

}  // namespace weft::fibre
