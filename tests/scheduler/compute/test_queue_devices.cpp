// test_queue_devices.cpp — clauses R9 and R10 with threads: the devices that an instance runs on.
#include <thread>

#include <doctest/doctest.h>

#include "tests/scheduler/compute/queue_stage.h"

namespace weft::compute {

TEST_SUITE("scheduler/compute/queue_devices") {
    TEST_CASE("R9 a large launch runs on several devices each with its own executable") {
        for (const u32 threads : kThreadCounts) {
            Runtime runtime(with_threads(threads));
            unit::DeviceMemory memory(u64{1} << 20);
            std::array<std::atomic<u64>, 2> done{};
            std::array<std::string, 2> sets;
            Capability wide = made_up("wide", DeviceType::Gpu);
            wide.instruction_sets = {{"avx512", "fma", 512, 16}};
            const auto launcher = [&](std::size_t place) {
                return [&, place](
                           const Executable& executable, void* const* arguments, ItemRange range) {
                    done[place] += range.count;
                    sets[place] = executable.record().instruction_set;
                    return executable.as<ItemsFunction>()(arguments, range.first, range.count);
                };
            };
            REQUIRE(runtime.attach(std::make_shared<Device>(made_up("cpu"), nullptr, launcher(0)))
                        .is_ok());
            REQUIRE(runtime
                        .attach(std::make_shared<Device>(
                            wide, make_device_memory(memory, u64{1} << 19), launcher(1)))
                        .is_ok());
            add_kernel(runtime.library(),
                       "scale",
                       &scale,
                       {DeviceType::Cpu, DeviceType::Gpu},
                       {"avx2", "avx512"});
            const ContextHandle context = context_on(runtime, {"cpu", "wide"});
            const BufferHandle in = filled_buffer(runtime, context, 3001, 2);
            const BufferHandle out = runtime.create_buffer(context, 3001 * sizeof(float)).value();
            const KernelHandle kernel = bound_kernel(runtime, context, "scale", in, out, 4);
            LaunchConfig launch = items(3001);
            launch.may_split = true;
            launch.least_items = 100;
            const EventHandle event = runtime.enqueue(kernel, launch).value();
            CHECK(runtime.wait(event).is_ok());
            CHECK(contents(runtime, out, 3001) == std::vector<float>(3001, 8.0f));
            CHECK(done[0] + done[1] == 3001);
            CHECK(done[0] >= 100);
            CHECK(done[1] >= 100);
            CHECK(sets[0] == "avx2");
            CHECK(sets[1] == "avx512");
            CHECK(runtime.look(event).value().devices == "wide + cpu");
            CHECK(runtime.queue_figures().split == 1);
        }
    }

    TEST_CASE("R9 while a device is full the next instance goes to another") {
        const OnStage on;
        Runtime runtime(with_threads(3));
        Capability better = made_up("better");
        better.units = 100;
        REQUIRE(runtime.attach(device_of(better)).is_ok());
        REQUIRE(runtime.attach(device_of(made_up("other"))).is_ok());
        add_kernel(runtime.library(), "gate", &scale_at_gate);
        const ContextHandle context = context_on(runtime, {"better", "other"});
        const BufferHandle in = filled_buffer(runtime, context, 4, 1);
        std::vector<EventHandle> events;
        for (u32 k = 0; k < 2; ++k) {
            const BufferHandle out = runtime.create_buffer(context, 16).value();
            const KernelHandle kernel = bound_kernel(runtime, context, "gate", in, out, 1);
            events.push_back(runtime.enqueue(kernel, items(4)).value());
            stage->gate.wait_for(k + 1);
        }
        CHECK(runtime.look(events[0]).value().devices == "better");
        CHECK(runtime.look(events[1]).value().devices == "other");
        CHECK(runtime.devices()[0].state.running == 1);
        CHECK(runtime.devices()[1].state.running == 1);
        stage->gate.open();
        CHECK(runtime.wait(events[0]).is_ok());
        CHECK(runtime.wait(events[1]).is_ok());
        CHECK(runtime.devices()[0].state.running == 0);
    }

    TEST_CASE("R9 an instance whose devices were all detached fails with a sentence") {
        for (const u32 threads : {0U, 2U}) {
            Runtime runtime(with_threads(threads));
            const DeviceHandle device = runtime.attach(device_of(made_up("d"))).value();
            const ContextHandle context = context_on(runtime, {"d"});
            REQUIRE(runtime.detach(device).is_ok());
            const EventHandle event =
                runtime.enqueue_program(context, "p", wait_at_gate, {}).value();
            CHECK(sentence(runtime.wait(event)) ==
                  "kernel p: no device runs it: its device was detached");
        }
    }

    TEST_CASE("R10 while the GPU draws its instances run on the processor with the same result") {
        for (const u32 threads : kThreadCounts) {
            Runtime runtime(with_threads(threads));
            unit::DeviceMemory memory(u64{1} << 20);
            REQUIRE(runtime.attach(device_of(made_up("cpu"))).is_ok());
            const DeviceHandle gpu =
                runtime
                    .attach(std::make_shared<Device>(made_up("gpu", DeviceType::Gpu),
                                                     make_device_memory(memory, u64{1} << 19)))
                    .value();
            add_kernel(runtime.library(), "scale", &scale, {DeviceType::Cpu, DeviceType::Gpu});
            const ContextHandle context = context_on(runtime, {"gpu"});
            const BufferHandle in = filled_buffer(runtime, context, 100, 3);
            for (const bool is_drawing : {false, true, false}) {
                REQUIRE(runtime.set_drawing(gpu, is_drawing).is_ok());
                const BufferHandle out = runtime.create_buffer(context, 400).value();
                const KernelHandle kernel = bound_kernel(runtime, context, "scale", in, out, 2);
                const EventHandle event = runtime.enqueue(kernel, items(100)).value();
                CHECK(runtime.wait(event).is_ok());
                CHECK(runtime.look(event).value().devices == (is_drawing ? "cpu" : "gpu"));
                CHECK(contents(runtime, out, 100) == std::vector<float>(100, 6.0f));
            }
            CHECK(runtime.queue_figures().stood_in == 1);
        }
    }

    TEST_CASE("R10 a program on both devices is given the processor alone while the GPU draws") {
        Runtime runtime(with_threads(1));
        REQUIRE(runtime.attach(device_of(made_up("cpu"))).is_ok());
        const DeviceHandle gpu = runtime.attach(device_of(made_up("gpu", DeviceType::Gpu))).value();
        const ContextHandle context = context_on(runtime, {"cpu", "gpu"});
        for (const bool is_drawing : {false, true}) {
            REQUIRE(runtime.set_drawing(gpu, is_drawing).is_ok());
            std::size_t given = 0;
            const auto count = [&](std::span<const DevicePointer> devices) -> base::Status {
                given = devices.size();
                return base::Done{};
            };
            CHECK(runtime.wait(runtime.enqueue_program(context, "p", count, {}).value()).is_ok());
            CHECK(given == (is_drawing ? 1 : 2));
        }
    }
}

}  // namespace weft::compute
