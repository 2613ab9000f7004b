// trace_log.h — records which scope ran when on which thread, for Perfetto or chrome://tracing
// (F19).
//
//     base::TraceMark mark("closest", "fibres", count);   // until the end of the scope
//     mark.note("lanes", lanes);                          // a number known later; two at most
//
// Marks can stay in the code: without a running trace one costs a relaxed load and a branch. During
// a trace it costs two clock reads and eight stores into a ring that its thread allocates at its
// first mark; no lock, no other allocation. A full ring keeps the latest marks and counts the lost
// ones. A named thread reuses the ring of an ended thread of the same name, so that memory is
// bounded by the threads alive at one time.
//
// Any thread may make marks; start, stop and read from one thread at a time. Reading is safe while
// threads make marks: a mark that is overwritten during the read counts as lost. Names are kept as
// pointers and must live until the trace is read: use literals or trace_name().
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::base {

inline constexpr u32 kTraceMarksPerThread = 1u << 15;  // 64 B each: 2 MiB a thread

// Begins a trace and drops the one before. Each ring holds the given number of marks.
void start_trace(u32 marks_per_thread = kTraceMarksPerThread);

// Ends the trace: scopes open now are still recorded, later ones are not. It can be read until the
// next one starts.
void stop_trace();

// Names the calling thread in traces ("worker 3"), from now on; at most 31 characters count.
void name_traced_thread(std::string_view name);

// A copy of `name` that lives as long as the program, for names made at run time. Takes a lock:
// call it where something is declared, not where it runs.
const char* trace_name(std::string_view name);

struct TraceFigures {
    u64 threads = 0;  // that made a mark; successive threads of one name count once
    u64 marks = 0;    // that can be read
    u64 lost = 0;     // overwritten by later marks of their thread
};

TraceFigures trace_figures();

// The trace as Chrome's JSON: one complete event ("X") per mark, by thread and begin, its numbers
// as arguments; times in microseconds since start_trace(). Threads that make their first mark
// meanwhile wait while marks are copied, not while they are written down.
std::string trace_json();

// A mark as read, for a display that draws traces itself. Names live as long as those given.
struct TracedNumber {
    const char* name = nullptr;  // none
    u64 value = 0;
};

struct TracedMark {
    const char* name = nullptr;
    u64 begin_ns = 0;  // since start_trace()
    u64 duration_ns = 0;
    TracedNumber numbers[2];
};

struct TracedThread {
    std::string name;
    std::vector<TracedMark> marks;  // by begin, the enclosing one first
};

// The marks that ended at `since_ns` or later, by thread. The cost grows with their number alone,
// so that a display can poll the last moments.
std::vector<TracedThread> read_trace(u64 since_ns);

// Nanoseconds since start_trace().
u64 trace_age_ns();

namespace trace_detail {

// Number of the running trace; 0: none runs. Relaxed everywhere: a thread that sees a start or a
// stop late records a little less or more, and rings are made under a lock.
inline std::atomic<u64> running{0};

struct Number {
    const char* name = nullptr;  // none
    u64 value = 0;
};

// The begin of a scope; makes the thread's ring for this trace if it has none.
u64 open_mark(u64 trace);
void close_mark(u64 trace, const char* name, u64 begin_ns, const Number (&numbers)[2]);

}  // namespace trace_detail

// From construction to destruction on one thread; marks of a thread nest as scopes do.
class TraceMark {
public:
    explicit TraceMark(const char* name)
        : trace_(trace_detail::running.load(std::memory_order_relaxed)), name_(name) {
        if (trace_ != 0) {
            begin_ns_ = trace_detail::open_mark(trace_);
        }
    }

    TraceMark(const char* name, const char* number_name, u64 number) : TraceMark(name) {
        numbers_[0] = {number_name, number};
    }

    TraceMark(
        const char* name, const char* first_name, u64 first, const char* second_name, u64 second)
        : TraceMark(name) {
        numbers_[0] = {first_name, first};
        numbers_[1] = {second_name, second};
    }

    // Adds a number; the third and later ones replace the second.
    void note(const char* number_name, u64 number) {
        numbers_[numbers_[0].name ? 1 : 0] = {number_name, number};
    }

    ~TraceMark() {
        if (trace_ != 0) {
            trace_detail::close_mark(trace_, name_, begin_ns_, numbers_);
        }
    }

    TraceMark(const TraceMark&) = delete;
    TraceMark& operator=(const TraceMark&) = delete;

private:
    u64 trace_;
    const char* name_;
    u64 begin_ns_ = 0;
    trace_detail::Number numbers_[2];
};

}  // namespace weft::base
