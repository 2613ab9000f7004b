// execution_unit.h — runs shares (W3 .. W7, W10): doorbells, task registers, and G lane groups.
//
// Shared memory is cut into portions: a doorbell and task registers each. The unit sees a doorbell
// at 1 and reads the registers. Its primary divides the share into parts and begins each; a part
// that fails is begun once more. When all parts have ended, the unit writes the status and sets the
// doorbell to 0. All lane groups run on the thread that steps the unit: the worker at its doorbell
// for a CPU unit, a device thread for an emulated one. Both follow one protocol, so that work can
// be split over both.
//
// A run that is put aside holds the units that have threads of their own: their shares stay as they
// are between two steps, as those of a unit whose worker steps it no longer.
//
//     running ──hold()──> asked ──the stepping thread, between two steps──> held
//        ^                  └──────────────────go_on()───────────────────────┤
//        └───────────────────────────────────────────────────────────────────┘
//
// Worker that owns the unit: ring, is_ringing, answer, hold, go_on. The stepping thread: step, and
// the program's finish_part. Any thread: wake, progress, is_busy, is_held.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/unit/doorbell.h"
#include "scheduler/unit/parking.h"
#include "scheduler/unit/part_board.h"
#include "scheduler/unit/task_registers.h"
#include "scheduler/unit/work.h"

namespace weft::unit {

// One part of a share, as a program receives it.
struct PartTask {
    WorkItem share;
    u32 portion = 0;  // its result slots take the results
    u32 part = 0;     // of part_count; the program decides which part of the share that is
    u32 part_count = 0;
    u32 attempt = 0;  // 1: the part failed once and is run again
    u64 epoch = 0;
};

class ExecutionUnit;

// The program of a unit: the renderer's integrator, or a test's. Called on the stepping thread
// only. An exception ends the run with a sentence and makes the unit unusable.
class UnitProgram {
public:
    UnitProgram() = default;
    virtual ~UnitProgram() = default;
    UnitProgram(const UnitProgram&) = delete;
    UnitProgram& operator=(const UnitProgram&) = delete;
    UnitProgram(UnitProgram&&) = delete;
    UnitProgram& operator=(UnitProgram&&) = delete;

    // Accepts a part. The program calls unit.finish_part() at its end, at once or in a later
    // step().
    virtual void begin_part(const PartTask& task, ExecutionUnit& unit) = 0;

    // Does a bounded amount of work (about one packet) on accepted parts. False: nothing to do now;
    // if parts are still open, another thread calls unit.wake() later.
    virtual bool step(ExecutionUnit& unit) = 0;

    // False: the program was told that its unit is lost and can run no more shares, even if the
    // unit answers again. Between runs, any thread.
    [[nodiscard]] virtual bool can_return() const { return true; }
};

struct UnitConfig {
    u32 lane_groups = 4;  // G: parts that a share is divided into, 1 .. kMostParts
    // Doorbells, 1 .. 8. The published protocol has one; with two, the begin of the next share
    // fills lanes that the end of this one leaves empty.
    u32 portions = 2;
    u64 most_work = ~u64{0};  // what the private slots of a portion hold: no share is larger
    u64 least_work = 1;       // below this a share leaves lanes idle
};

class ExecutionUnit {
public:
    ExecutionUnit(u32 index, UnitProgram& program, const UnitConfig& config);

    [[nodiscard]] u32 index() const { return index_; }

    [[nodiscard]] const UnitConfig& config() const { return config_; }

    // ── The worker's side of the doorbells ──

    // The portion must not ring. `task` has its worker-to-unit words set.
    void ring(u32 portion, const TaskRegisters& task);

    [[nodiscard]] bool is_ringing(u32 portion) const {
        return portions_[portion].bell.is_ringing();
    }

    // is_ringing() for a worker that has announced its sleep.
    [[nodiscard]] bool is_ringing_before_sleep(u32 portion) const {
        return portions_[portion].bell.is_ringing_before_sleep();
    }

    // Valid while the portion does not ring.
    [[nodiscard]] const TaskRegisters& answer(u32 portion) const {
        return portions_[portion].registers;
    }

    // The message of the program's exception, after an answer with kProgramThrew.
    [[nodiscard]] const std::string& thrown() const { return thrown_; }

    // UnitProgram::can_return().
    [[nodiscard]] bool can_return() const { return program_.can_return(); }

    // The unit, which has a thread of its own, stops between two steps and wakes `asker`. Again
    // while it is asked or held: no effect.
    void hold(ParkingPlace& asker);
    // Ends that. Also where hold() was not obeyed yet, or never called.
    void go_on();

    // ── The program's side, on the stepping thread ──

    // Part `part` of the task in `portion` has ended: 0 for success, else its error code (not
    // kProgramThrew). Once for each begin_part().
    void finish_part(u32 portion, u32 part, u32 error_code);

    // ── The stepping thread ──

    // Accepts rung shares, begins parts, steps the program once, and answers completed shares.
    // False: there was nothing to do.
    bool step();

    // The unit was not stepped for so long because the run was put aside: its shares count as begun
    // that much later. Also of a held unit: the runner's owner.
    void skip_time(u64 time_ns);

    // Where the unit's own thread sleeps; set before the first ring. nullptr: a worker steps it.
    void set_thread_place(ParkingPlace* place) { thread_place_ = place; }

    [[nodiscard]] bool has_thread() const { return thread_place_ != nullptr; }

    // For a thread that has announced its sleep: does any doorbell ring?
    [[nodiscard]] bool must_stay_awake() const;

    // ── Any thread ──

    // Another thread has delivered work to the program: step it again.
    void wake();

    // Rises with every step.
    [[nodiscard]] u64 progress() const { return progress_.load(std::memory_order_relaxed); }

    // Some doorbell rings.
    [[nodiscard]] bool is_busy() const;

    // The stepping thread leaves shares and doorbells alone until go_on().
    [[nodiscard]] bool is_held() const;

    // The stepping thread has something to do: a share, or to hold.
    [[nodiscard]] bool must_step() const;

    // No doorbell rings or the unit is held, and the stepping thread no longer touches the sleeper
    // that it answered.
    [[nodiscard]] bool is_settled() const;

private:
    struct Portion {
        Doorbell bell;
        TaskRegisters registers;
        // The stepping thread's alone:
        PartBoard parts;
        bool is_running = false;
    };

    // Whether the stepping thread may step: see the diagram.
    enum class Hold : u32 { Running, Asked, Held };

    bool obey_hold();
    bool take_tasks();
    void take(Portion& portion);
    bool begin_parts();
    bool answer_complete();
    void answer_now(Portion& portion);
    void break_down(const std::string& sentence);

    u32 index_;
    UnitProgram& program_;
    UnitConfig config_;
    std::unique_ptr<Portion[]> portions_;
    ParkingPlace* thread_place_ = nullptr;
    std::string thrown_;  // written once, before the first answer with kProgramThrew
    bool is_broken_ = false;
    static constexpr u64 kNever = ~u64{0};
    u64 detach_epoch_ = kNever;  // of the current order to detach; no later share may be rung
    std::atomic<Hold> hold_{Hold::Running};
    std::atomic<ParkingPlace*> asker_{nullptr};  // relaxed: hold_ publishes it
    alignas(64) std::atomic<u64> progress_{0};   // relaxed: only compared with itself
    std::atomic<bool> is_answering_{false};      // from before an answer until its sleeper is awake
};

}  // namespace weft::unit
