// test_example.cpp — the example on the room's page, compiled and run.
#include <algorithm>
#include <array>
#include <atomic>

#include <doctest/doctest.h>

#include "scheduler/unit/work_runner.h"

namespace weft::unit {

namespace {

// README example begins
struct Squarer : UnitProgram {                   // what one unit runs, with result slots of its own
    std::array<std::array<u64, 64>, 2> slots{};  // by portion

    void begin_part(const PartTask& task, ExecutionUnit& unit) override {
        const auto& word = task.share.word;  // the range [word[0], word[1])
        for (u64 n = word[0] + task.part; n < word[1]; n += task.part_count) {
            slots[task.portion][n - word[0]] = n * n;
        }
        unit.finish_part(task.portion, task.part, 0);  // done well; a failed one is begun again
    }

    bool step(ExecutionUnit&) override { return false; }  // nothing was left for later
};

struct Squares : Work {  // an item is a range of numbers
    std::array<Squarer, 2> squarers;
    std::array<u64, 1000> squares{};
    std::atomic<bool> is_given = false;

    bool next(WorkItem& item) override {
        item.word = {0, squares.size()};
        return !is_given.exchange(true);
    }

    bool is_dry() const override { return is_given; }

    u64 size(const WorkItem& item) const override { return item.word[1] - item.word[0]; }

    bool divide(WorkItem& item, double fraction, WorkItem& rest) const override {
        const u64 kept = static_cast<u64>(fraction * static_cast<double>(size(item)));
        rest.word = {item.word[0] + kept, item.word[1]};
        item.word[1] = kept > 0 ? rest.word[0] : item.word[1];
        return kept > 0;
    }

    void publish(const WorkItem& share, u32 unit, u32 portion) override {
        const auto& slots = squarers[unit].slots[portion];
        std::copy_n(slots.begin(), size(share), squares.begin() + share.word[0]);
    }
};

base::Status square_all(Squares& work) {
    const UnitConfig config{.lane_groups = 4, .portions = 2, .most_work = 64};
    ExecutionUnit first(0, work.squarers[0], config);
    ExecutionUnit second(1, work.squarers[1], config);
    const std::array<ExecutionUnit*, 2> units = {&first, &second};
    return WorkRunner(units, {.units_of_worker = {{0}, {1}}}).run(work);  // a worker for each
}

// README example ends

}  // namespace

TEST_SUITE("scheduler/unit/example") {
    TEST_CASE("W3 the example on the page squares every number") {
        Squares work;
        CHECK(square_all(work).is_ok());
        bool is_right = true;
        for (u64 n = 0; n < work.squares.size(); ++n) {
            is_right = is_right && work.squares[n] == n * n;
        }
        CHECK(is_right);
    }
}

}  // namespace weft::unit
