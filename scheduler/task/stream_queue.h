// stream_queue.h — an in-order queue of tasks that consists of a pointer to its last task (N5, N9,
// N10).
//
// A record and a generation name a task. Each record has a link: nothing, its successor, or the
// mark DONE. A launch exchanges the last pointer, then links its task behind the former last one. A
// completion starts the successor, or empties the queue; if a launch is between its two steps, the
// completion leaves DONE in the link for that launch. Neither ever waits for the other.
//
//     link of a task:   Null(g) ──launch: cas──────> Successor(g)   the completer starts it
//                          └─────completion: swap──> Done(g)        the launcher starts it
//                                                      │ record reused
//                                                      └──> Null(g + 1): the launcher of g finds a
//                                                           wrong generation, which means Done too
//
// Any thread: append; the thread that completes a task: remove, once. A launcher errs only if a
// record goes through 2^32 generations between its two steps. Atomic is std::atomic, or the
// stand-in of the tests that explores every interleaving.
#pragma once

#include <atomic>

#include "scheduler/base/ids.h"

namespace weft::task {

// A task in a queue.
struct QueueRef {
    u32 index = kNone;
    u32 generation = 0;
};

// The outcome of an append.
enum class Appended : u32 {
    First,      // the queue was empty: the caller starts the task
    Linked,     // the completion of its predecessor starts it
    FoundDone,  // the predecessor was complete before it was linked: the caller starts the task
};

template <template <typename> class Atomic>
class BasicStreamQueue;

// The next pointer of a record: generation above, link below.
template <template <typename> class Atomic>
class BasicQueueLink {
public:
    // Call before the task is appended; the record's former task is complete.
    void begin(u32 generation) {
        // Release, though append() publishes it as well: a launcher of the former life, whose
        // compare-and-swap fails on this value, must see all that the former task wrote. That came
        // before the record was given back and taken, so it comes before this store.
        word_.store(word(generation, kNull), std::memory_order_release);
    }

private:
    friend class BasicStreamQueue<Atomic>;

    static constexpr u32 kNull = kNone;
    static constexpr u32 kDone = kNone - 1;  // so there are less than 2^32 - 2 records

    static u64 word(u32 generation, u32 link) { return u64{generation} << 32 | link; }

    Atomic<u64> word_{0};
};

template <template <typename> class Atomic>
class BasicStreamQueue {
public:
    using Link = BasicQueueLink<Atomic>;

    // link_of(index): the Link& of that record. After Linked the task may be complete already.
    template <typename LinkOf>
    [[nodiscard]] Appended append(QueueRef task, LinkOf link_of) {
        // Release: a thread that links behind this task, or empties the queue, sees its reset link
        // and its filled record. Acquire pairs with the release of the former launcher (whose link
        // is reset) or of the remover that emptied the queue (this task sees its predecessor's
        // writes).
        const u64 former = last_.exchange(packed(task), std::memory_order_acq_rel);
        if (former == kEmpty) {
            return Appended::First;
        }
        const u32 former_generation = static_cast<u32>(former >> 32);
        u64 expected = Link::word(former_generation, Link::kNull);
        // Release on success pairs with the acquire in remove(): the completer finds this record
        // filled. Acquire on failure pairs with the swap in remove(), or with begin() of a later
        // life: this task sees what its predecessor wrote.
        if (link_of(static_cast<u32>(former))
                .word_.compare_exchange_strong(expected,
                                               Link::word(former_generation, task.index),
                                               std::memory_order_release,
                                               std::memory_order_acquire)) {
            return Appended::Linked;
        }
        return Appended::FoundDone;
    }

    // The task is complete, with all its descendants. Returns the record of the successor that the
    // caller must start, or kNone. The record may be reused afterwards.
    template <typename LinkOf>
    [[nodiscard]] u32 remove(QueueRef task, LinkOf link_of) {
        auto& own = link_of(task.index).word_;
        // Acquire pairs with the release of append()'s link.
        const u64 seen = own.load(std::memory_order_acquire);
        if (static_cast<u32>(seen) != Link::kNull) {
            return static_cast<u32>(seen);
        }
        u64 expected = packed(task);
        // Release pairs with the acquire in append(): the first task in the emptied queue sees this
        // task's writes. Relaxed on failure: nothing is read through the value.
        if (last_.compare_exchange_strong(
                expected, kEmpty, std::memory_order_release, std::memory_order_relaxed)) {
            return kNone;
        }
        // A launch has exchanged the pointer and has not linked yet. Release pairs with the failed
        // compare-and-swap in append(); acquire pairs with a success that comes in between.
        const u64 link =
            own.exchange(Link::word(task.generation, Link::kDone), std::memory_order_acq_rel);
        const u32 successor = static_cast<u32>(link);
        return successor == Link::kNull ? kNone : successor;
    }

    // Only while no other thread launches or completes.
    [[nodiscard]] bool is_empty() const {
        return last_.load(std::memory_order_relaxed) == kEmpty;  // nothing is read through it
    }

private:
    static constexpr u64 kEmpty = ~u64{0};

    static u64 packed(QueueRef task) { return u64{task.generation} << 32 | task.index; }

    Atomic<u64> last_{kEmpty};
};

using QueueLink = BasicQueueLink<std::atomic>;
using StreamQueue = BasicStreamQueue<std::atomic>;

}  // namespace weft::task
