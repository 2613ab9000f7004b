// bench_command.cpp — what command lists save: unbinding at once against slot by slot, recording by
// several threads against by one, a prepared list that is patched against one recorded again.
//
// Each pair does the same thing, which is checked. Prints one JSON line each with the fastest,
// median and slowest of the repeats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "scheduler/base/clock.h"
#include "scheduler/command/recorder.h"
#include "scheduler/command/submitter.h"

namespace {

using weft::u32;
using weft::u64;
using namespace weft::command;
namespace base = weft::base;

constexpr u32 kRepeats = 15;
constexpr SlotName kView{StateShape::engine_row(15), 0};   // what a frame's patch reads
constexpr SlotName kFrame{StateShape::engine_row(15), 1};  // and what it writes

// 5 stages × (128 + 16 + 18) + 9 slots, as in clause C6.
const Vocabulary& vocabulary() {
    static const Vocabulary kept = [] {
        std::vector<RowShape> rows;
        for (int stage = 0; stage < 5; ++stage) {
            rows.push_back({"textures", 128, SlotKind::Resource});
            rows.push_back({"samplers", 16, SlotKind::Value});
            rows.push_back({"constants", 18, SlotKind::Resource});
        }
        rows.push_back({"frame", 3, SlotKind::Value});
        return Vocabulary(StateShape(rows), {{"object", {kFrame}, 4}}, {{"view", {kView}, 1}});
    }();
    return kept;
}

struct Machine {
    u64 sum = 0;  // of all draws, in order
    RenderState state = RenderState(vocabulary().shape);
    std::vector<u64> resources = std::vector<u64>(256, 7);
    Submitter submitter =
        Submitter(vocabulary(),
                  {{[this](const Call& call) -> base::Status {
                       sum = sum * 31 + call.state().value(kFrame) + call.operands()[3] +
                             call.resource({StateShape::engine_row(0), 3});
                       return base::Done{};
                   }},
                   {[](const Call& call, CommandWriter& out) -> base::Status {
                       out.set(kFrame, call.state().value(kView) * call.operands()[0]);
                       return base::Done{};
                   }}});

    void submit(const std::vector<ListPtr>& lists) {
        if (!submitter.submit(lists, {resources, {}}, state).is_ok()) {
            std::fputs("a submission failed\n", stderr);
            std::exit(1);
        }
    }
};

ListPtr finished(Recorder& recorder, const char* name) {
    base::Result<ListPtr> list = recorder.finish(name);
    if (!list.is_ok()) {
        std::fputs(list.error().sentence.c_str(), stderr);
        std::exit(1);
    }
    return list.value();
}

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}

// Nanoseconds of one `step`, after one step to warm up.
template <typename Step>
void report(const char* name, const char* per, double count, Step step) {
    std::vector<double> times;
    step();
    for (u32 repeat = 0; repeat < kRepeats; ++repeat) {
        const u64 begin = base::now_ns();
        step();
        times.push_back(static_cast<double>(base::now_ns() - begin) / count);
    }
    std::sort(times.begin(), times.end());
    std::printf(
        "{\"bench\":\"command\",\"load\":\"%s\",\"ns_per\":\"%s\",\"min\":%.1f,\"median\":%.1f,"
        "\"max\":%.1f}\n",
        name,
        per,
        times.front(),
        times[times.size() / 2],
        times.back());
}

void fill(RenderState& state) {
    const StateShape& shape = state.shape();
    for (u32 row = 0; row < shape.row_count(); ++row) {
        for (u32 slot = 0; slot < shape.row(row).slot_count; ++slot) {
            state.set({row, slot}, slot);
        }
    }
}

void bench_unbinding() {
    constexpr u32 kTimes = 200;
    Recorder recorder(vocabulary(), {});
    recorder.unbind_all();
    const ListPtr at_once = finished(recorder, "at once");
    const StateShape& shape = vocabulary().shape;
    for (u32 row = 0; row < shape.row_count(); ++row) {
        for (u32 slot = 0; slot < shape.row(row).slot_count; ++slot) {
            recorder.reset({row, slot});
        }
    }
    const ListPtr one_by_one = finished(recorder, "one by one");
    require(one_by_one->commands.size() == 819, "there are 819 slots");
    for (const auto& [name, list] :
         {std::pair{"unbind_all", at_once}, std::pair{"819 resets", one_by_one}}) {
        Machine machine;
        const std::vector<ListPtr> lists = {list};
        report(name, "unbinding", kTimes, [&] {
            for (u32 time = 0; time < kTimes; ++time) {
                machine.submit(lists);
            }
        });
        fill(machine.state);
        machine.submit(lists);
        require(machine.state.valid_count() == 0, "nothing is valid");
    }
}

void record_objects(Recorder& recorder, u64 first, u32 count) {
    for (u64 object = first; object < first + count; ++object) {
        recorder.bind({StateShape::engine_row(0), 3}, static_cast<u32>(object % 256));
        recorder.set_primitive_topology(Topology::TriangleList);
        const u64 operands[4] = {object, 1, 2, object * object};
        recorder.draw(0, operands);
    }
}

constexpr u32 kGroups = 64;
constexpr u32 kObjects = 2000;  // of a group

std::vector<ListPtr> record_groups(u32 thread_count) {
    std::vector<ListPtr> lists(kGroups);
    std::vector<std::jthread> threads;
    for (u32 thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&lists, thread, thread_count] {
            Recorder recorder(
                vocabulary(),
                {.max_commands = 3 * kObjects, .max_patches = 1, .max_operands = 4 * kObjects});
            for (u32 group = thread; group < kGroups; group += thread_count) {
                record_objects(recorder, u64{group} * kObjects, kObjects);
                lists[group] = finished(recorder, "group");
            }
        });
    }
    threads.clear();
    return lists;
}

void bench_recording() {
    u64 expected = 0;
    for (const u32 threads : {1U, 2U, 4U, 8U}) {
        std::vector<ListPtr> lists;
        const std::string name = "record by " + std::to_string(threads);
        report(name.c_str(), "draw", double{kGroups} * kObjects, [&] {
            lists = record_groups(threads);
        });
        Machine machine;
        machine.state.set(kFrame, 1);
        machine.submit(lists);
        expected = threads == 1 ? machine.sum : expected;
        require(machine.sum == expected, "all threads record the same");
    }
    const std::vector<ListPtr> lists = record_groups(1);
    Machine machine;
    machine.state.set(kFrame, 1);
    report("submit", "draw", double{kGroups} * kObjects, [&] { machine.submit(lists); });
}

// A frame draws so many objects under a view that changes from frame to frame.
void bench_patching() {
    constexpr u32 kFrames = 20;
    const u64 factor = 3;
    Recorder recorder(
        vocabulary(),
        {.max_commands = 3 * kObjects + 1, .max_patches = 1, .max_operands = 4 * kObjects + 1});
    recorder.request_patch(0, {&factor, 1});
    record_objects(recorder, 0, kObjects);
    const std::vector<ListPtr> prepared = {finished(recorder, "prepared")};
    Machine patched;
    Machine anew;
    const auto check = [&] { require(patched.sum == anew.sum, "both draw the same"); };
    report("patched frame", "frame", kFrames, [&] {
        patched.sum = 0;
        for (u64 frame = 0; frame < kFrames; ++frame) {
            patched.state.set(kView, frame);
            patched.submit(prepared);
        }
    });
    report("frame recorded anew", "frame", kFrames, [&] {
        anew.sum = 0;
        for (u64 frame = 0; frame < kFrames; ++frame) {
            recorder.set(kFrame, frame * factor);
            record_objects(recorder, 0, kObjects);
            anew.submit({finished(recorder, "anew")});
        }
    });
    check();
}

}  // namespace

int main() {
    bench_unbinding();
    bench_recording();
    bench_patching();
    return 0;
}
