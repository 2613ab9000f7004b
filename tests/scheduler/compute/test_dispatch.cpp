// test_dispatch.cpp — the decisions of clauses R9 and R10, without threads.
#include <doctest/doctest.h>

#include "scheduler/compute/dispatch.h"

namespace weft::compute {

namespace {

DeviceView view_of(DeviceType type, double rate) {
    DeviceView view;
    view.type = type;
    view.rate = rate;
    view.state.memory_limit_bytes = 1000;
    return view;
}

u64 total(const Dispatch& dispatch) {
    u64 count = 0;
    u64 next = dispatch.shares.empty() ? 0 : dispatch.shares[0].items.first;
    for (const Share& share : dispatch.shares) {
        CHECK(share.items.first == next);
        next += share.items.count;
        count += share.items.count;
    }
    return count;
}

}  // namespace

TEST_SUITE("scheduler/compute/dispatch") {
    TEST_CASE("R9 the device expected to be fastest now is picked") {
        std::vector<DeviceView> views = {view_of(DeviceType::Cpu, 10),
                                         view_of(DeviceType::Cpu, 12)};
        CHECK(choose_devices({{0, 8}}, views).shares[0].view == 1);
        // It was busy lately, so the other is expected to be faster.
        views[1].state.utilisation = 0.9;
        CHECK(choose_devices({{0, 8}}, views).shares[0].view == 0);
        // A device with half of its slots taken gives half.
        views[1].state = views[0].state;
        views[1].state.slots = 2;
        views[1].state.running = 1;
        CHECK(choose_devices({{0, 8}}, views).shares[0].view == 0);
    }

    TEST_CASE("R9 an instance waits for a device that is full and goes to another that is free") {
        std::vector<DeviceView> views = {view_of(DeviceType::Cpu, 10)};
        views[0].state.running = 1;
        CHECK(choose_devices({{0, 8}}, views).result == DispatchResult::Wait);
        views.push_back(view_of(DeviceType::Gpu, 1));
        CHECK(choose_devices({{0, 8}}, views).shares[0].view == 1);
    }

    TEST_CASE(
        "R9 an instance waits for memory that may become free and not for memory that never will") {
        std::vector<DeviceView> views = {view_of(DeviceType::Cpu, 10)};
        views[0].missing_bytes = 600;
        views[0].state.memory_used_bytes = 500;
        views[0].state.slots = 2;
        views[0].state.running = 1;
        CHECK(choose_devices({{0, 8}}, views).result == DispatchResult::Wait);
        views[0].state.running = 0;
        const Dispatch never = choose_devices({{0, 8}}, views);
        CHECK(never.result == DispatchResult::Never);
        CHECK(never.reason == "its device has too little memory");
        views[0].state.memory_used_bytes = 400;
        CHECK(choose_devices({{0, 8}}, views).result == DispatchResult::Placed);
    }

    TEST_CASE("R9 a large instance is split in the ratio of the rates without a gap") {
        std::vector<DeviceView> views = {view_of(DeviceType::Gpu, 1), view_of(DeviceType::Cpu, 3)};
        const Dispatch split = choose_devices({{7, 401}, 10, true, false}, views);
        REQUIRE(split.shares.size() == 2);
        CHECK(split.shares[0].view == 1);
        CHECK(split.shares[0].items.count == 301);
        CHECK(split.shares[1].items.count == 100);
        CHECK(total(split) == 401);
        // A small one is not, nor one that may not be.
        CHECK(choose_devices({{0, 30}, 10, true, false}, views).shares.size() == 1);
        CHECK(choose_devices({{0, 401}, 10, false, false}, views).shares.size() == 1);
        // A device without a rate gets nothing.
        views[0].rate = 0;
        CHECK(choose_devices({{0, 401}, 10, true, false}, views).shares.size() == 1);
        views[1].rate = 0;
        CHECK(total(choose_devices({{0, 401}, 10, true, false}, views)) == 401);
    }

    TEST_CASE("R9 shares add up whatever the rates are") {
        for (u32 k = 1; k < 200; ++k) {
            std::vector<DeviceView> views;
            for (u32 d = 0; d < 1 + k % 5; ++d) {
                views.push_back(view_of(DeviceType::Cpu, 1.0 / (1 + (k * 7 + d * 13) % 11)));
            }
            const u64 count = u64{k} * k * 31;
            CHECK(total(choose_devices({{k, count}, 1 + k % 3, true, false}, views)) == count);
        }
    }

    TEST_CASE("R9 a program gets every device that is free") {
        std::vector<DeviceView> views = {
            view_of(DeviceType::Cpu, 1), view_of(DeviceType::Gpu, 2), view_of(DeviceType::Gpu, 3)};
        views[1].state.running = 1;
        const Dispatch all = choose_devices({{0, 8}, 1, true, true}, views);
        REQUIRE(all.shares.size() == 2);
        CHECK(all.shares[0].view == 2);
        CHECK(all.shares[1].view == 0);
    }

    TEST_CASE("R10 instances of a GPU that draws run on a processor") {
        std::vector<DeviceView> views = {view_of(DeviceType::Gpu, 5), view_of(DeviceType::Cpu, 1)};
        views[1].is_own = false;
        CHECK(choose_devices({{0, 8}}, views).shares[0].view == 0);
        views[0].state.is_drawing = true;
        const Dispatch dispatch = choose_devices({{0, 8}}, views);
        CHECK(dispatch.shares[0].view == 1);
        CHECK(dispatch.reason == "its device draws, so a processor stands in");
        // Where a processor is among its devices, that one takes all.
        views.push_back(view_of(DeviceType::Cpu, 1));
        CHECK(choose_devices({{0, 800}, 1, true, false}, views).shares.size() == 1);
        CHECK(choose_devices({{0, 800}, 1, true, false}, views).shares[0].view == 2);
        CHECK(choose_devices({{0, 8}, 1, true, true}, views).shares.size() == 1);
        views.erase(views.begin() + 1, views.end());
        CHECK(choose_devices({{0, 8}}, views).result == DispatchResult::Never);
    }

    TEST_CASE("R10 a processor stands in for a GPU that draws and for nothing else") {
        std::vector<DeviceView> views = {view_of(DeviceType::Gpu, 5), view_of(DeviceType::Cpu, 9)};
        views[1].is_own = false;
        views[0].state.running = 1;
        CHECK(choose_devices({{0, 8}}, views).result == DispatchResult::Wait);
        views[0].state.is_attached = false;
        const Dispatch never = choose_devices({{0, 8}}, views);
        CHECK(never.result == DispatchResult::Never);
        CHECK(never.reason == "its device was detached");
    }
}

}  // namespace weft::compute
