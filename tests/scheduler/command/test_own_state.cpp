// test_own_state.cpp — four kinds of state without patches: index format, topology, clip planes,
// override of the predicate.
#include <doctest/doctest.h>

#include "tests/scheduler/command/small_engine.h"

namespace weft::command {

namespace {

// The marks recorded by `record` that run under each predicate, as bits.
template <typename Record>
u32 marks_that_run(u32 predicate, Record record) {
    Recorder recorder = small_recorder();
    recorder.set_predicate(predicate);
    record(recorder);
    SmallEngine engine;
    engine.state.set(kMaterial, 1);
    REQUIRE(engine.submit({finished(recorder, "marks")}).is_ok());
    u32 bits = 0;
    for (const Drawn& drawn : engine.diary) {
        bits |= 1U << drawn.operand;
    }
    return bits;
}

}  // namespace

TEST_SUITE("scheduler/command/own_state") {
    TEST_CASE("C4a C4b C4c index format and topology and clip planes reach draws with no patch") {
        Recorder recorder = small_recorder();
        recorder.set_index_buffer(2, IndexSize::Bits16);
        recorder.set_primitive_topology(Topology::TriangleStrip);
        recorder.set_clip_planes(0b101);
        const ListPtr sets = finished(recorder, "sets");
        recorder.draw(kDrawMark, {});
        recorder.set_index_buffer(1, IndexSize::Bits8);
        recorder.draw(kDrawMark, {});
        const ListPtr draws = finished(recorder, "draws");
        SmallEngine engine;
        const auto result = engine.submit({sets, draws});
        REQUIRE(result.is_ok());
        CHECK(result.value().patches == 0);
        REQUIRE(engine.diary.size() == 2);
        CHECK(engine.diary[0].index_size == 2);
        CHECK(engine.diary[0].topology == static_cast<u64>(Topology::TriangleStrip));
        CHECK(engine.diary[0].clip_planes == 0b101);
        CHECK(engine.diary[1].index_size == 1);
        CHECK(engine.state.value(kIndexBuffer) == 1);
    }

    TEST_CASE("C4d a draw under a false predicate is skipped and counted") {
        Recorder recorder = small_recorder();
        recorder.draw(kDrawMark, {});
        recorder.set_predicate(1);
        recorder.draw(kDrawMark, {});
        recorder.set_predicate(0);
        recorder.draw(kDrawMark, {});
        const ListPtr list = finished(recorder, "predicated");
        SmallEngine engine;
        const auto result = engine.submit({list});
        REQUIRE(result.is_ok());
        CHECK(result.value().draws == 2);
        CHECK(result.value().draws_skipped == 1);
        // Predicates are bound at submission: the same list draws all where all are true.
        engine.predicates = {1, 1};
        CHECK(engine.submit({list}).value().draws == 3);
    }

    TEST_CASE("C4d the override beats the predicate and a pop brings back the one before") {
        const auto record = [](Recorder& recorder) {
            draw_object(recorder, 0);
            recorder.push_render_enable_override(RenderEnable::Always);
            draw_object(recorder, 1);
            recorder.pop_render_enable_override();
            draw_object(recorder, 2);
            recorder.set_render_enable_override(RenderEnable::Never);
            draw_object(recorder, 3);
            recorder.push_render_enable_override(RenderEnable::FollowPredicate);
            draw_object(recorder, 4);
            recorder.pop_render_enable_override();
            draw_object(recorder, 5);
            recorder.set_render_enable_override(RenderEnable::Always);
            draw_object(recorder, 6);
        };
        CHECK(marks_that_run(0, record) == 0b1010111);
        CHECK(marks_that_run(1, record) == 0b1000010);
    }

    TEST_CASE("C4d an override is inherited and an internal draw inside a push ignores it") {
        Recorder recorder = small_recorder();
        recorder.set_render_enable_override(RenderEnable::Never);
        const ListPtr never = finished(recorder, "never");
        recorder.draw(kDrawMark, {});
        recorder.push_render_enable_override(RenderEnable::Always);
        recorder.draw(kDrawMark, {});
        recorder.pop_render_enable_override();
        recorder.draw(kDrawMark, {});
        const ListPtr internal = finished(recorder, "internal");
        SmallEngine engine;
        const auto result = engine.submit({never, internal});
        REQUIRE(result.is_ok());
        CHECK(result.value().draws == 1);
        CHECK(result.value().draws_skipped == 2);
        CHECK(engine.submit({internal}).value().draws == 1);
    }
}

}  // namespace weft::command
