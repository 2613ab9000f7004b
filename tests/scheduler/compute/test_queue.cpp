// test_queue.cpp — clauses R8, R11 and R12 with threads: order, dependencies, events, errors, and
// releases in flight.
#include <thread>

#include <doctest/doctest.h>

#include "tests/scheduler/compute/queue_stage.h"

namespace weft::compute {

TEST_SUITE("scheduler/compute/queue") {
    TEST_CASE("R8 the instance of highest priority goes first and equals go in order") {
        const OnStage on;
        Runtime runtime(with_threads(1));
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        const EventHandle first =
            runtime.enqueue_program(context, "gate", wait_at_gate, {}).value();
        stage->gate.wait_for(1);
        std::vector<EventHandle> events = {first};
        for (const i32 priority : {0, 5, -1, 5, 9}) {
            LaunchConfig launch;
            launch.priority = priority;
            const auto number = static_cast<u32>(events.size());
            events.push_back(
                runtime.enqueue_program(context, "mark", mark(number), launch).value());
        }
        stage->gate.open();
        for (const EventHandle event : events) {
            CHECK(runtime.wait(event).is_ok());
        }
        CHECK(stage->order == std::vector<u32>{5, 2, 4, 1, 3});
    }

    TEST_CASE("R8 an instance runs after the events it follows whatever its priority") {
        for (const u32 threads : kThreadCounts) {
            const OnStage on;
            Runtime runtime(with_threads(threads));
            REQUIRE(runtime.attach(device_of(made_up("d"), 4)).is_ok());
            const ContextHandle context = context_on(runtime, {"d"});
            std::vector<EventHandle> events;
            for (u32 k = 0; k < 20; ++k) {
                LaunchConfig launch;
                launch.priority = static_cast<i32>(k);
                if (k > 0) {
                    launch.follows = {events.back()};
                }
                events.push_back(runtime.enqueue_program(context, "mark", mark(k), launch).value());
            }
            CHECK(runtime.wait(events.back()).is_ok());
            REQUIRE(stage->order.size() == 20);
            CHECK(std::is_sorted(stage->order.begin(), stage->order.end()));
        }
    }

    TEST_CASE("R8 an instance waits for the writer of a buffer that it reads") {
        for (const u32 threads : kThreadCounts) {
            Runtime runtime(with_threads(threads));
            REQUIRE(runtime.attach(device_of(made_up("a"), 4)).is_ok());
            REQUIRE(runtime.attach(device_of(made_up("b"), 4)).is_ok());
            add_kernel(runtime.library(), "scale", &scale);
            const ContextHandle context = context_on(runtime, {"a", "b"});
            // A chain back and forth: reading after writing, writing after reading.
            const BufferHandle x = filled_buffer(runtime, context, 64, 1);
            const BufferHandle y = runtime.create_buffer(context, 256).value();
            const KernelHandle there = bound_kernel(runtime, context, "scale", x, y, 2);
            const KernelHandle back = bound_kernel(runtime, context, "scale", y, x, 3);
            LaunchConfig launch = items(64);
            launch.may_split = true;
            EventHandle last;
            for (u32 k = 0; k < 8; ++k) {
                CHECK(runtime.enqueue(there, launch).is_ok());
                last = runtime.enqueue(back, launch).value();
            }
            CHECK(runtime.wait(last).is_ok());
            CHECK(contents(runtime, x, 64) == std::vector<float>(64, 1679616.0f));  // 6^8
            CHECK(runtime.queue_figures().dependencies >= (threads == 0 ? 15 : 0));
        }
    }

    TEST_CASE("R8 two writers of one buffer run in the order they were enqueued") {
        for (const u32 threads : kThreadCounts) {
            Runtime runtime(with_threads(threads));
            REQUIRE(runtime.attach(device_of(made_up("d"), 8)).is_ok());
            add_kernel(runtime.library(), "scale", &scale);
            const ContextHandle context = context_on(runtime, {"d"});
            const BufferHandle in = filled_buffer(runtime, context, 4, 1);
            const BufferHandle out = runtime.create_buffer(context, 16).value();
            EventHandle last;
            for (u32 k = 1; k <= 10; ++k) {
                LaunchConfig launch = items(4);
                launch.priority = static_cast<i32>(k);
                const auto factor = static_cast<float>(k);
                const KernelHandle kernel =
                    bound_kernel(runtime, context, "scale", in, out, factor);
                last = runtime.enqueue(kernel, launch).value();
            }
            CHECK(runtime.wait(last).is_ok());
            CHECK(contents(runtime, out, 4) == std::vector<float>(4, 10.0f));
        }
    }

    TEST_CASE("R8 a full queue refuses") {
        const OnStage on;
        RuntimeConfig config = with_threads(1);
        config.queue.most_open = 2;
        Runtime runtime(config);
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        CHECK(runtime.enqueue_program(context, "a", wait_at_gate, {}).is_ok());
        CHECK(runtime.enqueue_program(context, "b", wait_at_gate, {}).is_ok());
        CHECK(sentence(runtime.enqueue_program(context, "c", wait_at_gate, {})) ==
              "kernel c: the queue holds 2 instances, and no more are taken");
        stage->gate.open();
    }

    TEST_CASE("R11 enqueueing does not wait and events tell the state and the times") {
        const OnStage on;
        Runtime runtime(with_threads(1));
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        const EventHandle a = runtime.enqueue_program(context, "a", wait_at_gate, {}).value();
        const EventHandle b = runtime.enqueue_program(context, "b", mark(1), {}).value();
        stage->gate.wait_for(1);
        CHECK(runtime.look(a).value().state == EventState::Running);
        CHECK(runtime.look(a).value().ended_ns == 0);
        CHECK(runtime.look(b).value().state == EventState::Waiting);
        CHECK(runtime.look(b).value().started_ns == 0);
        stage->gate.open();
        CHECK(runtime.wait(b).is_ok());
        const Event ended = runtime.look(b).value();
        CHECK(ended.state == EventState::Done);
        CHECK(ended.enqueued_ns <= ended.started_ns);
        CHECK(ended.started_ns <= ended.ended_ns);
        CHECK(runtime.release(b).is_ok());
        CHECK(sentence(runtime.look(b)) != "");
        CHECK(sentence(runtime.wait(b)) != "");
    }

    TEST_CASE("R11 errors arrive on the event and on those that follow it and on no other") {
        for (const u32 threads : kThreadCounts) {
            Runtime runtime(with_threads(threads));
            REQUIRE(runtime.attach(device_of(made_up("d"), 4)).is_ok());
            add_kernel(runtime.library(), "scale", &scale);
            add_kernel(runtime.library(), "fail", &fail);
            const ContextHandle context = context_on(runtime, {"d"});
            const BufferHandle in = filled_buffer(runtime, context, 4, 1);
            const BufferHandle broken = runtime.create_buffer(context, 16).value();
            const BufferHandle after = runtime.create_buffer(context, 16).value();
            const BufferHandle other = runtime.create_buffer(context, 16).value();
            const EventHandle failed =
                runtime.enqueue(bound_kernel(runtime, context, "fail", in, broken, 7), items(4))
                    .value();
            const EventHandle follower =
                runtime.enqueue(bound_kernel(runtime, context, "scale", broken, after, 1), items(4))
                    .value();
            const EventHandle free =
                runtime.enqueue(bound_kernel(runtime, context, "scale", in, other, 5), items(4))
                    .value();
            CHECK(sentence(runtime.wait(failed)) == "kernel fail: error code 7 on d");
            CHECK(runtime.wait(free).is_ok());
            CHECK(contents(runtime, other, 4) == std::vector<float>(4, 5.0f));
            LaunchConfig late;
            late.follows = {failed};
            const EventHandle too_late =
                runtime.enqueue_program(context, "late", mark(0), late).value();
            CHECK(sentence(runtime.wait(too_late)) ==
                  "kernel late: it did not run because a predecessor failed");
            // It may have been enqueued after the failure, and then finds the buffer as it was.
            const std::string said = sentence(runtime.wait(follower));
            CHECK((said.empty() || said.find("it did not run") != std::string::npos));
            CHECK(runtime.queue_figures().failed >= 2);
        }
    }

    TEST_CASE("R11 a long chain fails from its first to its last") {
        const OnStage on;
        RuntimeConfig config = with_threads(1);
        config.queue.most_open = 5000;
        Runtime runtime(config);
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        std::vector<EventHandle> events;
        const auto fails = [](std::span<const DevicePointer>) -> base::Status {
            stage->gate.pass();
            return base::Error{base::ErrorKind::Render, "it was to fail"};
        };
        events.push_back(runtime.enqueue_program(context, "first", fails, {}).value());
        for (u32 k = 1; k < 4000; ++k) {
            LaunchConfig launch;
            launch.follows = {events.back()};
            events.push_back(runtime.enqueue_program(context, "next", mark(k), launch).value());
        }
        stage->gate.open();
        CHECK(sentence(runtime.wait(events.back())) != "");
        CHECK(stage->order.empty());
        CHECK(runtime.queue_figures().failed == 4000);
    }

    TEST_CASE("R11 an exception of a kernel arrives on its event") {
        Runtime runtime(with_threads(2));
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        add_kernel(runtime.library(), "throws", &throws);
        const ContextHandle context = context_on(runtime, {"d"});
        const BufferHandle in = filled_buffer(runtime, context, 4, 1);
        const BufferHandle out = runtime.create_buffer(context, 16).value();
        const KernelHandle kernel = bound_kernel(runtime, context, "throws", in, out, 1);
        CHECK(sentence(runtime.wait(runtime.enqueue(kernel, items(4)).value())) ==
              "kernel throws: it threw: no luck");
        CHECK(runtime.devices()[0].state.running == 0);
    }

    TEST_CASE("R11 a buffer in use is refused to the host until the event has ended") {
        const OnStage on;
        Runtime runtime(with_threads(1));
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        add_kernel(runtime.library(), "gate", &scale_at_gate);
        const ContextHandle context = context_on(runtime, {"d"});
        const BufferHandle in = filled_buffer(runtime, context, 4, 1);
        const BufferHandle out = filled_buffer(runtime, context, 4, 0);
        const KernelHandle kernel = bound_kernel(runtime, context, "gate", in, out, 3);
        const EventHandle event = runtime.enqueue(kernel, items(4)).value();
        stage->gate.wait_for(1);
        std::vector<float> values(4);
        CHECK(sentence(runtime.read(out, 0, writable_bytes_of(values))) ==
              "buffer: 1 instances that are queued or running use it: wait for their events first");
        CHECK_FALSE(runtime.write(in, 0, bytes_of(values)).is_ok());
        stage->gate.open();
        CHECK(runtime.wait(event).is_ok());
        CHECK(contents(runtime, out, 4) == std::vector<float>(4, 3.0f));
    }

    TEST_CASE("R12 kernel and buffers and context released in flight still finish the launch") {
        const OnStage on;
        Runtime runtime(with_threads(1));
        const DeviceHandle device = runtime.attach(device_of(made_up("d"))).value();
        add_kernel(runtime.library(), "gate", &scale_at_gate);
        const ContextHandle context = context_on(runtime, {"d"});
        const BufferHandle in = filled_buffer(runtime, context, 4, 1);
        const BufferHandle out = runtime.create_buffer(context, 16).value();
        const KernelHandle kernel = bound_kernel(runtime, context, "gate", in, out, 3);
        const EventHandle running = runtime.enqueue(kernel, items(4)).value();
        const EventHandle waiting = runtime.enqueue(kernel, items(4)).value();
        stage->gate.wait_for(1);
        // Arguments bound now are of the next launch only.
        CHECK(runtime.bind(kernel, "factor", 100.0f).is_ok());
        CHECK(runtime.release(kernel).is_ok());
        CHECK(runtime.release(in).is_ok());
        CHECK(runtime.release(context).is_ok());
        CHECK(sentence(runtime.enqueue(kernel, items(4))) ==
              "kernel: the handle 0.1 is stale: it was released");
        stage->gate.open();
        CHECK(runtime.wait(running).is_ok());
        CHECK(runtime.wait(waiting).is_ok());
        CHECK(contents(runtime, out, 4) == std::vector<float>(4, 3.0f));
        CHECK(runtime.detach(device).is_ok());
    }

    TEST_CASE("R8 a program that needs no device runs while all devices are full") {
        const OnStage on;
        Runtime runtime(with_threads(2));
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        const auto pass = [](std::span<const DevicePointer>) -> base::Status {
            stage->gate.pass();
            return base::Done{};
        };
        const EventHandle full = runtime.enqueue_program(context, "full", pass, {}).value();
        stage->gate.wait_for(1);
        LaunchConfig on_host;
        on_host.needs_device = false;
        u64 devices = 1;
        const auto count = [&](std::span<const DevicePointer> given) -> base::Status {
            devices = given.size();
            return base::Done{};
        };
        const EventHandle file = runtime.enqueue_program(context, "file", count, on_host).value();
        CHECK(runtime.wait(file).is_ok());
        CHECK(devices == 0);
        // Another one follows the program that holds the device.
        on_host.follows = {full};
        const EventHandle after = runtime.enqueue_program(context, "after", count, on_host).value();
        CHECK(runtime.look(after).value().state == EventState::Waiting);
        stage->gate.open();
        CHECK(runtime.wait(after).is_ok());
        CHECK(runtime.queue_figures().followers == 1);
    }

    TEST_CASE("R12 a program keeps the kernel objects that it calls until it ends") {
        const OnStage on;
        Runtime runtime(with_threads(1));
        const auto device = device_of(made_up("d"));
        REQUIRE(runtime.attach(device).is_ok());
        add_kernel(runtime.library(), "scale", &scale);
        const ContextHandle context = context_on(runtime, {"d"});
        const BufferHandle in = filled_buffer(runtime, context, 4, 1);
        const BufferHandle out = runtime.create_buffer(context, 16).value();
        const KernelHandle kernel = bound_kernel(runtime, context, "scale", in, out, 3);
        REQUIRE(runtime.bring(kernel, device).is_ok());
        const u64 used_bytes = device->memory().used_bytes();
        LaunchConfig launch;
        launch.calls = {kernel};
        const auto pass = [](std::span<const DevicePointer>) -> base::Status {
            stage->gate.pass();
            return base::Done{};
        };
        const EventHandle event = runtime.enqueue_program(context, "p", pass, launch).value();
        stage->gate.wait_for(1);
        CHECK(runtime.release(kernel).is_ok());
        CHECK(runtime.release(in).is_ok());
        CHECK(runtime.release(out).is_ok());
        CHECK(device->memory().used_bytes() == used_bytes);
        CHECK_FALSE(runtime.enqueue_program(context, "p", pass, launch).is_ok());
        stage->gate.open();
        CHECK(runtime.wait(event).is_ok());
    }

    TEST_CASE("R12 closing the runtime finishes running launches and fails the others") {
        for (const u32 threads : kThreadCounts) {
            std::atomic<u32> ran{0};
            {
                Runtime runtime(with_threads(threads));
                REQUIRE(runtime.attach(device_of(made_up("d"), 4)).is_ok());
                const ContextHandle context = context_on(runtime, {"d"});
                for (u32 k = 0; k < 50; ++k) {
                    REQUIRE(
                        runtime
                            .enqueue_program(context,
                                             "p",
                                             [&](std::span<const DevicePointer>) -> base::Status {
                                                 ++ran;
                                                 return base::Done{};
                                             },
                                             {})
                            .is_ok());
                }
            }
            CHECK(ran <= 50);
        }
    }

    TEST_CASE("many threads enqueue and release at once and every launch runs exactly once") {
        for (const u32 threads : {1U, 2U, 8U}) {
            Runtime runtime(with_threads(threads));
            REQUIRE(runtime.attach(device_of(made_up("a"), 2)).is_ok());
            REQUIRE(runtime.attach(device_of(made_up("b"), 2)).is_ok());
            add_kernel(runtime.library(), "scale", &scale);
            const ContextHandle context = context_on(runtime, {"a", "b"});
            std::vector<std::jthread> users;
            for (u32 t = 0; t < 4; ++t) {
                users.emplace_back([&] {
                    for (u32 k = 0; k < 30; ++k) {
                        const BufferHandle in = filled_buffer(runtime, context, 50, 1);
                        const BufferHandle out = runtime.create_buffer(context, 200).value();
                        const KernelHandle kernel =
                            bound_kernel(runtime, context, "scale", in, out, 2);
                        LaunchConfig launch = items(50);
                        launch.may_split = k % 2 == 0;
                        launch.priority = static_cast<i32>(k % 3);
                        const EventHandle event = runtime.enqueue(kernel, launch).value();
                        ENSURE(runtime.release(kernel).is_ok(), ==, true);
                        ENSURE(runtime.release(in).is_ok(), ==, true);
                        ENSURE(runtime.wait(event).is_ok(), ==, true);
                        ENSURE(
                            (contents(runtime, out, 50) == std::vector<float>(50, 2.0f)), ==, true);
                        ENSURE(runtime.release(out).is_ok(), ==, true);
                        ENSURE(runtime.release(event).is_ok(), ==, true);
                    }
                });
            }
            users.clear();
            const QueueFigures figures = runtime.queue_figures();
            CHECK(figures.enqueued == 120);
            CHECK(figures.ended == 120);
            CHECK(figures.failed == 0);
            for (const ListedDevice& device : runtime.devices()) {
                CHECK(device.state.running == 0);
                CHECK(device.state.memory_used_bytes == 0);
            }
        }
    }
}

}  // namespace weft::compute
