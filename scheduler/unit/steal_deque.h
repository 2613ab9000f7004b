// steal_deque.h — one worker's items: it pushes and pops at the bottom, thieves steal at the top
// (W1).
//
// The work-stealing deque of Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005),
// with the memory orders of Lê, Pop, Cohen and Zappa Nardelli, "Correct and efficient work-stealing
// for weak memory models" (PPoPP 2013), except that fences became sequentially consistent
// operations and the ring is bounded: push() refuses when it is full. An item is several words,
// each an atomic of its own: a thief may read a torn item, and then always loses the race for it.
//
// Owner: push, pop. Any thread: steal, is_empty. Atomic is std::atomic, or the stand-in of the
// tests that explores every interleaving.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "scheduler/base/ensure.h"
#include "scheduler/base/ids.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

// How a theft ended.
enum class Theft : u32 {
    Stolen,
    Empty,   // no item was there
    Beaten,  // another thread took the item first
};

template <std::size_t Words, template <typename> class Atomic>
class BasicStealDeque {
public:
    using Item = std::array<u64, Words>;

    // Capacity: a power of two.
    explicit BasicStealDeque(u32 capacity)
        : mask_(capacity - 1), slots_(std::make_unique<Slot[]>(capacity)) {
        ENSURE(capacity & (capacity - 1), ==, 0u);
        ENSURE(capacity, >, 0u);
    }

    // Owner. False: full.
    [[nodiscard]] bool push(const Item& item) {
        // Only the owner writes bottom_.
        const i64 bottom = bottom_.load(std::memory_order_relaxed);
        // Acquire pairs with the compare-exchange of a thief: a thief that made room has read its
        // slot, so that overwriting the slot is safe.
        const i64 top = top_.load(std::memory_order_acquire);
        if (bottom - top > mask_) {
            return false;
        }
        write(bottom, item);
        // Release: a thief that reads this bottom sees the item. Sequentially consistent because
        // the owner looks for sleepers next, and a sleeper loads bottom_ after it announces its
        // sleep: one of the two sees the other (parking.h).
        bottom_.store(bottom + 1, std::memory_order_seq_cst);
        return true;
    }

    // Owner: the youngest item. False: empty.
    [[nodiscard]] bool pop(Item& item) {
        const i64 bottom = bottom_.load(std::memory_order_relaxed) - 1;
        // Claim the slot before looking at top_. Both are sequentially consistent, as are both
        // loads of steal(): a thief that still reads the old bottom comes before this store in the
        // one order, so its top, too, was set before, and the next load sees at least that top.
        bottom_.store(bottom, std::memory_order_seq_cst);
        i64 top = top_.load(std::memory_order_seq_cst);
        if (top > bottom) {
            // Empty. Relaxed: this restores the old value.
            bottom_.store(bottom + 1, std::memory_order_relaxed);
            return false;
        }
        item = read(bottom);
        if (top < bottom) {
            // More than one item: no thief can reach this one before it sees the new bottom.
            return true;
        }
        // The last item belongs to the thread that moves top_. Success needs the single order with
        // the thieves' compare-exchanges only; relaxed on failure: nothing is read through it.
        const bool is_ours = top_.compare_exchange_strong(
            top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
        // Relaxed: empty either way.
        bottom_.store(bottom + 1, std::memory_order_relaxed);
        return is_ours;
    }

    // Any thread: the oldest item.
    [[nodiscard]] Theft steal(Item& item) {
        // Top before bottom, see pop(): with a bottom older than top, an item that the owner has
        // popped could be taken for the last one.
        i64 top = top_.load(std::memory_order_seq_cst);
        // Acquire (within seq_cst) pairs with the store in push(): the item is there.
        const i64 bottom = bottom_.load(std::memory_order_seq_cst);
        if (top >= bottom) {
            return Theft::Empty;
        }
        // Read before the exchange: after it the owner may overwrite the slot. The owner may do so
        // even now if another thief was faster: then this read is torn and the exchange fails.
        item = read(top);
        // Release (within seq_cst) pairs with the acquire in push(): the slot has been read.
        return top_.compare_exchange_strong(
                   top, top + 1, std::memory_order_seq_cst, std::memory_order_relaxed)
                   ? Theft::Stolen
                   : Theft::Beaten;
    }

    // Any thread; exact at some moment of the call, unless the owner is pushing or popping.
    [[nodiscard]] bool is_empty() const {
        // Sequentially consistent: a sleeper loads this after it announces its sleep (push()).
        const i64 top = top_.load(std::memory_order_seq_cst);
        return top >= bottom_.load(std::memory_order_seq_cst);
    }

    // Owner: push() accepts at least so many more items.
    [[nodiscard]] u64 room() const {
        const i64 used = bottom_.load(std::memory_order_relaxed) -  // only the owner writes it
                         top_.load(std::memory_order_relaxed);      // an old top gives less room
        return static_cast<u64>(mask_ + 1 - used);
    }

private:
    struct Slot {
        std::array<Atomic<u64>, Words> word{};
    };

    // Relaxed: bottom_ and top_ publish the slots; see push() and steal().
    void write(i64 index, const Item& item) {
        Slot& slot = slots_[static_cast<std::size_t>(index & mask_)];
        for (std::size_t word = 0; word < Words; ++word) {
            slot.word[word].store(item[word], std::memory_order_relaxed);
        }
    }

    [[nodiscard]] Item read(i64 index) const {
        const Slot& slot = slots_[static_cast<std::size_t>(index & mask_)];
        Item item;
        for (std::size_t word = 0; word < Words; ++word) {
            item[word] = slot.word[word].load(std::memory_order_relaxed);
        }
        return item;
    }

    i64 mask_;
    std::unique_ptr<Slot[]> slots_;
    // Items are [top_, bottom_), slot of i is i mod capacity. top_ only rises.
    alignas(64) Atomic<i64> top_{0};
    alignas(64) Atomic<i64> bottom_{0};
};

using StealDeque = BasicStealDeque<kWorkWords, std::atomic>;

}  // namespace weft::unit
