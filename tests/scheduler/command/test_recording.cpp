// test_recording.cpp — recorders side by side, tokens, the side queue, and the order of submission.
#include <algorithm>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "tests/scheduler/command/small_engine.h"

namespace weft::command {

namespace {

// Every list changes state of the next: materials, textures and a scale that patches multiply.
void record_group(Recorder& recorder, u32 group) {
    recorder.set(kMaterial, group);
    if (group % 3 != 0) {
        recorder.bind({kTextures, group % 2 == 0 ? 0U : 69U}, group % 4);
    }
    draw_object(recorder, group);
    const u64 factor = 1 + group % 5;
    recorder.request_patch(kScaleBy, {&factor, 1});
    for (u64 object = 0; object < 20; ++object) {
        draw_object(recorder, 100 * u64{group} + object);
    }
    recorder.request_patch(kDrawScaled, {&factor, 1});
}

std::vector<Drawn> submitted(const std::vector<ListPtr>& lists) {
    SmallEngine engine;
    engine.state.set(kScale, 1);
    engine.state.set(kOffset, 7);
    REQUIRE(engine.submit(lists).is_ok());
    return engine.diary;
}

std::vector<ListPtr> recorded_by(u32 thread_count, u32 group_count, u32 seed) {
    std::vector<ListPtr> lists(group_count);
    std::vector<u32> order(group_count);
    for (u32 group = 0; group < group_count; ++group) {
        order[group] = group;
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    std::vector<std::jthread> threads;
    for (u32 thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&lists, &order, thread, thread_count] {
            Recorder recorder = small_recorder();
            for (std::size_t place = thread; place < order.size(); place += thread_count) {
                record_group(recorder, order[place]);
                lists[order[place]] = finished(recorder, "group");
            }
        });
    }
    threads.clear();
    return lists;
}

}  // namespace

TEST_SUITE("scheduler/command/recording") {
    TEST_CASE("C1 C9 threads that record in any order and number give the same execution") {
        const std::vector<Drawn> expected = submitted(recorded_by(1, 24, 0));
        CHECK(expected.size() == 24 * 22);
        for (const u32 threads : {2U, 4U, 9U}) {
            for (const u32 seed : {1U, 2U, 3U}) {
                CAPTURE(threads);
                CAPTURE(seed);
                CHECK(submitted(recorded_by(threads, 24, seed)) == expected);
            }
        }
    }

    TEST_CASE("C9 another order of submission is another execution") {
        std::vector<ListPtr> lists = recorded_by(2, 6, 0);
        const std::vector<Drawn> forward = submitted(lists);
        std::swap(lists[1], lists[4]);
        CHECK(submitted(lists) != forward);
    }

    TEST_CASE("C1 a list submitted many times is executed as often and is not changed") {
        Recorder recorder = small_recorder();
        record_group(recorder, 4);
        const ListPtr list = finished(recorder, "four");
        const CommandList before = *list;
        const std::vector<Drawn> once = submitted({list});
        SmallEngine engine;
        for (int time = 0; time < 3; ++time) {
            engine.state.unbind_all();
            engine.state.set(kScale, 1);
            engine.state.set(kOffset, 7);
            REQUIRE(engine.submit({list}).is_ok());
        }
        CHECK(engine.diary.size() == 3 * once.size());
        for (std::size_t place = 0; place < engine.diary.size(); ++place) {
            CHECK(engine.diary[place] == once[place % once.size()]);
        }
        CHECK(list->commands.size() == before.commands.size());
        CHECK(list->operands == before.operands);
    }

    TEST_CASE("C1 one list may stand in one submission many times") {
        Recorder recorder = small_recorder();
        const u64 factor = 2;
        recorder.request_patch(kScaleBy, {&factor, 1});
        const ListPtr twice = finished(recorder, "twice");
        SmallEngine engine;
        engine.state.set(kScale, 1);
        REQUIRE(engine.submit({twice, twice, twice}).is_ok());
        CHECK(engine.state.value(kScale) == 8);
    }

    TEST_CASE("C3 tokens alternate between segments and patch entries and begin and end ready") {
        Recorder recorder = small_recorder();
        const u64 operand = 1;
        recorder.request_patch(kScaleBy, {&operand, 1});
        recorder.request_patch(kScaleBy, {&operand, 1});
        recorder.set(kMaterial, 1);
        draw_object(recorder, 1);
        recorder.request_patch(kDrawScaled, {&operand, 1});
        const ListPtr list = finished(recorder, "tokens");
        REQUIRE(list->tokens.size() == 5);
        CHECK(list->tokens[0].count == 0);  // nothing before the first patch
        CHECK(list->tokens[1].first == 0);
        CHECK(list->tokens[1].count == 2);  // two in a row
        CHECK(list->tokens[2].first == 0);
        CHECK(list->tokens[2].count == 2);  // set and draw
        CHECK(list->tokens[3].first == 2);
        CHECK(list->tokens[3].count == 1);
        CHECK(list->tokens[4].count == 0);
        CHECK(list->patch_requests.size() == 3);
    }

    TEST_CASE("C4 patches are counted with their bytes and are few where state is plain") {
        SmallEngine engine;
        engine.state.set(kScale, 1);
        engine.state.set(kOffset, 1);
        const auto result = engine.submit(recorded_by(1, 10, 0));
        REQUIRE(result.is_ok());
        const SubmitFigures& figures = result.value();
        CHECK(figures.lists == 10);
        CHECK(figures.patches == 20);
        CHECK(figures.patch_bytes == 20 * (sizeof(PatchRequest) + 8));
        CHECK(figures.draws == 10 * 22);
        CHECK(figures.segments == 30);
        // Materials, textures (not of groups 0, 3, 6, 9), draws, and one command from each patch.
        CHECK(figures.commands == 10 * 22 + 6 + 20);
    }

    TEST_CASE("C1 a recorder that finished a list starts the next one with nothing") {
        Recorder recorder = small_recorder();
        record_group(recorder, 1);
        finished(recorder, "first");
        const ListPtr second = finished(recorder, "second");
        CHECK(second->commands.empty());
        CHECK(second->operands.empty());
        CHECK(second->patch_requests.empty());
        CHECK(second->tokens.size() == 1);
    }
}

}  // namespace weft::command
