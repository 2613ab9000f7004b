// doorbell.h — the word through which a worker and an execution unit take turns (W4, W5).
//
//          worker writes registers, ring()            unit sees 1, reads registers, works
//     0 ───────────────────────────────────> 1 ───────────────────────────────────────────┐
//     ^                                                                                   │
//     └───────────────────────── answer(): results and status done ───────────────────────┘
//
// At 0 the worker owns the registers and result slots, at 1 the unit does. Release stores and
// acquire loads suffice, without read-modify-writes, since each side stores only at its turn. If
// the other side may be parked (parking.h), the store, and the load of the parked side, are
// sequentially consistent; only parking needs that, not the protocol.
#pragma once

#include <atomic>

#include "scheduler/base/ids.h"

namespace weft::unit {

template <template <typename> class Atomic>
class BasicDoorbell {
public:
    // Worker, at 0. Pairs with the acquire in is_ringing: the unit sees the registers.
    void ring() { bell_.store(1, std::memory_order_release); }

    // Worker, at 0, before it checks whether the unit sleeps.
    void ring_for_sleeper() { bell_.store(1, std::memory_order_seq_cst); }

    // Unit, at 1. Pairs with the acquire in is_ringing: the worker sees results and status, and
    // the unit has read the registers before the worker overwrites them.
    void answer() { bell_.store(0, std::memory_order_release); }

    // Unit, at 1, before it checks whether the worker sleeps.
    void answer_for_sleeper() { bell_.store(0, std::memory_order_seq_cst); }

    // Either side. Pairs with the releases above.
    [[nodiscard]] bool is_ringing() const { return bell_.load(std::memory_order_acquire) == 1; }

    // Either side, after it has announced its sleep and before it parks.
    [[nodiscard]] bool is_ringing_before_sleep() const {
        return bell_.load(std::memory_order_seq_cst) == 1;
    }

private:
    alignas(64) Atomic<u32> bell_{0};
};

using Doorbell = BasicDoorbell<std::atomic>;

}  // namespace weft::unit
