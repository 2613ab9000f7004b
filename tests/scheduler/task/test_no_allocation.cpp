// test_no_allocation.cpp — nothing is allocated from the construction of a runtime to its end,
// whatever tasks do (N4, N7).
//
// A binary of its own, because it counts all calls of operator new.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <latch>
#include <new>
#include <thread>

#include <doctest/doctest.h>

#include "scheduler/task/task_context.h"
#include "scheduler/task/task_runtime.h"

namespace {

std::atomic<weft::u64> allocation_count = 0;

void* counted(std::size_t size, std::size_t alignment) {
    ++allocation_count;
    void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    if (!memory) {
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(size, alignof(std::max_align_t));
}

void* operator new[](std::size_t size) {
    return counted(size, alignof(std::max_align_t));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}

void* operator new[](std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete[](void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

namespace weft::task {

namespace {

struct World {
    std::atomic<u64> leaves = 0;
    u64 failures = 0;
};

Outcome grow(TaskContext& task, void* context) {
    World& world = *static_cast<World*>(context);
    const u64 below = task.arguments()[0];
    if (below == 0) {
        ++world.leaves;
        return Outcome::Done;
    }
    if (task.open_group() != Refusal::None) {
        return Outcome::NeedsRoom;
    }
    for (u64& launched = task.state()[0]; launched < 8; ++launched) {
        const TaskDescriptor child{
            .program = grow, .context = context, .arguments = {below - 1}, .priority = 1};
        if (!task.launch(task.create_stream(), child).is_accepted()) {
            return Outcome::NeedsRoom;
        }
        if (task.should_stop()) {
            ++launched;
            return Outcome::PutAside;
        }
    }
    return task.state()[1]++ == 0 ? Outcome::Join : Outcome::Done;
}

// Every call of the host, once.
void submit_round(TaskRuntime& runtime, World& world) {
    const StreamIndex stream = runtime.create_stream();
    const StreamIndex other = runtime.create_stream();
    const OpenedEvent opened = runtime.open_event(other);
    const TaskDescriptor tree{.program = grow, .context = &world, .arguments = {3}};
    const TaskDescriptor leaf{.program = grow, .context = &world, .priority = 3};
    const HostSlot slot = runtime.reserve();
    const bool is_all_accepted =
        opened.is_open() && slot.is_held() &&
        runtime.submit(stream, tree, {.waits_for = opened.event}).is_accepted() &&
        runtime.submit(slot, other, leaf).is_accepted() &&
        runtime.submit(other, leaf, {.signals = opened.event}).is_accepted();
    world.failures += u64{!is_all_accepted};
}

}  // namespace

TEST_SUITE("scheduler/task/no_allocation") {
    TEST_CASE("N4 N7 nothing is allocated from the first launch to the last completion") {
        const u64 at_start = allocation_count;
        TaskRuntime runtime({.tasks = 64,
                             .levels = 5,
                             .groups = 16,
                             .slots = 1,
                             .urgent_tasks = 8,
                             .urgent_slots = 0});
        CHECK(allocation_count > at_start);
        World world;
        std::atomic<bool> is_over = false;
        std::latch has_begun{1};
        std::jthread other([&] {
            has_begun.count_down();
            while (!is_over) {
                if (!runtime.run_one()) {
                    std::this_thread::yield();
                }
            }
        });
        has_begun.wait();
        const u64 before = allocation_count;
        for (u32 round = 0; round < 20; ++round) {
            submit_round(runtime, world);
            while (!runtime.is_idle()) {
                runtime.run_one();
            }
        }
        CHECK(allocation_count == before);
        is_over = true;
        CHECK(world.failures == 0);
        CHECK(world.leaves == 20 * (512 + 2));
        CHECK(runtime.figures()[Figure::NeededRoom] > 0);
        CHECK(runtime.figures()[Figure::Joins] > 0);
    }
}

}  // namespace weft::task
