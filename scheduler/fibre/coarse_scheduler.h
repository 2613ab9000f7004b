// coarse_scheduler.h — which thread starts next, and on how many elements (F17).
//
// Data managers submit threads; each declares the elements it needs at once. A thread is admitted
// when the cluster's local memory has so many to spare; they stay reserved for it until it has
// launched everything. What is left over goes to the most urgent thread with launches left. A full
// table refuses: back-pressure, never growth. Pure: it runs nothing. One cluster owns it; `now` is
// any number that rises, such as the cluster's count of packets.
//
//     submit --> Waiting --has its elements--> Running --launched and released--> finished
//        `--> Full, TooLarge: refused, nothing recorded
//
// Order: by priority and age. A thread goes before every other that came kAgeBound
// (packet_policy.h) or more after it, whatever their priorities. One that does not fit lets others
// pass. But one that holds nothing and was given nothing for longer than kAgeBound is overdue: the
// one overdue longest goes first, and until what it declared is free nobody is launched at all. So
// a thread waits for kAgeBound, and then until all elements came back once for each that is overdue
// longer, which is every other thread of the table at most: small or large, none waits for ever.
// Threads whose ranges overlap run one after the other, the more urgent first (F18).
#pragma once

#include <optional>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::fibre {

// Numbers [begin, end) whose meaning is the caller's: what one thread alone writes (F18).
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
    u64 launch_count = 0;      // elements that its parent is launched on, all in all; at least 1
    u32 elements_at_once = 1;  // local memory that it declares; at least 1
    float priority = 0;        // also of the fibres that it spawns without one of their own
    u64 user = 0;              // the caller's
    WriteRange range{};        // empty: it shares nothing with other threads
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
    u64 threads_refused = 0;    // Full
    u64 threads_too_large = 0;  // TooLarge
    u64 threads_started = 0;
    u64 threads_finished = 0;
    u64 threads_held_up = 0;    // were the most urgent to be looked at once and could not start
    u64 threads_overtaken = 0;  // of those, another was started first
    u64 max_wait = 0;           // from submission to start, in units of `now`
    u64 max_waiting = 0;        // threads that waited at once
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

    // `count` elements of a thread are free again. Returns its `user` where it has finished: its
    // slot may then be another's.
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

    // Whether a thread here, waiting or running, writes any number of `range`.
    [[nodiscard]] bool writes(const WriteRange& range) const;

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
    void hold_up(Slot& slot);
    void launch(u32 position, u32 count, u64 now, Grant& grant);

    std::vector<Slot> slots_;
    std::vector<u32> order_;  // [0, order_count_): slots with launches left, most urgent first
    u32 order_count_ = 0;
    u32 thread_count_ = 0;
    u32 waiting_count_ = 0;
    CoarseCounters counters_;
};

}  // namespace weft::fibre
