// parking.h — where a thread sleeps that has nothing to do, and how it is woken without fail (W5).
//
// Outside the doorbell protocol. The sleeper says that it sleeps, looks once more, and parks; a
// waker changes something, and then looks for sleepers. Both sides are sequentially consistent, so
// one sees the other: no wake-up is lost. Every interleaving of it is explored in the tests.
//
//     sleeper: announce ── look again ──nothing──> park(ticket) ──> awake
//                              └──────something──> leave ─────────> awake
//     waker:   change something, then wake(), wake_if_sleeping() or wake_one()
//
// Atomic is std::atomic, or the stand-in of the tests that explores every interleaving.
#pragma once

#include <atomic>
#include <memory>

#include "scheduler/base/ids.h"

namespace weft::unit {

// What a thread sleeps for.
enum class Sleep : u32 {
    Awake,
    ForAnswers,  // it could take no work now: only its own unit or worker wakes it
    ForWork,     // any work will do
};

// One thread's place. That thread: announce, park, leave. Any thread: the others.
template <template <typename> class Atomic>
class BasicParkingPlace {
public:
    // Returns the ticket for park(). The caller then looks once more at all that could wake it.
    [[nodiscard]] u32 announce(Sleep sleep) {
        // The ticket first: whoever wakes this thread from here on changes the number, claim() and
        // its wake_sleeper() before the look below included.
        const u32 ticket = round_.load(std::memory_order_seq_cst);
        // Sequentially consistent: before every later look of this thread, against the waker's
        // change before its load of state_.
        state_.store(static_cast<u32>(sleep), std::memory_order_seq_cst);
        return ticket;
    }

    // Sleeps unless a wake() has come since announce().
    void park(u32 ticket) {
        // Acquire pairs with the release in wake(): what the waker changed is seen.
        round_.wait(ticket, std::memory_order_acquire);
    }

    // After park() or instead of it. Returns what it slept for, Awake where a waker claimed it.
    Sleep leave() {
        // An exchange, because claim() may come at the same time: one of the two takes the state.
        return static_cast<Sleep>(
            state_.exchange(static_cast<u32>(Sleep::Awake), std::memory_order_seq_cst));
    }

    // After any change whatever, however it was stored.
    void wake() {
        // Release: the change comes first. Sequentially consistent: before the load of state_.
        round_.fetch_add(1, std::memory_order_seq_cst);
        if (is_sleeping()) {
            round_.notify_one();
        }
    }

    // After a change stored sequentially consistent. Costs one load while nobody sleeps.
    void wake_if_sleeping() {
        if (is_sleeping()) {
            wake_sleeper();
        }
    }

    // True for one caller alone, and only where the thread sleeps for work; that caller must then
    // call wake_sleeper().
    [[nodiscard]] bool claim() {
        u32 expected = static_cast<u32>(Sleep::ForWork);
        return state_.compare_exchange_strong(expected,
                                              static_cast<u32>(Sleep::Awake),
                                              std::memory_order_seq_cst,
                                              std::memory_order_relaxed);  // nothing learnt
    }

    void wake_sleeper() {
        round_.fetch_add(1, std::memory_order_seq_cst);  // pairs with the acquire in park()
        round_.notify_one();
    }

private:
    [[nodiscard]] bool is_sleeping() const {
        // Pairs with the store in announce(), see there.
        return state_.load(std::memory_order_seq_cst) != static_cast<u32>(Sleep::Awake);
    }

    alignas(64) Atomic<u32> state_{static_cast<u32>(Sleep::Awake)};
    Atomic<u32> round_{0};  // rises with every wake; park() waits for it to change
};

using ParkingPlace = BasicParkingPlace<std::atomic>;

// The places of all workers. Worker w: announce, park, leave with its own index. Any thread: wake.
template <template <typename> class Atomic>
class BasicDormitory {
public:
    explicit BasicDormitory(u32 count)
        : count_(count), places_(std::make_unique<BasicParkingPlace<Atomic>[]>(count)) {}

    [[nodiscard]] BasicParkingPlace<Atomic>& place(u32 worker) { return places_[worker]; }

    [[nodiscard]] u32 announce(u32 worker, Sleep sleep) {
        if (sleep == Sleep::ForWork) {
            // Before the announcement; pairs with the load in wake_one().
            seekers_.fetch_add(1, std::memory_order_seq_cst);
        }
        return places_[worker].announce(sleep);
    }

    void park(u32 worker, u32 ticket) {
        places_[worker].park(ticket);
        leave(worker);
    }

    // Awake: somebody claimed it meanwhile.
    Sleep leave(u32 worker) {
        const Sleep slept_for = places_[worker].leave();
        if (slept_for == Sleep::ForWork) {
            seekers_.fetch_sub(1, std::memory_order_seq_cst);  // whoever ends the sleep counts it
        }
        return slept_for;
    }

    // After work has come that was stored sequentially consistent: wakes one that sleeps for work.
    // Looks at the one after `worker` first. Whoever wakes and finds work calls this in turn.
    void wake_one(u32 worker) {
        // Pairs with the fetch_add in announce(): zero means that whoever comes later looks again
        // later, and sees the work.
        if (seekers_.load(std::memory_order_seq_cst) == 0) {
            return;
        }
        for (u32 step = 1; step <= count_; ++step) {
            BasicParkingPlace<Atomic>& place = places_[(worker + step) % count_];
            if (place.claim()) {
                seekers_.fetch_sub(1, std::memory_order_seq_cst);
                place.wake_sleeper();
                return;
            }
        }
    }

    void wake_all() {
        for (u32 worker = 0; worker < count_; ++worker) {
            places_[worker].wake();
        }
    }

private:
    u32 count_;
    std::unique_ptr<BasicParkingPlace<Atomic>[]> places_;
    alignas(64) Atomic<u32> seekers_{0};  // how many sleep for work
};

using Dormitory = BasicDormitory<std::atomic>;

}  // namespace weft::unit
