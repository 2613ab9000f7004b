// test_emulated_gpu.cpp — the device's memory, and its threads: they step every unit, sleep when
// idle, and miss no wake-up.
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "scheduler/unit/device_memory.h"
#include "scheduler/unit/emulated_gpu.h"

namespace weft::unit {

namespace {

// Holds each part until a token is delivered to it from outside.
class TokenProgram : public UnitProgram {
public:
    void begin_part(const PartTask& task, ExecutionUnit& /*unit*/) override {
        part_ = task;
        has_part_ = true;
    }

    bool step(ExecutionUnit& unit) override {
        if (!has_part_ || tokens.load(std::memory_order_acquire) == 0) {
            return false;
        }
        tokens.fetch_sub(1, std::memory_order_acq_rel);
        has_part_ = false;
        unit.finish_part(part_.portion, part_.part, 0);
        return true;
    }

    std::atomic<u32> tokens{0};

private:
    PartTask part_;
    bool has_part_ = false;
};

}  // namespace

TEST_SUITE("scheduler/unit/device_memory") {
    TEST_CASE("W10 what is copied in comes out again") {
        DeviceMemory memory(1 << 16);
        void* const device = memory.allocate(1000);
        REQUIRE(device != nullptr);
        std::array<u8, 1000> sent{};
        for (std::size_t at = 0; at < sent.size(); ++at) {
            sent[at] = static_cast<u8>(at * 7);
        }
        memory.copy_in(device, sent.data(), sent.size());
        std::array<u8, 990> come{};
        memory.copy_out(come.data(), static_cast<u8*>(device) + 10, come.size());
        CHECK(std::memcmp(come.data(), sent.data() + 10, come.size()) == 0);
        CHECK(memory.copied_in_bytes() == 1000);
        CHECK(memory.copied_out_bytes() == 990);
    }

    TEST_CASE("W10 what does not fit is refused and leaves the figures as they were") {
        DeviceMemory memory(1000);
        CHECK(memory.allocate(1001) == nullptr);
        CHECK(memory.allocate(~u64{0}) == nullptr);
        REQUIRE(memory.allocate(900) != nullptr);
        CHECK(memory.allocate(100) == nullptr);  // begins at 960
        CHECK(memory.allocate(100, 4) != nullptr);
        CHECK(memory.allocate(1, 1) == nullptr);
        CHECK(memory.used_bytes() == 1000);
        memory.reset();
        CHECK(memory.used_bytes() == 0);
        CHECK(memory.high_water_bytes() == 1000);
        CHECK(memory.allocate(1000) != nullptr);
    }

    TEST_CASE("W10 addresses are aligned as asked for") {
        DeviceMemory memory(1 << 20);
        for (u64 alignment = 1; alignment <= 4096; alignment *= 2) {
            const void* const device = memory.allocate(3, alignment);
            REQUIRE(device != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(device) % alignment == 0);
        }
    }

    TEST_CASE("W10 only ranges within one allocation are the device's") {
        DeviceMemory memory(4096);
        auto* const first = static_cast<u8*>(memory.allocate(100));
        auto* const second = static_cast<u8*>(memory.allocate(64));
        CHECK(memory.owns(first, 100));
        CHECK(memory.owns(first + 99, 1));
        CHECK_FALSE(memory.owns(first + 99, 2));
        CHECK_FALSE(memory.owns(first, static_cast<u64>(second - first) + 1));
        CHECK(memory.owns(second, 64));
        CHECK_FALSE(memory.owns(second + 64, 1));
        CHECK_FALSE(memory.owns(&memory, 1));
        CHECK_FALSE(memory.owns(nullptr, 0));
        memory.reset();
        CHECK_FALSE(memory.owns(first, 1));
    }

    TEST_CASE("W10 a limit above the memory of the machine takes no more than what is touched") {
        DeviceMemory memory(u64{1} << 39);
        auto* const device = static_cast<u8*>(memory.allocate(u64{1} << 38));
        REQUIRE(device != nullptr);
        const u64 sent = 77;
        u64 come = 0;
        u8* const far = device + (u64{1} << 38) - sizeof sent;
        memory.copy_in(far, &sent, sizeof sent);
        memory.copy_out(&come, far, sizeof come);
        CHECK(come == 77);
    }
}

TEST_SUITE("scheduler/unit/emulated_gpu") {
    TEST_CASE("W3 threads step every unit however few threads there are") {
        for (const u32 threads : {1u, 2u, 5u, 9u}) {
            std::vector<std::unique_ptr<TokenProgram>> programs;
            std::vector<UnitProgram*> pointers;
            for (u32 index = 0; index < 5; ++index) {
                programs.push_back(std::make_unique<TokenProgram>());
                pointers.push_back(programs.back().get());
            }
            EmulatedGpu gpu({5, threads, 1 << 16}, pointers, {.lane_groups = 1, .portions = 1});
            CHECK(gpu.thread_count() == std::min(threads, 5u));
            gpu.start();
            for (u32 index = 0; index < 5; ++index) {
                TaskRegisters task;
                task.operation = Operation::Run;
                task.part_count = 1;
                task.epoch = index + 1;
                gpu.unit(index).ring(0, task);
            }
            for (u32 index = 5; index-- > 0;) {
                programs[index]->tokens.store(1);
                gpu.wake(index);
                while (gpu.unit(index).is_busy()) {
                    std::this_thread::yield();
                }
                CHECK(gpu.unit(index).answer(0).answered_epoch == index + 1);
            }
        }
    }

    TEST_CASE("W5 each of many deliveries to a sleeping unit is heard") {
        TokenProgram program;
        UnitProgram* const pointer = &program;
        EmulatedGpu gpu({1, 1, 1 << 16}, {&pointer, 1}, {.lane_groups = 1, .portions = 1});
        gpu.start();
        for (u64 round = 1; round <= 100; ++round) {
            TaskRegisters task;
            task.operation = Operation::Run;
            task.part_count = 1;
            task.epoch = round;
            gpu.unit(0).ring(0, task);
            program.tokens.fetch_add(1);
            gpu.wake(0);
            while (gpu.unit(0).is_busy()) {
                std::this_thread::yield();
            }
        }
        CHECK(gpu.unit(0).answer(0).answered_epoch == 100);
        CHECK(program.tokens == 0);
    }

    TEST_CASE("a device stops whether its units are idle or hold work and starts again") {
        TokenProgram program;
        UnitProgram* const pointer = &program;
        EmulatedGpu gpu({1, 1, 1 << 16}, {&pointer, 1}, {.lane_groups = 1, .portions = 1});
        gpu.stop();
        gpu.start();
        gpu.stop();
        TaskRegisters task;
        task.operation = Operation::Run;
        task.part_count = 1;
        gpu.unit(0).ring(0, task);
        gpu.start();
        gpu.stop();
        CHECK(gpu.unit(0).is_busy());
        program.tokens.store(1);
        gpu.start();
        while (gpu.unit(0).is_busy()) {
            std::this_thread::yield();
        }
        CHECK(program.tokens == 0);
    }
}

}  // namespace weft::unit
