// execution_unit.h — what a share is handed to (W3 .. W7, W10): doorbells, task registers, and G
// lane groups that run its parts.
//
// Shared memory is cut into portions, each a doorbell with registers. The unit sees a doorbell at
// 1, reads the registers, and its primary divides the share into parts and begins each; a barrier
// holds until every part has ended; a part that failed is begun once more; then the status is
// written and the doorbell set to 0. All lane groups run on the thread that steps the unit: the
// worker that waits at its doorbell for a CPU unit, a device thread for an emulated one. It is one
// protocol, so work may be split over both.
//
// Worker that owns the unit: ring, is_ringing, answer. The stepping thread: step, and the program's
// finish_part. Any thread: wake, progress, is_busy.
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

// One part of a share, as a program takes it in.
struct PartTask {
    WorkItem share;
    u32 portion = 0;  // whose result slots
    u32 part = 0;     // of part_count: the caller's way to divide decides what that is
    u32 part_count = 0;
    u32 attempt = 0;  // 1: the part failed once and begins anew
    u64 epoch = 0;
};

class ExecutionUnit;

// What a unit runs: implemented above (a cluster of fibres), or by a test. Called on the stepping
// thread only. What it throws ends the run with a sentence, and the unit is broken from then on.
class UnitProgram {
public:
    UnitProgram() = default;
    virtual ~UnitProgram() = default;
    UnitProgram(const UnitProgram&) = delete;
    UnitProgram& operator=(const UnitProgram&) = delete;
    UnitProgram(UnitProgram&&) = delete;
    UnitProgram& operator=(UnitProgram&&) = delete;

    // Takes a part in. Its end is told by unit.finish_part(), at once or during a later step().
    virtual void begin_part(const PartTask& task, ExecutionUnit& unit) = 0;

    // Does a bounded amount of work on what was taken in (about one packet). False: nothing to do
    // now; where parts are still open, something else then calls unit.wake().
    virtual bool step(ExecutionUnit& unit) = 0;
};

struct UnitConfig {
    u32 lane_groups = 4;  // G: parts that a share is divided into, 1 .. kMostParts
    // Doorbells, 1 .. 8. One is the published protocol; with two the head of the next share fills
    // the lanes that the thin tail of this one leaves empty.
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

    // As is_ringing, for a worker that has said that it sleeps.
    [[nodiscard]] bool is_ringing_before_sleep(u32 portion) const {
        return portions_[portion].bell.is_ringing_before_sleep();
    }

    // Valid while the portion does not ring.
    [[nodiscard]] const TaskRegisters& answer(u32 portion) const {
        return portions_[portion].registers;
    }

    // What the program threw, after an answer with kProgramThrew.
    [[nodiscard]] const std::string& thrown() const { return thrown_; }

    // ── The program's side, on the stepping thread ──

    // Part `part` of the task in `portion` has ended: 0 done well, else its error code (not
    // kProgramThrew). Once for each begin_part().
    void finish_part(u32 portion, u32 part, u32 error_code);

    // ── Whoever steps the unit ──

    // Takes what rings, begins parts, does one step of the program, and answers what is complete.
    // False: there was nothing to do.
    bool step();

    // So long nobody stepped it on purpose: shares in it count as begun so much later.
    void skip_time(u64 time_ns);

    // A thread of its own sleeps here; set before the first ring. nullptr: a worker steps the unit.
    void set_thread_place(ParkingPlace* place) { thread_place_ = place; }

    [[nodiscard]] bool has_thread() const { return thread_place_ != nullptr; }

    // For the thread that has said that it sleeps: does any doorbell ring?
    [[nodiscard]] bool must_stay_awake() const;

    // ── Any thread ──

    // Something was delivered to the program from outside: step it again.
    void wake();

    // Rises with every step.
    [[nodiscard]] u64 progress() const { return progress_.load(std::memory_order_relaxed); }

    // Some doorbell rings.
    [[nodiscard]] bool is_busy() const;

    // No doorbell rings, and the stepping thread has left the sleeper that it answered to alone.
    [[nodiscard]] bool is_settled() const;

private:
    struct Portion {
        Doorbell bell;
        TaskRegisters registers;
        // The stepping thread's alone:
        PartBoard parts;
        bool is_running = false;
    };

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
    u64 detach_epoch_ = kNever;  // of the order to detach that stands; no later share may be rung
    alignas(64) std::atomic<u64> progress_{0};  // relaxed: only compared with itself
    std::atomic<bool> is_answering_{false};     // from before an answer until its sleeper is told
};

}  // namespace weft::unit
