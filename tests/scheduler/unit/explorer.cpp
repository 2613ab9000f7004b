#include "tests/scheduler/unit/explorer.h"

#include <algorithm>
#include <array>
#include <ucontext.h>

#include "scheduler/base/ensure.h"

namespace weft::unit {

namespace {

constexpr std::size_t kStackBytes = 128 * 1024;
constexpr u32 kMostThreads = 4;

u64 mixed(u64 hash, u64 value) {
    hash = (hash ^ (value + 0x632be59bd9b4e019u)) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
}

}  // namespace

struct Explorer::Machine {
    enum class Stage : u32 { Ready, Asleep, Ended };

    struct Thread {
        ucontext_t context{};
        std::vector<char> stack = std::vector<char>(kStackBytes);
        Stage stage = Stage::Ended;
        const Cell* bed = nullptr;
        u64 history = 0;
    };

    struct Choice {
        std::vector<u32> options;
        std::size_t taken = 0;
    };

    std::function<std::unique_ptr<Scenario>()> make;
    std::unique_ptr<Scenario> scenario;
    std::array<Thread, kMostThreads> threads;
    u32 thread_count = 0;
    u32 running = kNone;
    ucontext_t home{};
    std::vector<const Cell*> cells;
    std::vector<Choice> path;
    std::unordered_set<u64> seen;
    Exploration result;

    void begin();
    void clear();
    void execute();
    bool backtrack();
    void switch_to(u32 thread);
    void switch_home();
    [[nodiscard]] std::vector<u32> ready() const;
    [[nodiscard]] u64 state() const;
    void finish();
    static void enter();
};

Explorer::Machine* Explorer::current_ = nullptr;

void Explorer::Machine::enter() {
    Machine& machine = *current_;
    machine.scenario->run_thread(machine.running);
    machine.threads[machine.running].stage = Stage::Ended;
    machine.switch_home();
    UNREACHABLE("a thread that has ended goes on");
}

void Explorer::Machine::begin() {
    clear();
    scenario = make();
    thread_count = scenario->thread_count();
    ENSURE(thread_count, <=, kMostThreads);
    for (u32 index = 0; index < thread_count; ++index) {
        Thread& thread = threads[index];
        thread.stage = Stage::Ready;
        thread.history = 0;
        getcontext(&thread.context);
        thread.context.uc_stack.ss_sp = thread.stack.data();
        thread.context.uc_stack.ss_size = thread.stack.size();
        thread.context.uc_link = nullptr;
        makecontext(&thread.context, &Machine::enter, 0);
    }
}

void Explorer::Machine::clear() {
    thread_count = 0;
    scenario.reset();
    cells.clear();
}

void Explorer::Machine::switch_to(u32 thread) {
    running = thread;
    swapcontext(&home, &threads[thread].context);
    running = kNone;
}

void Explorer::Machine::switch_home() {
    swapcontext(&threads[running].context, &home);
}

std::vector<u32> Explorer::Machine::ready() const {
    std::vector<u32> options;
    for (u32 index = 0; index < thread_count; ++index) {
        if (threads[index].stage == Stage::Ready) {
            options.push_back(index);
        }
    }
    return options;
}

u64 Explorer::Machine::state() const {
    u64 hash = 0;
    for (const Cell* cell : cells) {
        hash = mixed(hash, cell->value);
    }
    for (u32 index = 0; index < thread_count; ++index) {
        hash = mixed(hash, threads[index].history);
        hash = mixed(hash, static_cast<u64>(threads[index].stage));
    }
    return hash;
}

// Every thread has ended or sleeps.
void Explorer::Machine::finish() {
    const bool has_ended =
        std::all_of(threads.begin(), threads.begin() + thread_count, [](const Thread& thread) {
            return thread.stage == Stage::Ended;
        });
    if (!has_ended) {
        ++result.deadlocks;
        return;
    }
    ++result.ends;
    const std::string fault = scenario->fault();
    if (!fault.empty()) {
        result.first_fault = result.faults == 0 ? fault : result.first_fault;
        ++result.faults;
    }
}

void Explorer::Machine::execute() {
    begin();
    ++result.executions;
    for (std::size_t depth = 0;; ++depth) {
        if (depth == path.size()) {
            if (!seen.insert(state()).second) {
                return;
            }
            ++result.states;
            std::vector<u32> options = ready();
            if (options.empty()) {
                finish();
                return;
            }
            path.push_back({std::move(options), 0});
        }
        const Choice& choice = path[depth];
        switch_to(choice.options[choice.taken]);
    }
}

// On to the next choice not taken yet; false: there is none.
bool Explorer::Machine::backtrack() {
    while (!path.empty() && ++path.back().taken == path.back().options.size()) {
        path.pop_back();
    }
    return !path.empty();
}

Explorer::Explorer(std::function<std::unique_ptr<Scenario>()> make)
    : machine_(std::make_unique<Machine>()) {
    machine_->make = std::move(make);
}

Explorer::~Explorer() = default;

Exploration Explorer::explore() {
    ENSURE(current_ == nullptr, ==, true);
    current_ = machine_.get();
    do {
        machine_->execute();
    } while (machine_->backtrack());
    machine_->clear();
    current_ = nullptr;
    return machine_->result;
}

void Explorer::add(const Cell* cell) {
    if (current_) {
        current_->cells.push_back(cell);
    }
}

void Explorer::forget(u64 local_state) {
    current_->threads[current_->running].history = mixed(0, local_state);
}

void Explorer::stop() {
    if (current_ && current_->running != kNone) {
        Machine::Thread& thread = current_->threads[current_->running];
        thread.history = mixed(thread.history, 0);  // how far it is
        current_->switch_home();
    }
}

void Explorer::note(u64 value_read) {
    if (current_ && current_->running != kNone) {
        Machine::Thread& thread = current_->threads[current_->running];
        thread.history = mixed(thread.history, value_read + 1);
    }
}

void Explorer::sleep(const Cell* cell) {
    Machine::Thread& thread = current_->threads[current_->running];
    thread.stage = Machine::Stage::Asleep;
    thread.bed = cell;
    current_->switch_home();
}

void Explorer::wake(const Cell* cell, bool all) {
    for (u32 index = 0; index < current_->thread_count; ++index) {
        Machine::Thread& thread = current_->threads[index];
        if (thread.stage == Machine::Stage::Asleep && thread.bed == cell) {
            thread.stage = Machine::Stage::Ready;
            if (!all) {
                return;
            }
        }
    }
}

}  // namespace weft::unit
