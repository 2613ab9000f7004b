#include "scheduler/base/trace_log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "scheduler/base/clock.h"

namespace weft::base {

namespace {

// One cache line. `number` is written first (0) and last (index + 1): a reader that finds index + 1
// before and after reading the fields has read one mark and not parts of two. Each store of a field
// releases the 0 stored before it, each load of a field acquires it: no fence is needed.
struct alignas(64) StoredMark {
    std::atomic<u64> number{0};
    std::atomic<const char*> name{nullptr};
    std::atomic<u64> begin_ns{0};
    std::atomic<u64> duration_ns{0};
    std::array<std::atomic<const char*>, 2> number_name{};
    std::array<std::atomic<u64>, 2> value{};
};

static_assert(sizeof(StoredMark) == 64);

using ThreadName = std::array<char, 32>;

struct Ring {
    u64 trace = 0;
    ThreadName thread_name{};  // changed and read under the registry's lock
    bool has_thread = true;    // under the registry's lock, too
    std::vector<StoredMark> marks;
    alignas(64) std::atomic<u64> written{0};  // by the thread; released after each mark
};

struct Registry {
    std::mutex mutex;
    std::vector<std::unique_ptr<Ring>> rings;  // of the last trace, and of threads that still run
    std::set<std::string, std::less<>> names;
    u64 trace = 0;  // the last one started
    u64 start_ns = 0;
    u32 marks_per_thread = 0;
};

Registry& registry() {
    static Registry the_registry;
    return the_registry;
}

// A thread's pointer to its own ring.
struct ThreadSlot {
    Ring* ring = nullptr;
    ThreadName name{};

    ~ThreadSlot() {
        if (ring) {
            const std::lock_guard lock(registry().mutex);
            ring->has_thread = false;
        }
    }
};

thread_local ThreadSlot thread_slot;

// The ring of a thread of this name that has ended; no thread writes to it.
Ring* ring_left_by(const ThreadName& name) {
    for (const auto& ring : registry().rings) {
        if (!ring->has_thread && ring->trace == registry().trace && name[0] != '\0' &&
            ring->thread_name == name) {
            return ring.get();
        }
    }
    return nullptr;
}

// Gives the calling thread a ring for the running trace; the one it had is dropped.
void make_ring(u64 trace) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    if (all.trace != trace) {
        return;  // the trace ended before this mark
    }
    std::erase_if(all.rings, [](const auto& ring) { return ring.get() == thread_slot.ring; });
    thread_slot.ring = ring_left_by(thread_slot.name);
    if (thread_slot.ring) {
        thread_slot.ring->has_thread = true;
        return;
    }
    auto ring = std::make_unique<Ring>();
    ring->trace = trace;
    ring->thread_name = thread_slot.name;
    ring->marks = std::vector<StoredMark>(all.marks_per_thread);
    thread_slot.ring = ring.get();
    all.rings.push_back(std::move(ring));
}

// Times are those of base::now_ns().
bool read_mark(const Ring& ring, u64 index, TracedMark& mark) {
    const StoredMark& stored = ring.marks[index % ring.marks.size()];
    // Pairs with the last store of close_mark: the fields of this mark are visible.
    if (stored.number.load(std::memory_order_acquire) != index + 1) {
        return false;
    }
    mark.name = stored.name.load(std::memory_order_acquire);
    mark.begin_ns = stored.begin_ns.load(std::memory_order_acquire);
    mark.duration_ns = stored.duration_ns.load(std::memory_order_acquire);
    for (u32 which = 0; which < 2; ++which) {
        mark.numbers[which] = {stored.number_name[which].load(std::memory_order_acquire),
                               stored.value[which].load(std::memory_order_acquire)};
    }
    // After the acquires above: sees the 0 of any later mark whose field was read.
    return stored.number.load(std::memory_order_relaxed) == index + 1;
}

// The marks of a ring that ended at `since_ns` or later, by begin, the enclosing one first. Times
// are since `start_ns`, the clock at the begin of the trace.
std::vector<TracedMark> marks_of(const Ring& ring, u64 start_ns, u64 since_ns) {
    const u64 written = ring.written.load(std::memory_order_acquire);  // pairs with close_mark
    const u64 oldest = written - std::min(written, u64{ring.marks.size()});
    std::vector<TracedMark> marks;
    // They lie in the order of their ends: from the newest back to the first that is too old.
    for (u64 index = written; index > oldest; --index) {
        TracedMark mark;
        if (read_mark(ring, index - 1, mark)) {
            mark.begin_ns -= std::min(mark.begin_ns, start_ns);
            if (mark.begin_ns + mark.duration_ns < since_ns) {
                break;
            }
            marks.push_back(mark);
        }
    }
    std::stable_sort(
        marks.begin(), marks.end(), [](const TracedMark& left, const TracedMark& right) {
            return left.begin_ns != right.begin_ns ? left.begin_ns < right.begin_ns
                                                   : left.duration_ns > right.duration_ns;
        });
    return marks;
}

void append_quoted(std::string& json, std::string_view text) {
    json += '"';
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            json += '\\';
            json += letter;
        } else {
            json += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
        }
    }
    json += '"';
}

void append_us(std::string& json, u64 ns) {
    std::array<char, 32> text{};
    std::snprintf(text.data(),
                  text.size(),
                  "%llu.%03llu",
                  static_cast<unsigned long long>(ns / 1000),
                  static_cast<unsigned long long>(ns % 1000));
    json += text.data();
}

void append_mark(std::string& json, const TracedMark& mark, std::size_t thread) {
    json += R"({"ph":"X","pid":1,"tid":)" + std::to_string(thread) + R"(,"name":)";
    append_quoted(json, mark.name);
    json += R"(,"ts":)";
    append_us(json, mark.begin_ns);
    json += R"(,"dur":)";
    append_us(json, mark.duration_ns);
    json += R"(,"args":{)";
    for (u32 which = 0; which < 2 && mark.numbers[which].name; ++which) {
        json += which > 0 ? "," : "";
        append_quoted(json, mark.numbers[which].name);
        json += ":" + std::to_string(mark.numbers[which].value);
    }
    json += "}},\n";
}

std::string thread_name_of(const Ring& ring, std::size_t thread) {
    return ring.thread_name[0] ? ring.thread_name.data() : "thread " + std::to_string(thread);
}

void append_thread_name(std::string& json, const std::string& name, std::size_t thread) {
    json += R"({"ph":"M","pid":1,"tid":)" + std::to_string(thread) +
            R"(,"name":"thread_name","args":{"name":)";
    append_quoted(json, name);
    json += "}},\n";
}

}  // namespace

void start_trace(u32 marks_per_thread) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    // Running threads keep their rings until their next mark.
    std::erase_if(all.rings, [](const auto& ring) { return !ring->has_thread; });
    ++all.trace;
    all.start_ns = now_ns();
    all.marks_per_thread = std::max(marks_per_thread, 1u);
    trace_detail::running.store(all.trace, std::memory_order_relaxed);  // see its declaration
}

void stop_trace() {
    trace_detail::running.store(0, std::memory_order_relaxed);  // see its declaration
}

void name_traced_thread(std::string_view name) {
    const std::lock_guard lock(registry().mutex);
    thread_slot.name = {};
    std::copy_n(
        name.data(), std::min(name.size(), thread_slot.name.size() - 1), thread_slot.name.data());
    if (thread_slot.ring) {
        thread_slot.ring->thread_name = thread_slot.name;
    }
}

const char* trace_name(std::string_view name) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.names.emplace(name).first->c_str();  // nodes of a set stay where they are
}

TraceFigures trace_figures() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    TraceFigures figures;
    for (const auto& ring : all.rings) {
        if (ring->trace == all.trace) {
            const u64 written = ring->written.load(std::memory_order_acquire);
            const u64 kept = std::min(written, u64{ring->marks.size()});
            ++figures.threads;
            figures.marks += kept;
            figures.lost += written - kept;
        }
    }
    return figures;
}

std::string trace_json() {
    const u64 lost = trace_figures().lost;
    const std::vector<TracedThread> threads = read_trace(0);
    std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
        append_thread_name(json, threads[thread].name, thread);
        for (const TracedMark& mark : threads[thread].marks) {
            append_mark(json, mark, thread);
        }
    }
    // Closes the list of events: each of them ends with a comma.
    json += R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"weft"}})";
    return json + "\n],\"otherData\":{\"lost_marks\":\"" + std::to_string(lost) + "\"}}\n";
}

std::vector<TracedThread> read_trace(u64 since_ns) {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    std::vector<TracedThread> threads;
    for (const auto& ring : all.rings) {
        if (ring->trace == all.trace) {
            threads.push_back(
                {thread_name_of(*ring, threads.size()), marks_of(*ring, all.start_ns, since_ns)});
        }
    }
    return threads;
}

u64 trace_age_ns() {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    return all.start_ns == 0 ? 0 : now_ns() - all.start_ns;
}

u64 trace_detail::open_mark(u64 trace) {
    if (!thread_slot.ring || thread_slot.ring->trace != trace) {
        make_ring(trace);
    }
    return now_ns();
}

void trace_detail::close_mark(u64 trace,
                              const char* name,
                              u64 begin_ns,
                              const Number (&numbers)[2]) {
    Ring* const ring = thread_slot.ring;
    if (!ring || ring->trace != trace) {
        return;  // a later trace has begun since
    }
    // Relaxed: only this thread writes the count.
    const u64 index = ring->written.load(std::memory_order_relaxed);
    StoredMark& mark = ring->marks[index % ring->marks.size()];
    // Released by each of the stores below; pairs with the acquires of read_mark.
    mark.number.store(0, std::memory_order_relaxed);
    mark.name.store(name, std::memory_order_release);
    mark.begin_ns.store(begin_ns, std::memory_order_release);
    mark.duration_ns.store(now_ns() - begin_ns, std::memory_order_release);
    for (u32 which = 0; which < 2; ++which) {
        mark.number_name[which].store(numbers[which].name, std::memory_order_release);
        mark.value[which].store(numbers[which].value, std::memory_order_release);
    }
    mark.number.store(index + 1, std::memory_order_release);    // pairs with read_mark
    ring->written.store(index + 1, std::memory_order_release);  // pairs with marks_of
}

}  // namespace weft::base
