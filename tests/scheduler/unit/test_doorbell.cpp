// test_doorbell.cpp — worker and unit take turns, and no thread sleeps through a ring, an answer or
// new work: every interleaving of small scenarios.
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "scheduler/unit/doorbell.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/part_board.h"
#include "tests/scheduler/unit/explorer.h"

namespace weft::unit {

namespace {

using Bell = BasicDoorbell<Modelled>;
using Place = BasicParkingPlace<Modelled>;

// A worker hands over `tasks` tasks through one portion; the unit divides each into two parts, the
// second of which fails at first. Both park whenever they have nothing to do.
class TakingTurns : public Scenario {
public:
    explicit TakingTurns(u64 tasks) : tasks_(tasks) {}

    [[nodiscard]] u32 thread_count() const override { return 2; }

    void run_thread(u32 thread) override {
        for (u64 task = 1; task <= tasks_; ++task) {
            Explorer::forget(100 + task);
            if (thread == 0) {
                registers_.store(task, std::memory_order_relaxed);
                bell_.ring_for_sleeper();
                unit_place_.wake_if_sleeping();
                wait_until(false, worker_place_, task);
                is_wrong_ |= status_.load(std::memory_order_relaxed) != 3 * task;
            } else {
                wait_until(true, unit_place_, task);
                const u64 found = registers_.load(std::memory_order_relaxed);
                status_.store(found * run_parts(), std::memory_order_relaxed);
                bell_.answer_for_sleeper();
                worker_place_.wake_if_sleeping();
            }
        }
    }

    std::string fault() override { return is_wrong_ ? "a status of another task was read" : ""; }

private:
    void wait_until(bool is_ringing, Place& place, u64 task) {
        while (bell_.is_ringing() != is_ringing) {
            Explorer::forget(task);
            const u32 ticket = place.announce(Sleep::ForAnswers);
            if (bell_.is_ringing_before_sleep() != is_ringing) {
                place.park(ticket);
            }
            place.leave();
        }
    }

    // The parts done well, as bits.
    static u32 run_parts() {
        PartBoard parts;
        parts.open(2);
        u32 part = 0;
        u32 attempt = 0;
        while (parts.next(part, attempt)) {
            parts.finish(part, part == 1 && attempt == 0 ? 7 : 0);
        }
        TaskStatus status;
        parts.write(status);
        return status.done_parts;
    }

    u64 tasks_;
    Bell bell_;
    Place worker_place_;
    Place unit_place_;
    Modelled<u64> registers_{0};
    Modelled<u64> status_{0};
    bool is_wrong_ = false;
};

// The unit's side without the last check between announcing its sleep and sleeping.
class HastySleeper : public Scenario {
public:
    [[nodiscard]] u32 thread_count() const override { return 2; }

    void run_thread(u32 thread) override {
        if (thread == 0) {
            bell_.ring_for_sleeper();
            place_.wake_if_sleeping();
        } else if (!bell_.is_ringing()) {
            place_.park(place_.announce(Sleep::ForAnswers));
        }
    }

    std::string fault() override { return ""; }

private:
    Bell bell_;
    Place place_;
};

// A delivery without a memory order of its own (relaxed), then wake().
class Delivery : public Scenario {
public:
    [[nodiscard]] u32 thread_count() const override { return 3; }

    void run_thread(u32 thread) override {
        if (thread > 0) {
            delivered_.fetch_add(1, std::memory_order_relaxed);
            place_.wake();
            return;
        }
        while (delivered_.load(std::memory_order_relaxed) < 2) {
            Explorer::forget(0);
            const u32 ticket = place_.announce(Sleep::ForAnswers);
            if (delivered_.load(std::memory_order_relaxed) < 2) {
                place_.park(ticket);
            }
            place_.leave();
        }
    }

    std::string fault() override { return ""; }

private:
    Modelled<u32> delivered_{0};
    Place place_;
};

// A worker brings an item for each sleeper and takes none itself; each sleeper takes one. The items
// are a number: how a deque is raced for is explored with the deque.
class WorkForSleepers : public Scenario {
public:
    explicit WorkForSleepers(u32 sleepers) : sleepers_(sleepers), dormitory_(sleepers + 1) {}

    [[nodiscard]] u32 thread_count() const override { return sleepers_ + 1; }

    void run_thread(u32 thread) override {
        if (thread == 0) {
            for (u32 number = 0; number < sleepers_; ++number) {
                Explorer::forget(number);
                items_.fetch_add(1, std::memory_order_seq_cst);
                dormitory_.wake_one(0);
            }
            return;
        }
        while (!take()) {
            Explorer::forget(0);
            const u32 ticket = dormitory_.announce(thread, Sleep::ForWork);
            if (take()) {
                dormitory_.leave(thread);
                break;
            }
            dormitory_.park(thread, ticket);
        }
        // A worker that finds work wakes another.
        Explorer::forget(1);
        dormitory_.wake_one(thread);
        ++taken_;
    }

    std::string fault() override { return taken_ == sleepers_ ? "" : "an item was left"; }

private:
    bool take() {
        u32 items = items_.load(std::memory_order_seq_cst);
        while (items > 0) {
            if (items_.compare_exchange_strong(
                    items, items - 1, std::memory_order_seq_cst, std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }

    u32 sleepers_;
    BasicDormitory<Modelled> dormitory_;
    Modelled<u32> items_{0};
    u32 taken_ = 0;
};

// A worker sleeps for work with a share still out; its unit answers while another worker claims it
// for work.
class AnswerAndClaim : public Scenario {
public:
    [[nodiscard]] u32 thread_count() const override { return 3; }

    AnswerAndClaim() { bell_.ring(); }

    void run_thread(u32 thread) override {
        if (thread == 1) {
            bell_.answer_for_sleeper();
            dormitory_.place(0).wake_if_sleeping();
        } else if (thread == 2) {
            dormitory_.wake_one(1);
        } else {
            while (bell_.is_ringing()) {
                Explorer::forget(0);
                const u32 ticket = dormitory_.announce(0, Sleep::ForWork);
                if (bell_.is_ringing_before_sleep()) {
                    dormitory_.park(0, ticket);
                } else {
                    dormitory_.leave(0);
                }
            }
        }
    }

    std::string fault() override { return ""; }

private:
    Bell bell_;
    BasicDormitory<Modelled> dormitory_{2};
};

template <typename Kind, typename... Arguments>
Exploration explore(Arguments... arguments) {
    return Explorer([=] { return std::make_unique<Kind>(arguments...); }).explore();
}

void check_flawless(const Exploration& found) {
    INFO(found.states << " states, " << found.executions << " executions");
    CHECK(found.states > 20);
    CHECK(found.ends > 0);
    CHECK(found.deadlocks == 0);
    CHECK(found.faults == 0);
}

}  // namespace

TEST_SUITE("scheduler/unit/doorbell") {
    TEST_CASE("W5 a rung doorbell reads 1 until it is answered") {
        Doorbell bell;
        CHECK_FALSE(bell.is_ringing());
        bell.ring();
        CHECK(bell.is_ringing());
        bell.answer();
        CHECK_FALSE(bell.is_ringing_before_sleep());
        bell.ring_for_sleeper();
        CHECK(bell.is_ringing_before_sleep());
        bell.answer_for_sleeper();
        CHECK_FALSE(bell.is_ringing());
    }

    TEST_CASE("W5 W7 in every interleaving each status is of the task just rung" *
              doctest::skip(kSkipsExploration)) {
        for (const u64 tasks : {1u, 2u, 3u}) {
            check_flawless(explore<TakingTurns>(tasks));
        }
    }

    TEST_CASE("W5 no interleaving loses a delivery to a sleeping unit" *
              doctest::skip(kSkipsExploration)) {
        check_flawless(explore<Delivery>());
    }

    TEST_CASE("W5 no interleaving leaves work beside a sleeper that wants it" *
              doctest::skip(kSkipsExploration)) {
        check_flawless(explore<WorkForSleepers>(1u));
        check_flawless(explore<WorkForSleepers>(2u));
    }

    TEST_CASE("W5 a sleeper that is claimed for work still hears its own unit's answer" *
              doctest::skip(kSkipsExploration)) {
        check_flawless(explore<AnswerAndClaim>());
    }

    TEST_CASE("the explorer finds the lost wake-up of a sleeper that does not look again" *
              doctest::skip(kSkipsExploration)) {
        const Exploration found = explore<HastySleeper>();
        CHECK(found.deadlocks > 0);
        CHECK(found.ends > 0);
    }

    TEST_CASE("W5 two threads that park at one doorbell pass a number to and fro") {
        Doorbell bell;
        ParkingPlace worker_place;
        ParkingPlace unit_place;
        u64 number = 0;  // plain: the doorbell decides its owner
        constexpr u64 kRounds = 100;
        const auto wait_until = [&bell](bool is_ringing, ParkingPlace& place) {
            while (bell.is_ringing() != is_ringing) {
                const u32 ticket = place.announce(Sleep::ForAnswers);
                if (bell.is_ringing_before_sleep() != is_ringing) {
                    place.park(ticket);
                }
                place.leave();
            }
        };
        std::jthread unit([&] {
            for (u64 round = 0; round < kRounds; ++round) {
                wait_until(true, unit_place);
                number = 2 * number + 1;
                bell.answer_for_sleeper();
                worker_place.wake_if_sleeping();
            }
        });
        u64 expected = 0;
        bool is_right = true;
        for (u64 round = 0; round < kRounds; ++round) {
            number += round;
            expected = 2 * (expected + round) + 1;
            bell.ring_for_sleeper();
            unit_place.wake_if_sleeping();
            wait_until(false, worker_place);
            is_right = is_right && number == expected;
        }
        CHECK(is_right);
    }
}

}  // namespace weft::unit
