// interleavings.h — runs small threads in every order of their atomic operations.
//
// A thread is a function whose shared state is ModelAtomic alone, so that the results of its
// operations determine its behaviour. To advance it by one operation, it is called again, given its
// earlier results, and stopped by an exception before the next operation. A state consists of the
// shared words and the results so far; known states are not explored again. Interleavings are
// sequentially consistent: comments at each operation argue weaker orders, and the thread sanitizer
// checks them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/base/ids.h"

namespace weft::task::model {

class Explorer {
public:
    // The one whose threads are running, for ModelAtomic.
    static inline Explorer* active = nullptr;

    Explorer() { active = this; }

    u32 allocate(u64 value) {
        state_.words.push_back(value);
        return static_cast<u32>(state_.words.size() - 1);
    }

    void add_thread(std::function<void()> body) {
        bodies_.push_back(std::move(body));
        state_.results.emplace_back();
        state_.is_over.push_back(0);
    }

    // One atomic operation of the thread that is running. Returns the word before.
    template <typename Change>
    u64 operate(u32 word, Change change) {
        if (is_alone_) {
            return std::exchange(state_.words[word], change(state_.words[word]));
        }
        std::vector<u64>& results = state_.results[thread_];
        if (position_ < results.size()) {
            return results[position_++];
        }
        if (!may_step_) {
            throw Preempted{};
        }
        may_step_ = false;
        const u64 before = state_.words[word];
        state_.words[word] = change(before);
        results.push_back(before);
        ++position_;
        return before;
    }

    // A note of the test itself, which takes no step of its own. Returns the word before.
    u64 note(u32 word, u64 added) {
        const std::size_t done = is_alone_ ? 0 : state_.results[thread_].size();
        // Code after an operation first runs at the end of its step; code before all operations, on
        // the way to the first.
        const bool is_live = is_alone_ || (position_ == done && (!may_step_ || done == 0));
        const u64 before = state_.words[word];
        if (is_live) {
            state_.words[word] += added;
        }
        return is_live ? before : 0;
    }

    [[nodiscard]] u64 word(u32 index) const { return state_.words[index]; }

    // What comes before the threads; its operations are no steps.
    template <typename Body>
    void run_alone(Body body) {
        is_alone_ = true;
        body();
        is_alone_ = false;
    }

    // Explores all orders; `at_end` is called, alone, in every state where all threads are over.
    // Returns the number of interleavings.
    double explore(const std::function<void()>& at_end) {
        at_end_ = &at_end;
        return explore_from_here();
    }

    [[nodiscard]] std::size_t states() const { return seen_.size(); }

private:
    struct Preempted {};

    struct State {
        std::vector<u64> words;
        std::vector<std::vector<u64>> results;
        std::vector<u64> is_over;

        auto operator<=>(const State&) const = default;
    };

    double explore_from_here() {
        const auto [place, is_new] = seen_.emplace(state_, 0.0);
        if (!is_new) {
            return place->second;
        }
        double interleavings = 0;
        const State here = state_;
        for (u32 thread = 0; thread < bodies_.size(); ++thread) {
            if (here.is_over[thread] == 0) {
                step(thread);
                interleavings += explore_from_here();
                state_ = here;
            }
        }
        if (interleavings == 0) {
            run_alone(*at_end_);
            state_ = here;
            interleavings = 1;
        }
        return place->second = interleavings;
    }

    void step(u32 thread) {
        thread_ = thread;
        position_ = 0;
        may_step_ = true;
        try {
            bodies_[thread]();
            state_.is_over[thread] = 1;
        } catch (const Preempted&) {
            // It has done its one operation.
        }
    }

    State state_;
    std::vector<std::function<void()>> bodies_;
    std::map<State, double> seen_;
    const std::function<void()>* at_end_ = nullptr;
    u32 thread_ = 0;
    std::size_t position_ = 0;
    bool may_step_ = false;
    bool is_alone_ = false;
};

// Stands in for std::atomic<u64>.
template <typename Word>
class ModelAtomic {
public:
    explicit ModelAtomic(u64 value) : word_(Explorer::active->allocate(value)) {}

    [[nodiscard]] u64 load(std::memory_order) const {
        return Explorer::active->operate(word_, [](u64 before) { return before; });
    }

    void store(u64 value, std::memory_order) { exchange(value, std::memory_order_seq_cst); }

    u64 exchange(u64 value, std::memory_order) {
        return Explorer::active->operate(word_, [&](u64) { return value; });
    }

    bool compare_exchange_strong(u64& expected, u64 value, std::memory_order, std::memory_order) {
        const u64 before = Explorer::active->operate(
            word_, [&](u64 found) { return found == expected ? value : found; });
        return std::exchange(expected, before) == before;
    }

private:
    u32 word_;
};

}  // namespace weft::task::model
