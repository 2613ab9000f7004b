// test_readme_example.cpp — the example of the room's page, compiled and run.
#include <doctest/doctest.h>

#include "scheduler/task/task_context.h"
#include "scheduler/task/task_runtime.h"

namespace weft::task {

TEST_SUITE("scheduler/task/readme") {
    TEST_CASE("the example squares three numbers in children of one task") {
        // README example begins
        TaskRuntime runtime({.slots = 2});
        u64 squares[3] = {};
        const auto square = [](TaskContext& task, void* numbers) {
            const u64 place = task.arguments()[0];
            static_cast<u64*>(numbers)[place] = place * place;
            return Outcome::Done;
        };
        const auto all = [](TaskContext& task, void* program) {
            if (task.open_group() != Refusal::None) {
                return Outcome::NeedsRoom;
            }
            for (u64& next = task.state()[0]; next < 3; ++next) {
                TaskDescriptor child = *static_cast<const TaskDescriptor*>(program);
                child.arguments = {next};
                if (!task.launch(task.create_stream(), child).is_accepted()) {
                    return Outcome::NeedsRoom;
                }
            }
            return Outcome::Done;
        };
        TaskDescriptor child{.program = square, .context = squares};
        const TaskDescriptor parent{.program = all, .context = &child};
        const Launched launched = runtime.submit(runtime.create_stream(), parent);
        while (runtime.run_one()) {
        }
        // README example ends
        CHECK(launched.is_accepted());
        CHECK(runtime.is_complete(launched.task));
        CHECK(squares[0] == 0);
        CHECK(squares[1] == 1);
        CHECK(squares[2] == 4);
    }
}

}  // namespace weft::task
