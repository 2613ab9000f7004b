// test_steal_deque.cpp — exactly one thread gets each item: every interleaving of small scenarios,
// and racing threads.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/steal_deque.h"
#include "tests/scheduler/unit/explorer.h"

namespace weft::unit {

namespace {

// The owner's operations, letter by letter: + pushes the next item, - pops.
template <std::size_t Words>
class DequeRace : public Scenario {
public:
    DequeRace(u32 capacity, std::string owner, u32 thieves)
        : deque_(capacity), owner_(std::move(owner)), had_(thieves + 1) {}

    [[nodiscard]] u32 thread_count() const override { return static_cast<u32>(had_.size()); }

    void run_thread(u32 thread) override {
        std::array<u64, Words> item{};
        if (thread > 0) {
            if (deque_.steal(item) == Theft::Stolen) {
                note(thread, item);
            }
            return;
        }
        for (const char move : owner_) {
            if (move == '+') {
                item.fill(pushed_ + 1);
                pushed_ += deque_.push(item) ? 1u : 0u;
            } else if (deque_.pop(item)) {
                note(thread, item);
            }
        }
    }

    std::string fault() override {
        std::array<u64, Words> item{};
        while (deque_.pop(item)) {
            note(0, item);
        }
        std::vector<u64> all;
        for (const auto& had : had_) {
            all.insert(all.end(), had.items.begin(), had.items.begin() + had.count);
        }
        std::sort(all.begin(), all.end());
        std::string found;
        bool is_right = all.size() == pushed_ && !is_torn_;
        for (u64 index = 0; index < all.size(); ++index) {
            is_right = is_right && all[index] == index + 1;
            found += std::to_string(all[index]) + " ";
        }
        return is_right ? "" : "pushed " + std::to_string(pushed_) + ", had " + found;
    }

private:
    // Without allocating: an execution may be abandoned at any atomic operation.
    struct Had {
        std::array<u64, 8> items{};
        u32 count = 0;
    };

    void note(u32 thread, const std::array<u64, Words>& item) {
        is_torn_ = is_torn_ || item.front() != item.back();
        had_[thread].items[had_[thread].count++] = item.front();
    }

    BasicStealDeque<Words, Modelled> deque_;
    std::string owner_;
    u64 pushed_ = 0;
    std::vector<Had> had_;
    bool is_torn_ = false;
};

template <std::size_t Words>
Exploration race(u32 capacity, const std::string& owner, u32 thieves) {
    return Explorer([&] { return std::make_unique<DequeRace<Words>>(capacity, owner, thieves); })
        .explore();
}

// A deque whose owner takes the last item without asking the thieves: what the explorer is for.
class RashOwner : public Scenario {
public:
    [[nodiscard]] u32 thread_count() const override { return 2; }

    void run_thread(u32 thread) override {
        if (thread == 0) {
            // As pop(), without the compare-exchange.
            const i64 bottom = bottom_.load(std::memory_order_relaxed) - 1;
            bottom_.store(bottom, std::memory_order_seq_cst);
            taken_ += top_.load(std::memory_order_seq_cst) <= bottom ? 1u : 0u;
            return;
        }
        i64 top = top_.load(std::memory_order_seq_cst);
        if (top < bottom_.load(std::memory_order_seq_cst) &&
            top_.compare_exchange_strong(
                top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) {
            ++taken_;
        }
    }

    std::string fault() override { return taken_ == 1 ? "" : "the one item was had twice"; }

private:
    Modelled<i64> top_{0};
    Modelled<i64> bottom_{1};
    u32 taken_ = 0;
};

}  // namespace

TEST_SUITE("scheduler/unit/steal_deque") {
    TEST_CASE("W1 the owner has the youngest item and a thief the oldest") {
        StealDeque deque(4);
        WorkItem item;
        CHECK_FALSE(deque.pop(item.word));
        CHECK(deque.steal(item.word) == Theft::Empty);
        for (u64 number = 1; number <= 3; ++number) {
            REQUIRE(deque.push({number, 0, 0, 0, number}));
        }
        CHECK_FALSE(deque.is_empty());
        CHECK(deque.room() == 1);
        REQUIRE(deque.pop(item.word));
        CHECK(item.word == std::array<u64, weft::unit::kWorkWords>{3, 0, 0, 0, 3});
        REQUIRE(deque.steal(item.word) == Theft::Stolen);
        CHECK(item.word[0] == 1);
        REQUIRE(deque.pop(item.word));
        CHECK(item.word[0] == 2);
        CHECK_FALSE(deque.pop(item.word));
        CHECK(deque.is_empty());
    }

    TEST_CASE("W1 a full deque refuses and keeps what it has") {
        StealDeque deque(2);
        WorkItem item;
        for (u64 round = 0; round < 5; ++round) {
            REQUIRE(deque.push({2 * round}));
            REQUIRE(deque.push({2 * round + 1}));
            CHECK_FALSE(deque.push({99}));
            CHECK(deque.room() == 0);
            REQUIRE(deque.steal(item.word) == Theft::Stolen);
            CHECK(item.word[0] == 2 * round);
            REQUIRE(deque.pop(item.word));
            CHECK(item.word[0] == 2 * round + 1);
        }
    }

    TEST_CASE("W1 every interleaving of owner and two thieves gives each item once" *
              doctest::skip(kSkipsExploration)) {
        for (const std::string owner : {"+-", "++--", "+-+-", "+++--", "++-+-"}) {
            const Exploration found = race<1>(4, owner, 2);
            INFO(owner << ": " << found.states << " states, " << found.first_fault);
            CHECK(found.states > 100);
            CHECK(found.ends > 2);
            CHECK(found.deadlocks == 0);
            CHECK(found.faults == 0);
        }
    }

    TEST_CASE("W1 every interleaving with overwritten slots gives no torn item" *
              doctest::skip(kSkipsExploration)) {
        for (const u32 capacity : {1u, 2u}) {
            for (const std::string owner : {"+-+-", "++-+"}) {
                const Exploration found = race<2>(capacity, owner, 2);
                INFO(owner << ": " << found.states << " states, " << found.first_fault);
                CHECK(found.ends > 2);
                CHECK(found.faults == 0);
            }
        }
    }

    TEST_CASE("the explorer finds an owner that takes the last item without asking" *
              doctest::skip(kSkipsExploration)) {
        const Exploration found = Explorer([] { return std::make_unique<RashOwner>(); }).explore();
        CHECK(found.faults > 0);
        CHECK(found.ends > found.faults);
    }

    TEST_CASE("W1 racing threads have each item exactly once") {
        for (const u32 thieves : {0u, 1u, 2u, 4u, 8u, 64u}) {
            constexpr u64 kItems = 20000;
            StealDeque deque(64);
            std::vector<std::atomic<u32>> had(kItems);
            std::atomic<u32> torn = 0;
            std::atomic<bool> is_ended = false;
            const auto note = [&](const WorkItem& item) {
                torn += item.word[3] == ~item.word[0] ? 0u : 1u;
                had[item.word[0]].fetch_add(1);
            };
            {
                std::vector<std::jthread> threads;
                for (u32 thief = 0; thief < thieves; ++thief) {
                    threads.emplace_back([&] {
                        WorkItem item;
                        while (!is_ended.load()) {
                            if (deque.steal(item.word) == Theft::Stolen) {
                                note(item);
                            } else {
                                std::this_thread::yield();
                            }
                        }
                    });
                }
                WorkItem item;
                for (u64 number = 0; number < kItems;) {
                    const bool is_pushed = deque.push({number, 0, 0, ~number});
                    number += is_pushed ? 1u : 0u;
                    if ((!is_pushed || number % 3 == 0) && deque.pop(item.word)) {
                        note(item);
                    }
                }
                while (deque.pop(item.word)) {
                    note(item);
                }
                is_ended.store(true);
            }
            CHECK(torn == 0);
            CHECK(
                std::all_of(had.begin(), had.end(), [](const auto& times) { return times == 1; }));
        }
    }
}

}  // namespace weft::unit
