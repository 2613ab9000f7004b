// part_board.h — the state of each part of a share: the barrier of a unit's lane groups (W6), and
// the single retry of a failed part (W7).
//
// Pure: it tells the execution unit which part to begin next and whether all have ended. One
// thread.
//
//     waiting ──next()──> running ──finish(0)────> done
//        ^                   ├──finish(code), attempt 0──> waiting, attempt 1
//        └───────────────────┘                     attempt 1──> failed
#pragma once

#include <bit>

#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"
#include "scheduler/unit/task_registers.h"

namespace weft::unit {

class PartBoard {
public:
    // A new task; the former one must be complete. part_count in 1 .. kMostParts.
    void open(u32 part_count) {
        ENSURE(is_complete(), ==, true);
        ENSURE(part_count, >=, 1u);
        ENSURE(part_count, <=, kMostParts);
        waiting_ = part_count == kMostParts ? ~0u : (1u << part_count) - 1;
        retried_ = 0;
        done_ = 0;
        error_code_ = 0;
        error_part_ = 0;
    }

    // The lowest part that waits to begin; false: none. Attempt is 0 or 1.
    [[nodiscard]] bool next(u32& part, u32& attempt) {
        if (waiting_ == 0) {
            return false;
        }
        part = static_cast<u32>(std::countr_zero(waiting_));
        attempt = retried_ >> part & 1u;
        waiting_ &= waiting_ - 1;
        running_ |= 1u << part;
        return true;
    }

    // A running part has ended. Any code but 0: it failed, and waits for its retry if it has one.
    void finish(u32 part, u32 error_code) {
        ENSURE(part, <, kMostParts);
        const u32 bit = 1u << part;
        ENSURE(running_ & bit, ==, bit);
        running_ &= ~bit;
        if (error_code == 0) {
            done_ |= bit;
        } else if ((retried_ & bit) == 0) {
            retried_ |= bit;
            waiting_ |= bit;
        } else if (error_code_ == 0) {
            error_code_ = error_code;
            error_part_ = part;
        }
    }

    // Ends the task without waiting for its parts; none of them will call finish().
    void abandon(u32 error_code) {
        if (error_code_ == 0) {
            error_code_ = error_code;
            error_part_ = static_cast<u32>(std::countr_zero(waiting_ | running_ | 1u << 31));
        }
        waiting_ = 0;
        running_ = 0;
    }

    // The barrier: every part has ended.
    [[nodiscard]] bool is_complete() const { return (waiting_ | running_) == 0; }

    void write(TaskStatus& status) const {
        status.done_parts = done_;
        status.error_code = error_code_;
        status.error_part = error_part_;
        status.retried_parts = static_cast<u32>(std::popcount(retried_));
    }

private:
    u32 waiting_ = 0;
    u32 running_ = 0;
    u32 retried_ = 0;
    u32 done_ = 0;
    u32 error_code_ = 0;
    u32 error_part_ = 0;
};

}  // namespace weft::unit
