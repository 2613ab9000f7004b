// explorer.h — runs a few threads of real code through every interleaving of their atomic
// operations.
//
// The deque, the doorbell and the parking places take their atomic type as a parameter. Modelled<T>
// replaces std::atomic<T>: before each of its operations the thread stops, and the explorer chooses
// the thread that continues. It searches depth first: each execution starts over and repeats the
// choices so far; a known state (all atomic values, and everything that each thread has read) is
// not searched again. States are identified by 64-bit hashes.
//
// The model is sequentially consistent: it finds wrong algorithms, not wrong memory orders.
// Comments in the code argue those, and the thread sanitizer checks them.
//
// Threads must be deterministic, must not loop without parking, and must hold nothing that needs a
// destructor: an execution that reaches a known state is abandoned where it stands. One thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::unit {

// The thread sanitizer does not follow the explorer's own threads, and there is nothing in it for
// it to find: explorations are skipped there.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kSkipsExploration = true;
#else
inline constexpr bool kSkipsExploration = false;
#endif

// The threads and shared state of one execution.
class Scenario {
public:
    Scenario() = default;
    virtual ~Scenario() = default;
    Scenario(const Scenario&) = delete;
    Scenario& operator=(const Scenario&) = delete;
    Scenario(Scenario&&) = delete;
    Scenario& operator=(Scenario&&) = delete;

    [[nodiscard]] virtual u32 thread_count() const = 0;
    virtual void run_thread(u32 thread) = 0;
    // After all threads have ended. Empty: as it should be; else what is wrong.
    virtual std::string fault() = 0;
};

struct Exploration {
    u64 states = 0;
    u64 executions = 0;  // followed to their end or to a known state
    u64 ends = 0;        // executions in which every thread ended
    u64 deadlocks = 0;   // executions in which every thread that had not ended slept
    u64 faults = 0;
    std::string first_fault;
};

// What a modelled atomic is to the explorer.
struct Cell {
    u64 value = 0;
};

class Explorer {
public:
    explicit Explorer(std::function<std::unique_ptr<Scenario>()> make);
    ~Explorer();
    Explorer(const Explorer&) = delete;
    Explorer& operator=(const Explorer&) = delete;
    Explorer(Explorer&&) = delete;
    Explorer& operator=(Explorer&&) = delete;

    Exploration explore();

    // By a scenario's thread: what it will do from here on depends on `local_state` alone, not on
    // what it has read before. Makes states equal that would be told apart.
    static void forget(u64 local_state);

    // ── For Modelled alone ──
    static void add(const Cell* cell);
    static void stop();                   // lets the explorer choose the next thread
    static void note(u64 value_read);     // a value that the running thread has read
    static void sleep(const Cell* cell);  // until wake(cell)
    static void wake(const Cell* cell, bool all);

private:
    struct Machine;
    static Machine* current_;  // of the explorer that explores now; there is one at a time
    std::unique_ptr<Machine> machine_;
};

template <typename T>
class Modelled {
public:
    Modelled() : Modelled(T{}) {}

    explicit Modelled(T value) {
        cell_.value = static_cast<u64>(value);
        Explorer::add(&cell_);
    }

    T load(std::memory_order /*order*/) const {
        Explorer::stop();
        return read();
    }

    void store(T value, std::memory_order /*order*/) {
        Explorer::stop();
        cell_.value = static_cast<u64>(value);
    }

    T exchange(T value, std::memory_order /*order*/) {
        Explorer::stop();
        const T before = read();
        cell_.value = static_cast<u64>(value);
        return before;
    }

    T fetch_add(T value, std::memory_order /*order*/) {
        Explorer::stop();
        const T before = read();
        cell_.value = static_cast<u64>(static_cast<T>(before + value));
        return before;
    }

    T fetch_sub(T value, std::memory_order /*order*/) {
        Explorer::stop();
        const T before = read();
        cell_.value = static_cast<u64>(static_cast<T>(before - value));
        return before;
    }

    bool compare_exchange_strong(T& expected,
                                 T value,
                                 std::memory_order /*success*/,
                                 std::memory_order /*failure*/) {
        Explorer::stop();
        const T before = read();
        if (before == expected) {
            cell_.value = static_cast<u64>(value);
            return true;
        }
        expected = before;
        return false;
    }

    void wait(T old, std::memory_order /*order*/) const {
        Explorer::stop();
        while (read() == old) {
            Explorer::sleep(&cell_);
        }
    }

    void notify_one() {
        Explorer::stop();
        Explorer::wake(&cell_, false);
    }

private:
    [[nodiscard]] T read() const {
        Explorer::note(cell_.value);
        return static_cast<T>(cell_.value);
    }

    Cell cell_;
};

}  // namespace weft::unit
