#include "scheduler/unit/execution_unit.h"

#include "scheduler/base/clock.h"
#include "scheduler/base/ensure.h"
#include "scheduler/unit/worker_pool.h"

namespace weft::unit {

namespace {

constexpr u32 kMostPortions = 16;

}  // namespace

ExecutionUnit::ExecutionUnit(u32 index, UnitProgram& program, const UnitConfig& config)
    : index_(index),
      program_(program),
      config_(config),
      portions_(std::make_unique<Portion[]>(config.portions)) {
    ENSURE(config.lane_groups, >=, 1u);
    ENSURE(config.lane_groups, <=, kMostParts);
    ENSURE(config.portions, >=, 1u);
    ENSURE(config.portions, <=, kMostPortions);
    ENSURE(config.least_work, >=, 1u);
    ENSURE(config.most_work, >=, config.least_work);
}

void ExecutionUnit::ring(u32 portion, const TaskRegisters& task) {
    Portion& own = portions_[portion];
    DEBUG_ENSURE(own.bell.is_ringing(), ==, false);
    own.registers = task;
    if (thread_place_) {
        own.bell.ring_for_sleeper();
        thread_place_->wake_if_sleeping();
    } else {
        own.bell.ring();
    }
}

void ExecutionUnit::wake() {
    if (thread_place_) {
        thread_place_->wake();
    }
}

void ExecutionUnit::hold(ParkingPlace& asker) {
    ENSURE(thread_place_, !=, nullptr);
    asker_.store(&asker, std::memory_order_relaxed);  // the exchange publishes it
    Hold expected = Hold::Running;
    // Sequentially consistent: before wake() looks for the sleeper. Pairs with obey_hold.
    if (hold_.compare_exchange_strong(expected, Hold::Asked, std::memory_order_seq_cst)) {
        thread_place_->wake();
    }
}

void ExecutionUnit::go_on() {
    // Acquire pairs with the exchange in obey_hold, release with the loads there: the stepping
    // thread finds what this thread changed meanwhile.
    if (hold_.exchange(Hold::Running, std::memory_order_acq_rel) != Hold::Running) {
        thread_place_->wake();
    }
}

bool ExecutionUnit::is_held() const {
    // Sequentially consistent for a worker that has announced its sleep; pairs with obey_hold.
    return hold_.load(std::memory_order_seq_cst) == Hold::Held;
}

bool ExecutionUnit::must_step() const {
    // Relaxed: the watch asks again.
    const Hold hold = hold_.load(std::memory_order_relaxed);
    return hold == Hold::Asked || (hold == Hold::Running && is_busy());
}

bool ExecutionUnit::must_stay_awake() const {
    const Hold hold = hold_.load(std::memory_order_seq_cst);  // after the announcement
    if (hold != Hold::Running) {
        return hold == Hold::Asked;
    }
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        if (!portions_[portion].is_running && portions_[portion].bell.is_ringing_before_sleep()) {
            return true;
        }
    }
    return false;
}

bool ExecutionUnit::is_busy() const {
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        if (portions_[portion].bell.is_ringing()) {
            return true;
        }
    }
    return false;
}

bool ExecutionUnit::is_settled() const {
    // The acquire in is_busy or is_held pairs with an answer, which comes after is_answering_ was
    // set; the acquire here pairs with the release that clears it.
    return (is_held() || !is_busy()) && !is_answering_.load(std::memory_order_acquire);
}

void ExecutionUnit::finish_part(u32 portion, u32 part, u32 error_code) {
    ENSURE(portion, <, config_.portions);
    ENSURE(portions_[portion].is_running, ==, true);
    portions_[portion].parts.finish(part, error_code);
}

// Between two steps. True: the unit is held.
bool ExecutionUnit::obey_hold() {
    Hold hold = hold_.load(std::memory_order_acquire);  // pairs with hold and go_on
    if (hold != Hold::Asked) {
        return hold == Hold::Held;
    }
    ParkingPlace* const asker = asker_.load(std::memory_order_relaxed);
    is_answering_.store(true, std::memory_order_relaxed);  // the exchange publishes it
    // Sequentially consistent: before the look for the sleeper. The worker sees all steps so far.
    const bool is_held = hold_.compare_exchange_strong(hold, Hold::Held, std::memory_order_seq_cst);
    if (is_held) {
        asker->wake_if_sleeping();
    }
    is_answering_.store(false, std::memory_order_release);  // pairs with is_settled
    return is_held;
}

bool ExecutionUnit::step() {
    progress_.store(progress_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (obey_hold()) {
        return false;
    }
    bool has_worked = take_tasks();
    if (!is_broken_) {
        try {
            has_worked |= begin_parts();
            has_worked |= program_.step(*this);
        } catch (...) {
            break_down(sentence_of_current_exception());
            has_worked = true;
        }
    }
    has_worked |= answer_complete();
    return has_worked;
}

void ExecutionUnit::skip_time(u64 time_ns) {
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        if (portions_[portion].is_running) {
            portions_[portion].registers.status.begun_ns += time_ns;
        }
    }
}

bool ExecutionUnit::take_tasks() {
    bool has_taken = false;
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        Portion& own = portions_[portion];
        if (!own.is_running && own.bell.is_ringing()) {
            take(own);
            has_taken = true;
        }
    }
    return has_taken;
}

void ExecutionUnit::take(Portion& portion) {
    portion.registers.status.begun_ns = base::now_ns();
    portion.is_running = true;
    switch (portion.registers.operation) {
        case Operation::Run:
            // A share rung before the order to detach may be seen after it.
            ENSURE(portion.registers.epoch, <, detach_epoch_);
            portion.parts.open(portion.registers.part_count);
            if (is_broken_) {
                portion.parts.abandon(kProgramThrew);
            }
            return;
        case Operation::Detach:
            detach_epoch_ = portion.registers.epoch;
            return;
        case Operation::Attach:
            detach_epoch_ = kNever;
            return;
        case Operation::None:
            break;
    }
    UNREACHABLE("a doorbell rings and no operation is written");
}

// The primary: begins every waiting part, including those that failed once.
bool ExecutionUnit::begin_parts() {
    bool has_begun = false;
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        Portion& own = portions_[portion];
        if (!own.is_running) {
            continue;
        }
        const TaskRegisters& task = own.registers;
        PartTask part{task.share, portion, 0, task.part_count, 0, task.epoch};
        while (own.parts.next(part.part, part.attempt)) {
            program_.begin_part(part, *this);
            has_begun = true;
        }
    }
    return has_begun;
}

bool ExecutionUnit::answer_complete() {
    bool has_answered = false;
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        Portion& own = portions_[portion];
        if (own.is_running && own.parts.is_complete()) {
            answer_now(own);
            has_answered = true;
        }
    }
    return has_answered;
}

void ExecutionUnit::answer_now(Portion& portion) {
    portion.is_running = false;
    TaskRegisters& registers = portion.registers;
    if (registers.operation == Operation::Run) {
        portion.parts.write(registers.status);
    }
    registers.answered_epoch = registers.epoch;
    registers.status.ended_ns = base::now_ns();
    // Read before the answer: after it the registers are the worker's.
    ParkingPlace* const maybe_sleeper = registers.maybe_sleeper;
    if (maybe_sleeper) {
        is_answering_.store(true, std::memory_order_relaxed);  // the answer publishes it
        portion.bell.answer_for_sleeper();
        maybe_sleeper->wake_if_sleeping();
        is_answering_.store(false, std::memory_order_release);  // pairs with is_settled
    } else {
        portion.bell.answer();
    }
}

// Every part of this unit fails, now and later: after an exception the program's state is unknown.
void ExecutionUnit::break_down(const std::string& sentence) {
    is_broken_ = true;
    thrown_ = sentence;
    for (u32 portion = 0; portion < config_.portions; ++portion) {
        Portion& own = portions_[portion];
        if (own.is_running && own.registers.operation == Operation::Run &&
            !own.parts.is_complete()) {
            own.parts.abandon(kProgramThrew);
        }
    }
}

}  // namespace weft::unit
