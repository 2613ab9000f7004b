// parking.h — puts idle threads to sleep and wakes them without losing a wake-up (W5).
//
// Parking is outside the doorbell protocol. A sleeper announces its sleep, checks for work once
// more, and parks; a waker changes something, then looks for sleepers. Both sides are sequentially
// consistent, so at least one sees the other. The tests explore every interleaving.
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

// The reason of a sleep.
enum class Sleep : u32 {
    Awake,
    ForAnswers,  // it could take no work now: only its own unit or worker wakes it
    ForWork,     // any work will do
};

// One thread's place. That thread: announce, park, leave. Any thread: the others.
template <template <typename> class Atomic>
class BasicParkingPlace {
public:
    // Returns the ticket for park(). The caller then checks everything that could wake it once
    // more.
    [[nodiscard]] u32 announce(Sleep sleep) {
        // The ticket first: every waker from here on changes the number, even one that calls
        // claim() and wake_sleeper() before this thread checks again.
        const u32 ticket = round_.load(std::memory_order_seq_cst);
        // Sequentially consistent: ordered before all later loads of this thread, as the waker's
        // change is before its load of state_.
        state_.store(static_cast<u32>(sleep), std::memory_order_seq_cst);
        return ticket;
    }

    // Sleeps unless a wake() has come since announce().
    void park(u32 ticket) {
        // Acquire pairs with the release in wake(): the waker's change is visible.
        round_.wait(ticket, std::memory_order_acquire);
    }

    // After park() or instead of it. Returns what it slept for, Awake where a waker claimed it.
    Sleep leave() {
        // An exchange, because claim() may come at the same time: one of the two takes the state.
        return static_cast<Sleep>(
            state_.exchange(static_cast<u32>(Sleep::Awake), std::memory_order_seq_cst));
    }

    // After any change, with any memory order.
    void wake() {
        // Release: the change comes first. Sequentially consistent: before the load of state_.
        round_.fetch_add(1, std::memory_order_seq_cst);
        if (is_sleeping()) {
            round_.notify_one();
        }
    }

    // After a sequentially consistent store. Costs one load while no thread sleeps.
    void wake_if_sleeping() {
        if (is_sleeping()) {
            wake_sleeper();
        }
    }

    // True for exactly one caller, and only if the thread sleeps for work; that caller must then
    // call wake_sleeper().
    [[nodiscard]] bool claim() {
        u32 expected = static_cast<u32>(Sleep::ForWork);
        return state_.compare_exchange_strong(expected,
                                              static_cast<u32>(Sleep::Awake),
                                              std::memory_order_seq_cst,
                                              std::memory_order_relaxed);  // failure reads nothing
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

    // Returns Awake if a waker has claimed it.
    Sleep leave(u32 worker) {
        const Sleep slept_for = places_[worker].leave();
        if (slept_for == Sleep::ForWork) {
            seekers_.fetch_sub(1, std::memory_order_seq_cst);  // the end of a sleep counts once
        }
        return slept_for;
    }

    // After a sequentially consistent store of new work: wakes one worker that sleeps for work, the
    // one after `worker` first. A worker that wakes and finds work calls this in turn.
    void wake_one(u32 worker) {
        // Pairs with the fetch_add in announce(): at zero, a worker that announces later checks
        // again after this load, and sees the work.
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
