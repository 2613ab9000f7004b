// reader_epochs.h — who may still traverse a page that is leaving.
//
// A reader notes the epoch when it enters. A page that leaves begins a new epoch; once every reader
// inside has entered in that epoch or later, none of them can have seen the page. Readers: enter,
// leave, each on one thread at a time. Whoever holds the store's lock: the rest.
//
// The order rests on read-modify-writes alone, so that kernels may read states as they like: a
// reader that enters after oldest_inside() looked reads what oldest_inside() wrote, and so sees
// every page that had been closed before as Far.
#pragma once

#include <atomic>
#include <memory>

#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"

namespace weft::pages {

class ReaderEpochs {
public:
    explicit ReaderEpochs(u32 reader_count)
        : count_(reader_count), slots_(std::make_unique<Slot[]>(reader_count)) {}

    void enter(u32 reader) {
        // All orders here: seq_cst; pairs with the read-modify-writes of begin_epoch and
        // oldest_inside.
        const u64 before = slots_[reader].entered.exchange(now_.load());
        DEBUG_ENSURE(before, ==, kOutside);
        static_cast<void>(before);
    }

    // Seq_cst, thus release: pairs with oldest_inside. What was traversed has been read.
    void leave(u32 reader) { slots_[reader].entered.store(kOutside); }

    [[nodiscard]] bool is_inside(u32 reader) const {
        return slots_[reader].entered.load() != kOutside;
    }

    // Call when a page has been closed: the epoch that readers must have reached.
    u64 begin_epoch() { return now_.fetch_add(1) + 1; }

    // The least epoch of a reader inside; kOutside, the largest number, if there is none.
    u64 oldest_inside() {
        u64 oldest = kOutside;
        for (u32 reader = 0; reader < count_; ++reader) {
            // Writes back what it reads: see the head of this file.
            const u64 entered = slots_[reader].entered.fetch_add(0);
            oldest = entered < oldest ? entered : oldest;
        }
        return oldest;
    }

private:
    static constexpr u64 kOutside = ~u64{0};

    struct alignas(64) Slot {
        std::atomic<u64> entered = kOutside;
    };

    u32 count_;
    std::unique_ptr<Slot[]> slots_;
    alignas(64) std::atomic<u64> now_ = 0;
};

}  // namespace weft::pages
