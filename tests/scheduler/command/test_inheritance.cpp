// test_inheritance.cpp — inherited state, state left to later lists, patches, indirect resources.
#include <doctest/doctest.h>

#include "tests/scheduler/command/small_engine.h"

namespace weft::command {

TEST_SUITE("scheduler/command/inheritance") {
    TEST_CASE("C2 a draw sees what lists before its own have set") {
        Recorder recorder = small_recorder();
        recorder.set(kMaterial, 5);
        recorder.bind({kTextures, 0}, 2);
        const ListPtr sets = finished(recorder, "sets");
        draw_object(recorder, 1);
        const ListPtr draws = finished(recorder, "draws");
        SmallEngine engine;
        REQUIRE(engine.submit({sets, draws}).is_ok());
        REQUIRE(engine.diary.size() == 1);
        CHECK(engine.diary[0].material == 5);
        CHECK(engine.diary[0].texture_0 == 102);
    }

    TEST_CASE("C2 state goes on from one submission to the next") {
        Recorder recorder = small_recorder();
        recorder.set(kMaterial, 5);
        const ListPtr sets = finished(recorder, "sets");
        draw_object(recorder, 1);
        const ListPtr draws = finished(recorder, "draws");
        SmallEngine engine;
        REQUIRE(engine.submit({sets}).is_ok());
        REQUIRE(engine.submit({draws}).is_ok());
        CHECK(engine.diary[0].material == 5);
    }

    TEST_CASE("C3 one list under two inherited states gives each the right result") {
        Recorder recorder = small_recorder();
        const u64 operand = 10;
        recorder.request_patch(kDrawScaled, {&operand, 1});
        draw_object(recorder, 77);
        const ListPtr list = finished(recorder, "scaled");
        for (const u64 scale : {u64{3}, u64{4}}) {
            SmallEngine engine;
            engine.state.set(kMaterial, 1000 + scale);
            engine.state.set(kScale, scale);
            engine.state.set(kOffset, 1);
            REQUIRE(engine.submit({list}).is_ok());
            REQUIRE(engine.diary.size() == 2);
            CHECK(engine.diary[0].operand == 10 * scale + 1);
            CHECK(engine.diary[0].material == 1000 + scale);
            CHECK(engine.diary[1].operand == 77);
        }
    }

    TEST_CASE("C3 a patch is resolved from the state at its place and not from that at the begin") {
        Recorder recorder = small_recorder();
        const u64 operand = 2;
        recorder.set(kScale, 5);
        recorder.request_patch(kScaleBy, {&operand, 1});
        recorder.request_patch(kScaleBy, {&operand, 1});
        recorder.request_patch(kDrawScaled, {&operand, 1});
        recorder.set(kScale, 1);
        const ListPtr list = finished(recorder, "at its place");
        SmallEngine engine;
        engine.state.set(kMaterial, 1);
        engine.state.set(kScale, 1'000'000);
        engine.state.set(kOffset, 0);
        REQUIRE(engine.submit({list}).is_ok());
        REQUIRE(engine.diary.size() == 1);
        CHECK(engine.diary[0].operand == 2 * 20);
        CHECK(engine.state.value(kScale) == 1);
    }

    TEST_CASE("C3 a patched list does the same as a list recorded with known values") {
        for (const u64 scale : {u64{2}, u64{9}}) {
            const u64 operand = 6;
            Recorder recorder = small_recorder();
            recorder.request_patch(kScaleBy, {&operand, 1});
            recorder.request_patch(kDrawScaled, {&operand, 1});
            const ListPtr patched = finished(recorder, "patched");
            recorder.set(kScale, scale * operand);
            draw_object(recorder, operand * scale * operand + 3);
            const ListPtr known = finished(recorder, "known");
            SmallEngine engines[2];
            for (SmallEngine& engine : engines) {
                engine.state.set(kMaterial, 1);
                engine.state.set(kScale, scale);
                engine.state.set(kOffset, 3);
            }
            REQUIRE(engines[0].submit({patched}).is_ok());
            REQUIRE(engines[1].submit({known}).is_ok());
            CHECK(engines[0].diary == engines[1].diary);
            CHECK(engines[0].state.is_same(engines[1].state));
        }
    }

    TEST_CASE("C5 the same list draws with the resources that are bound at each submission") {
        Recorder recorder = small_recorder();
        recorder.set(kMaterial, 1);
        recorder.bind({kTextures, 0}, 1);
        recorder.bind({kTextures, 69}, 3);
        draw_object(recorder, 1);
        const ListPtr list = finished(recorder, "textured");
        SmallEngine engine;
        REQUIRE(engine.submit({list}).is_ok());
        engine.resources = {200, 201, 202, kUnbound};
        REQUIRE(engine.submit({list}).is_ok());
        CHECK(engine.diary[0].texture_0 == 101);
        CHECK(engine.diary[0].texture_69 == 103);
        CHECK(engine.diary[1].texture_0 == 201);
        CHECK(engine.diary[1].texture_69 == kNone);
    }

    TEST_CASE("C6 after unbind_all a draw inherits nothing") {
        Recorder recorder = small_recorder();
        recorder.set_clip_planes(3);
        recorder.set_primitive_topology(Topology::TriangleFan);
        recorder.set_index_buffer(0, IndexSize::Bits8);
        recorder.bind({kTextures, 69}, 1);
        recorder.set_predicate(1);
        recorder.set_render_enable_override(RenderEnable::Never);
        const ListPtr sets = finished(recorder, "sets");
        recorder.unbind_all();
        recorder.draw(kDrawMark, {});
        const ListPtr unbinds = finished(recorder, "unbinds");
        SmallEngine engine;
        REQUIRE(engine.submit({sets, unbinds}).is_ok());
        REQUIRE(engine.diary.size() == 1);
        CHECK(engine.diary[0] == Drawn{kDrawMark, 0, kNone, kNone, kNone, kNone, 4, 0, 0});
        CHECK(engine.state.valid_count() == 0);
    }
}

}  // namespace weft::command
