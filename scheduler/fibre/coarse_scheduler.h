// coarse_scheduler.h — chooses the thread to start next, and its number of elements (F17).
//
// Data managers submit threads; each declares the elements that it needs at once. A thread is
// admitted when the cluster has so many free elements; they stay reserved for it until it has
// launched everything. Spare elements go to the most urgent thread with launches left. A full table
// refuses (back-pressure) and never grows. Pure: it runs nothing. One cluster owns it; `now` is any
// rising number, such as the cluster's count of packets.
//
//     submit --> Waiting --has its elements--> Running --launched and released--> finished
//        `--> Full, TooLarge: refused, nothing recorded
//
// Order: by priority and age. A thread precedes all threads that came kAgeBound (packet_policy.h)
// or more after it, whatever their priorities. A thread that does not fit lets others pass, until
// it is overdue: it holds no element and got none for longer than kAgeBound. The thread overdue
// longest goes first, and nothing else is launched until its elements are free. So every thread
// starts after at most kAgeBound, plus one turnover of all elements per thread that is overdue
// longer. Threads whose ranges overlap run one after the other, the more urgent first (F18).
#pragma once

#include <optional>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::fibre {

// Numbers [begin, end) that one thread alone writes; the caller defines their meaning (F18).
struct WriteRange {
    u64 begin = 0;
    u64 end = 0;

    [[nodiscard]] bool is_empty() const { return begin >= end; }

    [[nodiscard]] bool overlaps(const WriteRange& other) const {
        return !is_empty() && !other.is_empty() && begin < other.end && other.begin < end;
    }
};

// A thread: a logical parent computation, such as "trace these samples".
struct ThreadDesc {
    u64 launch_count = 0;      // launches of its parent in total; at least 1
    u32 elements_at_once = 1;  // local memory that it declares; at least 1
    float priority = 0;        // inherited by fibres that are spawned without one
    u64 user = 0;              // the caller's
    WriteRange range{};        // empty: no other thread writes what it writes
};

enum class Admission {
    Taken,
    Full,      // the table is full: submit again later
    TooLarge,  // declares more elements than the cluster has: never fits
};

// A piece of a thread: its parent is launched on `count` free elements now.
struct Grant {
    u32 thread = kNone;
    u64 user = 0;
    u64 first_launch = 0;
    u32 count = 0;
    float priority = 0;
};

// Statistics (F17, F19).
struct CoarseCounters {
    u64 threads_taken = 0;
    u64 threads_with_range = 0;  // of those, with a WriteRange
    u64 threads_refused = 0;     // Full
    u64 threads_too_large = 0;   // TooLarge
    u64 threads_started = 0;
    u64 threads_finished = 0;
    u64 threads_held_up = 0;                // could not start although they were the most urgent
    u64 threads_kept_apart = 0;             // of those, waited for a thread with some of its range
    u64 threads_overtaken = 0;              // of those, a less urgent one was started first
    u64 max_wait = 0;                       // from submission to start, in units of `now`
    u64 max_waiting = 0;                    // threads that waited at once
    void add(const CoarseCounters& other);  // sums, and maxima of maxima
};

class CoarseScheduler {
public:
    // `capacity` threads may wait or run at once.
    explicit CoarseScheduler(u32 capacity);

    [[nodiscard]] Admission submit(const ThreadDesc& desc, u32 element_capacity, u64 now);

    // The next piece to launch, of 1 to `most` elements out of `free_elements`; false: none now.
    // The caller must then hold so many elements for grant.thread.
    [[nodiscard]] bool next(u32 free_elements, u32 most, u64 now, Grant& grant);

    // `count` elements of a thread are free again. Returns the thread's `user` if it has finished;
    // its slot may then be reused.
    std::optional<u64> released(u32 thread, u32 count);

    // Whether any thread has launches left; then next() may have something.
    [[nodiscard]] bool has_launches() const { return order_count_ > 0; }

    // No thread waits or runs.
    [[nodiscard]] bool is_idle() const { return thread_count_ == 0; }

    [[nodiscard]] u32 thread_count() const { return thread_count_; }

    [[nodiscard]] u32 waiting_count() const { return waiting_count_; }

    // A thread that waits or runs.
    [[nodiscard]] const ThreadDesc& thread(u32 index) const { return slots_[index].desc; }

    // The most elements at once that a thread here, waiting or running, declares.
    [[nodiscard]] u32 most_declared() const;

    [[nodiscard]] const CoarseCounters& counters() const { return counters_; }

private:
    enum class Phase : u8 {
        Free,
        Waiting,
        Running,  // until its last element is released
    };

    struct Slot {
        ThreadDesc desc;
        Phase phase = Phase::Free;
        bool is_held_up = false;
        bool is_kept_apart = false;
        u64 arrival = 0;
        u64 last_given = 0;  // when it was launched last, at first its arrival
        u64 launched = 0;
        u32 held = 0;        // elements that are its own now
        double urgency = 0;  // bounded priority − age gain · arrival: the order at any time
    };

    [[nodiscard]] u32 declared(const Slot& slot) const;
    [[nodiscard]] u32 reserved(const Slot& slot) const;
    [[nodiscard]] bool must_wait_for_range(u32 position) const;
    [[nodiscard]] u32 most_overdue(u64 now) const;
    void hold_up(Slot& slot, bool is_for_range);
    void launch(u32 position, u32 count, u64 now, Grant& grant);

    std::vector<Slot> slots_;
    std::vector<u32> order_;  // [0, order_count_): slots with launches left, most urgent first
    u32 order_count_ = 0;
    u32 thread_count_ = 0;
    u32 waiting_count_ = 0;
    CoarseCounters counters_;
};

}  // namespace weft::fibre
