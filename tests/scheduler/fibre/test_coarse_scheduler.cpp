// test_coarse_scheduler.cpp — the choice of the next thread, with a simulated local memory instead
// of a cluster.
#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/fibre/coarse_scheduler.h"
#include "scheduler/fibre/packet_policy.h"
#include "tests/scheduler/fibre/seeded.h"

namespace weft::fibre {

namespace {

// Local memory of `capacity` elements and a clock; elements come back in the order of launching.
struct Memory {
    CoarseScheduler scheduler;
    u32 capacity;
    u32 free = capacity;
    u64 now = 0;
    std::deque<Grant> out{};
    std::map<u64, u64> launched{};  // by user
    std::vector<u64> started{};     // users in order of their first launch
    std::vector<u64> finished{};

    Admission submit(const ThreadDesc& desc) { return scheduler.submit(desc, capacity, now); }

    // One piece; false: nothing now.
    bool launch(u32 most = kNone) {
        Grant grant;
        if (!scheduler.next(free, most, now, grant)) {
            return false;
        }
        REQUIRE(grant.count > 0);
        REQUIRE(grant.count <= std::min(free, most));
        CHECK(grant.first_launch == launched[grant.user]);
        if (grant.first_launch == 0) {
            started.push_back(grant.user);
        }
        launched[grant.user] += grant.count;
        free -= grant.count;
        out.push_back(grant);
        return true;
    }

    // Gives back the elements of the piece launched longest ago.
    void give_back() {
        const Grant grant = out.front();
        out.pop_front();
        free += grant.count;
        if (const auto user = scheduler.released(grant.thread, grant.count)) {
            CHECK(*user == grant.user);
            finished.push_back(*user);
        }
    }
};

Memory memory_of(u32 elements, u32 threads = 16) {
    return {.scheduler = CoarseScheduler(threads), .capacity = elements};
}

}  // namespace

TEST_SUITE("scheduler/fibre/coarse_scheduler") {
    TEST_CASE("F17 of threads that fit the one of highest priority starts first") {
        Memory memory = memory_of(100);
        for (const u64 user : {1u, 2u, 3u}) {
            const float priorities[] = {0, 0.5f, 7, -2};
            CHECK(memory.submit({.launch_count = 10,
                                 .elements_at_once = 10,
                                 .priority = priorities[user],
                                 .user = user}) == Admission::Taken);
        }
        while (memory.launch()) {
        }
        CHECK(memory.started == std::vector<u64>{2, 1, 3});
    }

    TEST_CASE("F17 threads of equal priority start in the order in which they came") {
        Memory memory = memory_of(3);
        for (u64 user = 0; user < 8; ++user) {
            CHECK(memory.submit({.launch_count = 3, .elements_at_once = 3, .user = user}) ==
                  Admission::Taken);
        }
        while (memory.launch()) {
            memory.give_back();
        }
        CHECK(memory.started == std::vector<u64>{0, 1, 2, 3, 4, 5, 6, 7});
        CHECK(memory.finished == memory.started);
        CHECK(memory.scheduler.is_idle());
    }

    TEST_CASE("F16 a thread that declares more than is free waits and starts when it fits") {
        Memory memory = memory_of(100);
        CHECK(memory.submit({.launch_count = 70, .elements_at_once = 70, .user = 1}) ==
              Admission::Taken);
        CHECK(memory.submit({.launch_count = 500, .elements_at_once = 40, .user = 2}) ==
              Admission::Taken);
        CHECK(memory.launch());
        CHECK(!memory.launch());
        CHECK(memory.free == 30);
        CHECK(memory.scheduler.waiting_count() == 1);
        memory.give_back();
        CHECK(memory.launch());
        CHECK(memory.scheduler.waiting_count() == 0);
        CHECK(memory.scheduler.counters().threads_held_up == 1);
    }

    TEST_CASE("F16 a full table refuses and records nothing") {
        Memory memory = memory_of(100, 2);
        const ThreadDesc desc{.launch_count = 5, .user = 1};
        CHECK(memory.submit(desc) == Admission::Taken);
        CHECK(memory.submit({.launch_count = 5, .user = 2}) == Admission::Taken);
        CHECK(memory.submit(desc) == Admission::Full);
        CHECK(memory.scheduler.thread_count() == 2);
        while (memory.launch()) {
        }
        CHECK(memory.submit(desc) == Admission::Full);  // launched is not finished
        memory.give_back();
        CHECK(memory.submit(desc) == Admission::Taken);
        CHECK(memory.scheduler.counters().threads_refused == 2);
        CHECK(memory.scheduler.counters().threads_taken == 3);
    }

    TEST_CASE("F16 a thread larger than the cluster is refused whatever else there is") {
        Memory memory = memory_of(64, 1);
        CHECK(memory.submit({.launch_count = 1000, .elements_at_once = 65}) == Admission::TooLarge);
        CHECK(memory.submit({.launch_count = 1000, .elements_at_once = 64}) == Admission::Taken);
        CHECK(memory.submit({.launch_count = 1000, .elements_at_once = 65}) == Admission::TooLarge);
        CHECK(memory.scheduler.counters().threads_too_large == 2);
    }

    TEST_CASE("F17 what a running thread declared stays reserved for it") {
        Memory memory = memory_of(100);
        CHECK(memory.submit({.launch_count = 1000, .elements_at_once = 60, .user = 1}) ==
              Admission::Taken);
        CHECK(memory.launch(10));  // ten elements of its sixty
        CHECK(
            memory.submit({.launch_count = 9, .elements_at_once = 41, .priority = 9, .user = 2}) ==
            Admission::Taken);  // needs nine only
        CHECK(
            memory.submit({.launch_count = 50, .elements_at_once = 41, .priority = 9, .user = 3}) ==
            Admission::Taken);
        CHECK(memory.launch());
        CHECK(memory.started.back() == 2);
        while (memory.launch()) {
        }
        CHECK(memory.launched[1] >= 60);
        CHECK(memory.launched[3] == 0);
        CHECK(memory.free == 0);
    }

    TEST_CASE("F17 a thread whose launches are all made reserves nothing more") {
        Memory memory = memory_of(100);
        CHECK(memory.submit({.launch_count = 120, .elements_at_once = 100, .user = 1}) ==
              Admission::Taken);
        CHECK(memory.launch());
        CHECK(memory.submit({.launch_count = 50, .elements_at_once = 50, .user = 2}) ==
              Admission::Taken);
        memory.give_back();  // all hundred: twenty launches are left
        CHECK(memory.launch());
        CHECK(memory.launch());
        CHECK(memory.launched[1] == 120);
        CHECK(memory.launched[2] == 50);
    }

    TEST_CASE("F17 a thread is finished when it is launched and released and not before") {
        Memory memory = memory_of(4);
        CHECK(memory.submit({.launch_count = 8, .user = 77}) == Admission::Taken);
        CHECK(memory.launch());
        memory.give_back();
        CHECK(memory.finished.empty());  // nothing held: but half of it was never launched
        CHECK(memory.launch(3));
        CHECK(memory.launch());
        memory.give_back();
        CHECK(memory.finished.empty());
        memory.give_back();
        CHECK(memory.finished == std::vector<u64>{77});
        CHECK(memory.scheduler.is_idle());
    }

    TEST_CASE("F17 no thread starves behind a flood of more urgent ones") {
        Memory memory = memory_of(8);
        CHECK(memory.submit({.launch_count = 8, .elements_at_once = 8, .priority = -1e30f}) ==
              Admission::Taken);
        u64 user = 0;
        while (memory.launched[0] == 0) {
            while (memory.submit({.launch_count = 8,
                                  .elements_at_once = 8,
                                  .priority = 1e30f,
                                  .user = ++user}) == Admission::Taken) {
            }
            REQUIRE(memory.launch());
            memory.give_back();
            memory.now += 64;
            REQUIRE(memory.now < 2 * kAgeBound);
        }
        // It goes before every thread that came kAgeBound after it; before that it never does.
        CHECK(memory.now >= kAgeBound);
        CHECK(memory.now <= kAgeBound + 16 * 64);
    }

    TEST_CASE("F17 small threads overtake a large one for a bounded time") {
        Memory memory = memory_of(64);
        CHECK(memory.submit({.launch_count = 40, .user = 1}) == Admission::Taken);
        REQUIRE(memory.launch());
        CHECK(memory.submit({.launch_count = 64, .elements_at_once = 64, .user = 2}) ==
              Admission::Taken);
        u64 user = 2;
        std::size_t started_before = 0;
        const auto flood_until = [&](const auto& is_done) {
            while (!is_done()) {
                while (memory.submit({.launch_count = 4, .elements_at_once = 4, .user = ++user}) ==
                       Admission::Taken) {
                }
                while (memory.launch()) {
                }
                memory.give_back();
                memory.now += 64;
                REQUIRE(memory.now < 2 * kAgeBound);
            }
        };
        flood_until([&] { return memory.launched[2] == 64; });
        CHECK(memory.now > kAgeBound);
        CHECK(memory.now < kAgeBound + 64 * 64);
        CHECK(memory.started.size() > 100);
        CHECK(memory.scheduler.counters().threads_overtaken > 100);
        CHECK(memory.scheduler.counters().max_wait > kAgeBound);
        started_before = memory.started.size();
        flood_until([&] { return memory.started.size() > started_before + 10; });
    }

    TEST_CASE("F17 a running thread that lost its elements to a larger one gets them back") {
        Memory memory = memory_of(64);
        CHECK(memory.submit({.launch_count = 1u << 30, .user = 1}) == Admission::Taken);
        REQUIRE(memory.launch());
        CHECK(memory.submit({.launch_count = 1u << 30, .elements_at_once = 64, .user = 2}) ==
              Admission::Taken);
        u64 since[3] = {};  // when each user was launched last
        u64 longest = 0;
        while (memory.now < 10 * kAgeBound) {
            while (memory.launch()) {
                u64& last = since[memory.out.back().user];
                longest = std::max(longest, memory.now - last);
                last = memory.now;
            }
            memory.give_back();
            memory.now += 16;
        }
        CHECK(memory.launched[1] > 64);
        CHECK(memory.launched[2] > 64);
        CHECK(longest <= kAgeBound + 2 * 64 * 16);
    }

    TEST_CASE("F18 threads that write one range run one after the other") {
        Memory memory = memory_of(100);
        const WriteRange first{0, 10};
        const WriteRange second{9, 20};
        const WriteRange third{20, 30};
        u64 user = 0;
        for (const WriteRange range : {first, second, third, WriteRange{}, WriteRange{}}) {
            CHECK(memory.submit({.launch_count = 2, .user = user++, .range = range}) ==
                  Admission::Taken);
        }
        while (memory.launch()) {
        }
        CHECK(memory.started == std::vector<u64>{0, 2, 3, 4});
        CHECK(memory.scheduler.counters().threads_with_range == 3);
        CHECK(memory.scheduler.counters().threads_kept_apart == 1);
        memory.give_back();
        CHECK(memory.launch());
        CHECK(memory.started.back() == 1);
        CHECK(memory.scheduler.counters().threads_kept_apart == 1);
    }

    TEST_CASE("F18 of two threads that write one range the more urgent runs first") {
        Memory memory = memory_of(10);
        CHECK(memory.submit({.launch_count = 6, .elements_at_once = 6, .user = 1}) ==
              Admission::Taken);
        CHECK(memory.launch());
        CHECK(
            memory.submit({.launch_count = 5, .elements_at_once = 5, .user = 2, .range = {0, 9}}) ==
            Admission::Taken);  // does not fit
        CHECK(memory.submit({.launch_count = 1, .user = 3, .range = {4, 5}}) == Admission::Taken);
        CHECK(!memory.launch());
        memory.give_back();
        CHECK(memory.launch());
        CHECK(memory.started == std::vector<u64>{1, 2});
    }

    TEST_CASE("F16 F17 every launch of any mix of threads is made once and nothing stays behind") {
        for (const u32 seed : {1u, 2u, 3u, 4u}) {
            CAPTURE(seed);
            Seeded random(seed);
            Memory memory = memory_of(1 + random() % 200, 1 + random() % 20);
            std::map<u64, u64> expected;
            u64 submitted = 0;
            u64 refused = 0;
            while (submitted < 500 || !memory.out.empty() || memory.scheduler.has_launches()) {
                const u32 action = random() % 4;
                if (action == 0 && submitted < 500) {
                    const ThreadDesc desc{
                        .launch_count = 1 + random() % 300,
                        .elements_at_once = 1 + random() % (memory.capacity + 2),
                        .priority = static_cast<float>(random() % 1000) / 100.0f - 5,
                        .user = submitted,
                        .range = {random() % 50, random() % 50}};
                    const Admission admission = memory.submit(desc);
                    refused += admission == Admission::Taken ? 0 : 1;
                    expected[submitted] = admission == Admission::Taken ? desc.launch_count : 0;
                    ++submitted;
                } else if (action == 1 && !memory.out.empty()) {
                    memory.give_back();
                } else {
                    const bool is_launched = memory.launch(1 + random() % 64);
                    // Where nothing is held, whatever waits must be able to start.
                    const bool is_empty = memory.out.empty();
                    REQUIRE((is_launched || !is_empty || !memory.scheduler.has_launches()));
                }
                ++memory.now;
            }
            CHECK(memory.scheduler.is_idle());
            CHECK(memory.free == memory.capacity);
            for (const auto& [user, count] : expected) {
                CHECK(memory.launched[user] == count);
            }
            const CoarseCounters& counters = memory.scheduler.counters();
            CHECK(counters.threads_finished == 500 - refused);
            CHECK(counters.threads_started == counters.threads_finished);
            CHECK(counters.threads_refused + counters.threads_too_large == refused);
        }
    }
}

}  // namespace weft::fibre
