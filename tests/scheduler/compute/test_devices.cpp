// test_devices.cpp — clauses R1 and R2: the list of devices, and their match with requirements.
#include <thread>

#include <doctest/doctest.h>

#include "tests/scheduler/compute/made_up_devices.h"

namespace weft::compute {

namespace {

std::vector<const Capability*> records_of(const std::vector<Capability>& capabilities) {
    std::vector<const Capability*> records;
    for (const Capability& capability : capabilities) {
        records.push_back(&capability);
    }
    return records;
}

}  // namespace

TEST_SUITE("scheduler/compute/devices") {
    TEST_CASE("R1 the processor of this machine has a record that can be true") {
        const Capability cpu = cpu_capability();
        CHECK(cpu.type == DeviceType::Cpu);
        CHECK_FALSE(cpu.vendor.empty());
        CHECK(cpu.units == std::max(1U, std::thread::hardware_concurrency()));
        CHECK(cpu.memory_bytes > u64{1} << 28);
        REQUIRE_FALSE(cpu.instruction_sets.empty());
        for (const InstructionSet& set : cpu.instruction_sets) {
            CHECK(set.lanes * 32 == set.simd_bits);
            CHECK(cpu.has_extension(set.name));
            CHECK((set.arithmetic_class == "fma") == (set.name != "sse4"));
        }
        // x86-64-v2 is what the program itself is compiled for.
        CHECK(cpu.instruction_sets.back().name == "sse4");
    }

    TEST_CASE("R1 the emulated GPU runs 32 lanes of the class fma in memory of its own") {
        const Capability gpu = emulated_gpu_capability({3, 4096, 64});
        CHECK(gpu.type == DeviceType::Gpu);
        CHECK(gpu.units == 3);
        CHECK(gpu.memory_bytes == 4096);
        CHECK(gpu.local_memory_bytes == 64);
        CHECK(gpu.is_emulated);
        for (const InstructionSet& set : gpu.instruction_sets) {
            CHECK(set.lanes == 32);
            CHECK(set.arithmetic_class == "fma");
        }
    }

    TEST_CASE("R1 attaching and detaching a device updates the list") {
        Runtime runtime({});
        CHECK(runtime.devices().empty());
        const DeviceHandle a = runtime.attach(device_of(made_up("a"))).value();
        const u64 revision = runtime.device_revision();
        const DeviceHandle b = runtime.attach(device_of(made_up("b"))).value();
        CHECK(runtime.device_revision() > revision);
        REQUIRE(runtime.devices().size() == 2);
        CHECK(runtime.devices()[1].capability.name == "b");
        CHECK(runtime.devices()[1].handle == b);
        CHECK(runtime.detach(a).is_ok());
        REQUIRE(runtime.devices().size() == 1);
        CHECK(runtime.devices()[0].capability.name == "b");
        CHECK(sentence(runtime.detach(a)) == "device: the handle 0.1 is stale: it was released");
    }

    TEST_CASE("R2 groups that match come best score first and say why") {
        std::vector<Capability> devices = {made_up("small"), made_up("large"), made_up("old")};
        devices[1].units = 8;
        devices[2].instruction_sets = {{"sse4", "sse4", 128, 4}};
        Requirements needs;
        needs.arithmetic_class = "fma";
        const auto groups = match_groups(needs, records_of(devices));
        REQUIRE(groups.size() == 2);
        CHECK(groups[0].members == std::vector<u32>{1});
        CHECK(groups[0].score == 64);
        CHECK(groups[0].reason == "8 units x 8 lanes (avx2)");
        CHECK(groups[1].members == std::vector<u32>{0});
        CHECK(judge(needs, devices[2]).reason == "it runs nothing of the arithmetic class fma");
    }

    TEST_CASE("R2 an identifier may stand for several devices of one arithmetic class") {
        std::vector<Capability> devices = {made_up("a"), made_up("b"), made_up("old")};
        devices[2].instruction_sets = {{"sse4", "sse4", 128, 4}};
        Requirements needs;
        needs.may_split = true;
        const auto groups = match_groups(needs, records_of(devices));
        REQUIRE(groups.size() == 4);
        CHECK(groups[0].members == std::vector<u32>{0, 1});
        CHECK(groups[0].arithmetic_class == "fma");
        CHECK(groups[0].score > groups[1].score);
        for (const MatchGroup& group : groups) {
            CHECK((group.members == std::vector<u32>{2} || group.arithmetic_class == "fma"));
        }
    }

    TEST_CASE("R2 every requirement refuses a device that lacks it with its reason") {
        const Capability device = made_up("d");

        struct Case {
            Requirements needs;
            const char* reason;
        };

        std::vector<Case> cases(9);
        cases[0] = {{}, "it is a cpu, expected a gpu"};
        cases[0].needs.type = DeviceType::Gpu;
        cases[1] = {{}, "8 lanes, expected at least 16"};
        cases[1].needs.least_lanes = 16;
        cases[2] = {{}, "2 units, expected at least 3"};
        cases[2].needs.least_units = 3;
        cases[3] = {{}, "16 MiB of memory, expected at least 32 MiB"};
        cases[3].needs.least_memory_bytes = u64{1} << 25;
        cases[4] = {{}, "1 MiB of local memory, expected at least 2 MiB"};
        cases[4].needs.least_local_memory_bytes = u64{1} << 21;
        cases[5] = {{}, "it has no double precision"};
        cases[5].needs.needs_double = true;
        cases[6] = {{}, "it lacks the extension warp"};
        cases[6].needs.extensions = {"warp"};
        cases[7] = {{}, "it does not run avx512"};
        cases[7].needs.instruction_set = "avx512";
        cases[8] = {{}, "sse4 is of the arithmetic class sse4, expected fma"};
        cases[8].needs.instruction_set = "sse4";
        cases[8].needs.arithmetic_class = "fma";
        for (const Case& c : cases) {
            CHECK_FALSE(judge(c.needs, device).is_match);
            CHECK(judge(c.needs, device).reason == c.reason);
        }
        CHECK(judge({}, device).is_match);
    }

    TEST_CASE("R2 every named device must be in the group") {
        const std::vector<Capability> devices = {made_up("a"), made_up("b"), made_up("c")};
        Requirements needs;
        needs.may_split = true;
        needs.names = {"a", "c"};
        const auto groups = match_groups(needs, records_of(devices));
        REQUIRE(groups.size() == 1);
        CHECK(groups[0].members == std::vector<u32>{0, 2});
        needs.names = {"a", "d"};
        CHECK(match_groups(needs, records_of(devices)).empty());
    }

    TEST_CASE("R2 a runtime without a match says what each device lacks") {
        Runtime runtime({});
        Requirements needs;
        CHECK(sentence(runtime.match(needs)) ==
              "no device meets the requirements: none is attached");
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        needs.least_lanes = 64;
        CHECK(sentence(runtime.match(needs)) ==
              "no device meets the requirements: d: 8 lanes, expected at least 64");
    }

    TEST_CASE("R2 what is emulated comes after all that would serve by itself") {
        std::vector<Capability> devices = {made_up("emulated"), made_up("small")};
        devices[0].units = 64;
        devices[0].is_emulated = true;
        const auto groups = match_groups({}, records_of(devices));
        REQUIRE(groups.size() == 2);
        CHECK(groups[0].members == std::vector<u32>{1});
        CHECK(groups[0].score < groups[1].score);
    }

    TEST_CASE("R2 a device that is left out counts as not attached") {
        Runtime runtime({});
        const DeviceHandle a = runtime.attach(device_of(made_up("a"))).value();
        REQUIRE(runtime.attach(device_of(made_up("b"))).is_ok());
        CHECK(runtime.match({}, {a}).value().front().names == std::vector<std::string>{"b"});
        Requirements needs;
        needs.names = {"a"};
        CHECK_FALSE(runtime.match(needs, {a}).is_ok());
    }

    TEST_CASE("R2 a group keeps its identifier") {
        Runtime runtime({});
        REQUIRE(runtime.attach(device_of(made_up("d"))).is_ok());
        CHECK(runtime.match({}).value()[0].handle == runtime.match({}).value()[0].handle);
    }
}

}  // namespace weft::compute
