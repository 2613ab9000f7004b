// test_readme_example.cpp — the example of scheduler/compute/README.md.
#include <doctest/doctest.h>

#include "scheduler/compute/runtime.h"

namespace weft::compute {

namespace {

u32 square(void* const* arguments, u64 first, u64 count) {
    u32* const numbers = static_cast<u32*>(arguments[0]);
    for (u64 i = first; i < first + count; ++i) {
        numbers[i] *= numbers[i];
    }
    return 0;
}

}  // namespace

TEST_CASE("the example of the page squares four numbers") {
    std::vector<u32> values = {1, 2, 3, 4};
    // README example begins
    const Capability cpu = cpu_capability();
    Runtime runtime({});
    const auto device = runtime.attach(std::make_shared<Device>(cpu));
    KernelLibrary& library = runtime.library();
    const Parameter numbers{"numbers", ArgumentType::Buffer, 0, Access::InOut, sizeof(u32)};
    CHECK(library.declare({"square", typeid(ItemsFunction), {numbers}, {}}).is_ok());
    ExecutableRecord record;
    record.kernel = "square";
    record.instruction_set = cpu.instruction_sets.front().name;
    CHECK(library.add(linked_executable(record, &square)).is_ok());

    const auto matched = runtime.match({});  // best first
    const auto context = runtime.create_context(matched.value().front().handle);
    const auto buffer = runtime.create_buffer(context.value(), 4 * sizeof(u32));
    CHECK(runtime.write(buffer.value(), 0, std::as_bytes(std::span(values))).is_ok());
    const auto kernel = runtime.create_kernel(context.value(), "square");
    CHECK(runtime.bind(kernel.value(), "numbers", buffer.value()).is_ok());
    LaunchConfig launch;
    launch.items = {0, 4};
    const auto event = runtime.enqueue(kernel.value(), launch);
    CHECK(runtime.wait(event.value()).is_ok());
    CHECK(runtime.read(buffer.value(), 0, std::as_writable_bytes(std::span(values))).is_ok());
    // README example ends
    CHECK(values == std::vector<u32>{1, 4, 9, 16});
    CHECK(device.is_ok());
}

}  // namespace weft::compute
