// test_objects.cpp — clauses R3 to R5: contexts, buffers and images, kernel arguments.
#include <thread>

#include <doctest/doctest.h>

#include "tests/scheduler/compute/made_up_devices.h"

namespace weft::compute {

TEST_SUITE("scheduler/compute/objects") {
    TEST_CASE("R3 a context lives until its last release and a stale handle is an error") {
        Runtime runtime({});
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const ContextHandle context = context_on(runtime, {"d"});
        CHECK(runtime.count(context) == 1);
        CHECK(runtime.retain(context).is_ok());
        CHECK(runtime.count(context) == 2);
        CHECK(runtime.release(context).is_ok());
        CHECK(runtime.create_buffer(context, 16).is_ok());
        CHECK(runtime.release(context).is_ok());
        const std::string stale = "context: the handle 0.1 is stale: it was released";
        CHECK(sentence(runtime.release(context)) == stale);
        CHECK(sentence(runtime.retain(context)) == stale);
        CHECK(sentence(runtime.create_buffer(context, 16)) == stale);
        CHECK(sentence(runtime.enqueue_program(
                  context, "p", [](auto) { return base::Done{}; }, {})) == stale);
        // A new context in the same place has another handle.
        const ContextHandle next = context_on(runtime, {"d"});
        CHECK(next.place == context.place);
        CHECK_FALSE(next == context);
        CHECK(sentence(runtime.retain(context)) == stale);
        CHECK(sentence(runtime.release(ContextHandle{})) ==
              "context: the handle names none, expected one that was created");
    }

    TEST_CASE("R3 a full table refuses") {
        RuntimeConfig config;
        config.most_contexts = 2;
        Runtime runtime(config);
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        const LogicalHandle device = runtime.match({}).value()[0].handle;
        CHECK(runtime.create_context(device).is_ok());
        CHECK(runtime.create_context(device).is_ok());
        CHECK(sentence(runtime.create_context(device)) ==
              "context: there is room for 2 and all are in use");
    }

    TEST_CASE("R3 counts are right however many threads retain and release") {
        HandleTable<int> table("number", 4);
        const Handle<int> handle = table.create(std::make_shared<int>(7)).value();
        std::vector<std::jthread> threads;
        for (u32 t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (u32 k = 0; k < 1000; ++k) {
                    ENSURE(table.retain(handle).is_ok(), ==, true);
                    ENSURE(*table.find(handle).value(), ==, 7);
                    ENSURE(table.release(handle).is_ok(), ==, true);
                }
            });
        }
        threads.clear();
        CHECK(table.count(handle) == 1);
        CHECK(table.release(handle).is_ok());
        CHECK(table.live().empty());
    }

    TEST_CASE("R4 the host reads back the bytes that it wrote") {
        Buffer buffer(16);
        std::vector<u32> in = {1, 2};
        std::vector<u32> out(4);
        CHECK(sentence(buffer.read(0, writable_bytes_of(out))) ==
              "buffer: it was read before anything was written to it");
        CHECK(buffer.write(8, bytes_of(in)).is_ok());
        CHECK(buffer.read(0, writable_bytes_of(out)).is_ok());
        CHECK(out == std::vector<u32>{0, 0, 1, 2});
        CHECK(sentence(buffer.write(12, bytes_of(in))) ==
              "buffer: bytes 12 to 20 were asked for, it has 16");
        CHECK(sentence(buffer.write(~u64{0}, bytes_of(in))) != "");
    }

    TEST_CASE("R4 every device that is given a copy has the contents and the writer's win") {
        unit::DeviceMemory memory(u64{1} << 20);
        const auto cpu = device_of(made_up("cpu"));
        const auto gpu = std::make_shared<Device>(made_up("gpu", DeviceType::Gpu),
                                                  make_device_memory(memory, u64{1} << 16));
        {
            Buffer buffer(8);
            const std::vector<u32> first = {5, 6};
            REQUIRE(buffer.write(0, bytes_of(first)).is_ok());
            auto* const on_gpu = static_cast<u32*>(buffer.place_on(gpu).value());
            auto* const on_cpu = static_cast<u32*>(buffer.place_on(cpu).value());
            CHECK(memory.owns(on_gpu, 8));
            CHECK_FALSE(memory.owns(on_cpu, 8));
            CHECK(on_gpu[1] == 6);
            CHECK(on_cpu[1] == 6);
            on_gpu[1] = 9;
            buffer.take_written({{gpu.get(), 0, 8}});
            CHECK(buffer.place_on(cpu).value() == on_cpu);
            CHECK(on_cpu[1] == 9);
            // Halves written by two devices become one.
            on_cpu[0] = 20;
            on_gpu[1] = 21;
            buffer.take_written({{cpu.get(), 0, 4}, {gpu.get(), 4, 4}});
            std::vector<u32> out(2);
            REQUIRE(buffer.read(0, writable_bytes_of(out)).is_ok());
            CHECK(out == std::vector<u32>{20, 21});
            CHECK(gpu->memory().used_bytes() > 0);
        }
        CHECK(gpu->memory().used_bytes() == 0);
        CHECK(cpu->memory().used_bytes() == 0);
        CHECK(memory.copied_in_bytes() >= 8);
    }

    TEST_CASE("R4 a buffer that does not fit into a device is a sentence") {
        Capability small = made_up("small");
        small.memory_bytes = 128;
        const auto device = device_of(small);
        Buffer buffer(200);
        CHECK(sentence(buffer.place_on(device)) ==
              "buffer: 200 bytes do not fit into the memory of small, of which 0 of 128 are used");
    }

    TEST_CASE("R4 memory of a device is reused whatever the order of freeing") {
        unit::DeviceMemory memory(u64{1} << 16);
        const auto port = make_device_memory(memory, 1024);
        REQUIRE(port);
        std::vector<void*> taken;
        for (u32 k = 0; k < 4; ++k) {
            taken.push_back(port->take(256));
            REQUIRE(taken.back());
        }
        CHECK(port->take(1) == nullptr);
        for (const u32 k : {1U, 3U, 2U, 0U}) {
            port->give_back(taken[k]);
        }
        CHECK(port->used_bytes() == 0);
        CHECK(port->take(1024) != nullptr);
        CHECK(make_device_memory(memory, u64{1} << 20) == nullptr);
    }

    TEST_CASE("R4 mapped memory is used in place by all devices and may change") {
        const auto gpu = std::make_shared<Device>(made_up("gpu", DeviceType::Gpu),
                                                  make_emulated_memory(u64{1} << 16));
        std::vector<u32> values = {1, 2, 3};
        Buffer buffer(bytes_of(values), std::nullopt, LentAccess::Mapped);
        const auto* const on_gpu = static_cast<const u32*>(buffer.place_on(gpu).value());
        CHECK(on_gpu == values.data());
        CHECK_FALSE(buffer.is_on(*gpu));
        CHECK(gpu->memory().copied_in_bytes() == 0);
        CHECK(gpu->memory().used_bytes() == 0);
        values[2] = 4;
        std::vector<u32> out(1);
        CHECK(buffer.read(8, writable_bytes_of(out)).is_ok());
        CHECK(out[0] == 4);
        CHECK(sentence(buffer.write(0, bytes_of(out))) ==
              "buffer: it is lent, so that only its owner may write it");
    }

    TEST_CASE("R4 lent memory is used in place by the host and copied to other devices") {
        const auto cpu = device_of(made_up("cpu"));
        const auto gpu = std::make_shared<Device>(made_up("gpu", DeviceType::Gpu),
                                                  make_emulated_memory(u64{1} << 16));
        const std::vector<u32> values = {1, 2, 3};
        {
            Buffer buffer(bytes_of(values));
            CHECK(buffer.place_on(cpu).value() == static_cast<const void*>(values.data()));
            const auto* const on_gpu = static_cast<const u32*>(buffer.place_on(gpu).value());
            CHECK(on_gpu != values.data());
            CHECK(on_gpu[2] == 3);
            CHECK(gpu->memory().copied_in_bytes() == 12);
            std::vector<u32> out(3);
            CHECK(buffer.read(0, writable_bytes_of(out)).is_ok());
            CHECK(out == values);
            CHECK(sentence(buffer.write(0, bytes_of(out))) ==
                  "buffer: it is lent, so that only its owner may write it");
        }
        CHECK(cpu->memory().used_bytes() == 0);
        CHECK(gpu->memory().used_bytes() == 0);
        CHECK(gpu->memory().copied_in_bytes() == 12);
    }

    TEST_CASE("R4 memory that no one has written is zero also where it was used before") {
        const std::vector<u32> ones(64, ~0U);
        for (const bool is_host : {false, true}) {
            const auto port = is_host ? make_host_memory(4096) : make_emulated_memory(4096);
            void* const kept = port->take(64);
            void* const used = port->take(256);
            port->copy_in(used, ones.data(), 256);
            port->give_back(used);
            std::vector<u32> out(128, 7);
            void* const again = port->take(512);
            port->copy_out(out.data(), again, 512);
            CHECK(out == std::vector<u32>(128, 0));
            port->give_back(again);
            port->give_back(kept);
            CHECK(port->used_bytes() == 0);
        }
    }

    TEST_CASE("R4 images have a shape and go to devices with images only") {
        Runtime runtime({});
        Capability without = made_up("without");
        without.has_images = false;
        REQUIRE(runtime.attach(device_of(made_up("with"))).is_ok());
        REQUIRE(runtime.attach(device_of(without)).is_ok());
        const ImageShape shape{4, 3, PixelFormat::Rgba32F};
        const auto image = runtime.create_image(context_on(runtime, {"with"}), shape);
        REQUIRE(image.is_ok());
        std::vector<float> pixels(4 * 3 * 4, 0.5f);
        CHECK(runtime.write(image.value(), 0, bytes_of(pixels)).is_ok());
        pixels.push_back(0);
        CHECK_FALSE(runtime.write(image.value(), 0, bytes_of(pixels)).is_ok());
        CHECK(sentence(runtime.create_image(context_on(runtime, {"without"}), shape)) ==
              "image: the device without has no images");
    }

    TEST_CASE("R5 arguments are bound by index or by name and checked for type and size") {
        struct Pair {
            u32 a, b;
        };

        KernelArguments kernel("k",
                               {{"count", ArgumentType::U32, 0, Access::In, 0},
                                {"pair", ArgumentType::Struct, sizeof(Pair), Access::In, 0},
                                {"out", ArgumentType::Buffer, 0, Access::Out, 4},
                                {"map", ArgumentType::Image, 0, Access::In, 0}});
        CHECK(sentence(kernel.check_complete()) ==
              "kernel k: nothing is bound to the parameter count");
        CHECK(kernel.bind(0U, u32{3}).is_ok());
        CHECK(kernel.bind("count", u32{4}).is_ok());
        u32 bound = 0;
        std::memcpy(&bound, kernel.arguments()[0].value.data(), sizeof bound);
        CHECK(bound == 4);
        CHECK(sentence(kernel.bind("count", 4.0f)) ==
              "kernel k: the argument count is of type f32, expected u32");
        CHECK(sentence(kernel.bind("pair", std::array<u32, 3>{})) ==
              "kernel k: the argument pair has 12 bytes, expected 8");
        CHECK(kernel.bind("pair", Pair{1, 2}).is_ok());
        CHECK(sentence(kernel.bind("size", u32{1})) == "kernel k: it has no parameter size");
        CHECK(sentence(kernel.bind(4U, u32{1})) == "kernel k: it has 4 parameters and none at 4");
        CHECK(sentence(kernel.bind_buffer("count", std::make_shared<Buffer>(8))) ==
              "kernel k: the argument count is of type buffer, expected u32");
        CHECK(sentence(kernel.bind_buffer("map", std::make_shared<Buffer>(8))) ==
              "kernel k: the argument map is of type buffer, expected image");
        CHECK(kernel.bind_buffer("out", std::make_shared<Buffer>(8)).is_ok());
        CHECK(kernel
                  .bind_buffer("map",
                               std::make_shared<Buffer>(16, ImageShape{2, 2, PixelFormat::Rgba8}))
                  .is_ok());
        CHECK(kernel.check_complete().is_ok());
    }

    TEST_CASE(
        "R5 a buffer of another element or one that is only lent is refused where it matters") {
        const std::vector<u32> values(3);
        const auto lent = std::make_shared<Buffer>(bytes_of(values));
        KernelArguments kernel("k",
                               {{"table", ArgumentType::Buffer, 8, Access::In, 0},
                                {"words", ArgumentType::Buffer, 4, Access::In, 0},
                                {"out", ArgumentType::Buffer, 0, Access::InOut, 0}});
        CHECK(sentence(kernel.bind_buffer("table", lent)) ==
              "kernel k: the argument table has 12 bytes, expected a multiple of 8");
        CHECK(kernel.bind_buffer("words", lent).is_ok());
        CHECK(sentence(kernel.bind_buffer("out", lent)) ==
              "kernel k: the argument out is lent, but the kernel writes it");
    }

    TEST_CASE("R5 R12 what a kernel object brings to a device outlives the object") {
        Runtime runtime({});
        const auto device = device_of(made_up("d"));
        REQUIRE(runtime.attach(device).is_ok());
        add_kernel(runtime.library(), "scale", &scale);
        const ContextHandle context = context_on(runtime, {"d"});
        const KernelHandle kernel = runtime.create_kernel(context, "scale").value();
        const std::vector<float> in = {1, 2};
        const BufferHandle lent = runtime.lend_buffer(context, bytes_of(in)).value();
        const BufferHandle out = runtime.create_buffer(context, 8).value();
        REQUIRE(runtime.bind(kernel, "in", lent).is_ok());
        REQUIRE(runtime.bind(kernel, "out", out).is_ok());
        CHECK(sentence(runtime.bring(kernel, device)) ==
              "kernel scale: nothing is bound to the parameter factor");
        REQUIRE(runtime.bind(kernel, "factor", 3.0f).is_ok());
        CHECK(sentence(runtime.bring(kernel, device_of(made_up("e")))) ==
              "kernel scale: the device e is not of its context");
        const BroughtKernel brought = runtime.bring(kernel, device).value();
        CHECK(brought.at("in") == static_cast<const void*>(in.data()));
        REQUIRE(runtime.release(kernel).is_ok());
        REQUIRE(runtime.release(lent).is_ok());
        REQUIRE(runtime.release(out).is_ok());
        brought.executable->as<ItemsFunction>()(brought.places.data(), 0, 2);
        CHECK(static_cast<const float*>(brought.at("out"))[1] == 6);
        const ObjectFigures figures = runtime.object_figures();
        CHECK(figures.buffers.created == 2);
        CHECK(figures.buffers.released == 2);
        CHECK(figures.lent == 1);
        CHECK(figures.bound == 2);
        CHECK(figures.kernels.released == 1);
    }

    TEST_CASE("R5 a launch with an argument missing or items beyond a buffer is refused") {
        Runtime runtime({});
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        add_kernel(runtime.library(), "scale", &scale);
        const ContextHandle context = context_on(runtime, {"d"});
        const KernelHandle kernel = runtime.create_kernel(context, "scale").value();
        CHECK(sentence(runtime.enqueue(kernel, {})) ==
              "kernel scale: nothing is bound to the parameter in");
        const BufferHandle buffer = runtime.create_buffer(context, 16).value();
        CHECK(runtime.bind(kernel, "in", buffer).is_ok());
        CHECK(runtime.bind(kernel, "out", buffer).is_ok());
        CHECK(runtime.bind(kernel, "factor", 2.0f).is_ok());
        LaunchConfig launch;
        launch.items = {0, 5};
        CHECK(sentence(runtime.enqueue(kernel, launch)) ==
              "kernel scale: 5 items write 20 bytes of out, which has 16");
        CHECK(sentence(runtime.create_kernel(context, "blur")) ==
              "kernel blur: it is not in the library");
    }
}

}  // namespace weft::compute
