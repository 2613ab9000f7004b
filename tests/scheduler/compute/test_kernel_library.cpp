// test_kernel_library.cpp — clauses R6 and R7: records of executables, and the choice for a device.
#include <doctest/doctest.h>

#include "tests/scheduler/compute/made_up_devices.h"

namespace weft::compute {

namespace {

u32 other(void* const* /*arguments*/, u64 /*first*/, u64 /*count*/) {
    return 1;
}

ExecutableRecord record_of(const std::string& set, const std::string& options = {}) {
    ExecutableRecord record;
    record.kernel = "k";
    record.instruction_set = set;
    record.options = options;
    return record;
}

std::string chosen(const KernelLibrary& library, const Capability& device, const Wish& wish) {
    const auto loaded = library.choose("k", device, wish);
    return loaded.is_ok() ? loaded.value().executable->record().instruction_set + "/" +
                                loaded.value().executable->record().options
                          : loaded.error().sentence;
}

}  // namespace

TEST_SUITE("scheduler/compute/kernel_library") {
    TEST_CASE("R6 an executable carries what it was built for") {
        KernelLibrary library;
        add_kernel(library, "k", &scale);
        const auto listed = library.list("k", made_up("d"), {});
        REQUIRE(listed.size() == 2);
        CHECK(listed[0].record.kernel == "k");
        CHECK(listed[0].record.type == DeviceType::Cpu);
        CHECK(listed[0].record.instruction_set == "avx2");
        CHECK(listed[0].record.origin == Origin::Linked);
        CHECK(library.kernel_names() == std::vector<std::string>{"k"});
        CHECK(library.parameters("k").value().size() == 3);
    }

    TEST_CASE("R6 a newer executable for the same takes the place of the old one") {
        KernelLibrary library;
        add_kernel(library, "k", &scale);
        CHECK(library.add(linked_executable(record_of("avx2"), &other)).is_ok());
        CHECK(library.list("k", made_up("d"), {}).size() == 2);
        CHECK((library.choose("k", made_up("d"), {}).value().executable->as<ItemsFunction>() ==
               &other));
    }

    TEST_CASE("R6 unknown kernels and other function types are refused") {
        KernelLibrary library;
        add_kernel(library, "k", &scale);
        ExecutableRecord unknown = record_of("avx2");
        unknown.kernel = "u";
        CHECK(sentence(library.add(linked_executable(unknown, &scale))) ==
              "kernel u: it is not declared");
        CHECK(sentence(library.add(linked_executable(
                  record_of("avx2"), +[](int) {}))) ==
              "kernel k: an executable is of another function type than was declared");
        CHECK(sentence(library.declare({"k", typeid(ItemsFunction), {}, {}})) ==
              "kernel k: it was declared already");
    }

    TEST_CASE("R7 each device gets the best executable that it can run") {
        KernelLibrary library;
        add_kernel(library, "k", &scale, {DeviceType::Cpu}, {"sse4", "avx512", "avx2"});
        Capability device = made_up("d");
        CHECK(chosen(library, device, {}) == "avx2/");
        device.instruction_sets = {{"avx512", "fma", 512, 16}, {"avx2", "fma", 256, 8}};
        CHECK(chosen(library, device, {}) == "avx512/");
        device.instruction_sets = {{"sse4", "sse4", 128, 4}};
        CHECK(chosen(library, device, {}) == "sse4/");
    }

    TEST_CASE("R7 a forced instruction set and a class are kept to") {
        KernelLibrary library;
        add_kernel(library, "k", &scale, {DeviceType::Cpu}, {"sse4", "avx512", "avx2"});
        const Capability device = made_up("d");
        CHECK(chosen(library, device, {"", "sse4", ""}) == "sse4/");
        CHECK(chosen(library, device, {"sse4", "", ""}) == "sse4/");
        CHECK(chosen(library, device, {"", "avx512", ""}) ==
              "kernel k: device d has no executable; looked for avx512, found sse4: avx512 is "
              "forced; avx512: the device does not run avx512; avx2: avx512 is forced");
        Capability gpu = made_up("g", DeviceType::Gpu);
        CHECK(chosen(library, gpu, {"fma", "", ""}) ==
              "kernel k: device g has no executable; looked for avx2 of the class fma, found "
              "sse4: it was built for a cpu; avx512: it was built for a cpu; avx2: it was built "
              "for a cpu");
    }

    TEST_CASE("R7 options wished for are preferred and others are never used") {
        KernelLibrary library;
        add_kernel(library, "k", &scale);
        REQUIRE(library.add(linked_executable(record_of("avx2", "F=1"), &scale)).is_ok());
        REQUIRE(library.add(linked_executable(record_of("sse4", "F=2"), &scale)).is_ok());
        const Capability device = made_up("d");
        CHECK(chosen(library, device, {"", "", "F=1"}) == "avx2/F=1");
        CHECK(library.choose("k", device, {"", "", "F=1"}).value().is_optimal);
        // Wider lanes count for more than options.
        CHECK(chosen(library, device, {"", "", "F=2"}) == "avx2/");
        CHECK_FALSE(library.choose("k", device, {"", "", "F=2"}).value().is_optimal);
        CHECK(chosen(library, device, {"", "", "F=3"}) == "avx2/");
        CHECK(library.choose("k", device, {"", "", "F=1"}).value().reason ==
              "avx2 is the best instruction set that the device runs; specialised to F=1");
    }

    TEST_CASE(
        "R7 without a source a compatible executable is used and an incompatible one is an error") {
        KernelLibrary library;
        add_kernel(library, "k", &scale, {DeviceType::Cpu}, {"sse4"});
        const auto loaded = library.load("k", made_up("d"), {});
        REQUIRE(loaded.is_ok());
        CHECK_FALSE(loaded.value().is_optimal);
        CHECK(loaded.value().reason == "the device runs better ones than sse4");
        CHECK_FALSE(library.load("k", made_up("d"), {"fma", "", ""}).is_ok());
    }
}

}  // namespace weft::compute
