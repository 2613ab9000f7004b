// test_misuse.cpp — every misuse is one sentence that names the list and what was expected.
#include <doctest/doctest.h>

#include "tests/scheduler/command/small_engine.h"

namespace weft::command {

namespace {

// The sentence of a recording that misuses the recorder.
template <typename Record>
std::string recording_sentence(Record record) {
    Recorder recorder(small_vocabulary(), {.max_commands = 4, .max_patches = 1, .max_operands = 3});
    record(recorder);
    const base::Result<ListPtr> list = recorder.finish("L");
    CHECK_FALSE(list.is_ok());
    // The recorder is as new.
    CHECK(recorder.finish("next").is_ok());
    return list.error().sentence;
}

template <typename Record>
std::string submission_sentence(Record record) {
    Recorder recorder = small_recorder();
    record(recorder);
    SmallEngine engine;
    const auto result = engine.submit({finished(recorder, "L")});
    CHECK_FALSE(result.is_ok());
    CHECK_FALSE(engine.state.is_pushed());
    return result.error().sentence;
}

}  // namespace

TEST_SUITE("scheduler/command/misuse") {
    TEST_CASE("a draw without a material is a sentence") {
        CHECK(submission_sentence([](Recorder& recorder) { draw_object(recorder, 1); }) ==
              "list 'L', draw 'object' needs material, which nothing has set");
        CHECK(submission_sentence([](Recorder& recorder) {
                  recorder.set(kMaterial, 1);
                  recorder.unbind_all();
                  draw_object(recorder, 1);
              }) == "list 'L', draw 'object' needs material, which nothing has set");
    }

    TEST_CASE("a patch without a value is a sentence") {
        CHECK(submission_sentence([](Recorder& recorder) {
                  const u64 operand = 1;
                  recorder.set(kScale, 1);
                  recorder.request_patch(kDrawScaled, {&operand, 1});
              }) == "list 'L', patch 'draw scaled' needs constants[1], which nothing has set");
    }

    TEST_CASE("a predicate that is not bound is a sentence") {
        CHECK(submission_sentence([](Recorder& recorder) {
                  recorder.set_predicate(2);
                  recorder.push_render_enable_override(RenderEnable::FollowPredicate);
                  recorder.draw(kDrawMark, {});
                  recorder.pop_render_enable_override();
              }) == "list 'L', predicate 2 is not bound; there are 2");
    }

    TEST_CASE("a needed resource that is not bound is a sentence") {
        const Vocabulary vocabulary(StateShape({{"geometry", 1, SlotKind::Resource}}),
                                    {{"object", {{StateShape::engine_row(0), 0}}, 0}},
                                    {});
        Recorder recorder(vocabulary, {});
        recorder.bind({StateShape::engine_row(0), 0}, 3);
        recorder.draw(0, {});
        const ListPtr list = finished(recorder, "L");
        Submitter submitter(vocabulary,
                            {{[](const Call&) -> base::Status { return base::Done{}; }}, {}});
        RenderState state(vocabulary.shape);
        const std::vector<u64> resources = {1, 2, 3, kUnbound};
        const auto unbound = submitter.submit({&list, 1}, {resources, {}}, state);
        CHECK_FALSE(unbound.is_ok());
        CHECK(unbound.error().sentence ==
              "list 'L', draw 'object' needs geometry, but resource 3 is not bound");
        const auto beyond = submitter.submit({&list, 1}, {{resources.data(), 2}, {}}, state);
        CHECK_FALSE(beyond.is_ok());
        CHECK(beyond.error().sentence == unbound.error().sentence);
    }

    TEST_CASE("an error of a routine ends the submission with its sentence") {
        Recorder recorder = small_recorder();
        recorder.draw(kDrawMark, {});
        recorder.set(kMaterial, 1);
        const ListPtr list = finished(recorder, "L");
        SmallEngine engine;
        Routines routines = engine.routines();
        routines.draws[kDrawMark] = [](const Call&) -> base::Status {
            return base::Error{base::ErrorKind::Scene, "the mark is taken"};
        };
        Submitter submitter(small_vocabulary(), std::move(routines));
        const auto result = submitter.submit({&list, 1}, {}, engine.state);
        CHECK_FALSE(result.is_ok());
        CHECK(result.error().sentence == "the mark is taken");
        CHECK_FALSE(engine.state.is_valid(kMaterial));
    }

    TEST_CASE("slots and routines that do not exist are sentences") {
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.set({9, 0}, 1);
              }) == "list 'L', command 0: row 9 slot 0 does not exist");
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.reset({kTextures, 70});
              }) == "list 'L', command 0: row 3 slot 70 does not exist");
        CHECK(recording_sentence([](Recorder& recorder) { recorder.draw(2, {}); }) ==
              "list 'L', command 0: draw routine 2 does not exist");
        CHECK(recording_sentence([](Recorder& recorder) { recorder.request_patch(2, {}); }) ==
              "list 'L', command 0: patch routine 2 does not exist");
    }

    TEST_CASE("a value for a resource and a resource for a value are sentences") {
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.set({kTextures, 1}, 1);
              }) == "list 'L', command 0: textures[1] takes a resource; found a value");
        CHECK(recording_sentence([](Recorder& recorder) { recorder.bind(kMaterial, 1); }) ==
              "list 'L', command 0: material takes a value; found a resource");
    }

    TEST_CASE("operands of another number than the routine takes are a sentence") {
        CHECK(recording_sentence([](Recorder& recorder) { recorder.draw(kDrawObject, {}); }) ==
              "list 'L', command 0: draw 'object' takes 1 operands; found 0");
    }

    TEST_CASE("C4d a second push and a lone pop and a push left open are sentences") {
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.push_render_enable_override(RenderEnable::Always);
                  recorder.push_render_enable_override(RenderEnable::Always);
              }) ==
              "list 'L', command 1: the render enable override is pushed already, and there is one "
              "level");
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.pop_render_enable_override();
              }) == "list 'L', command 0: the render enable override is popped but was not pushed");
        CHECK(recording_sentence([](Recorder& recorder) {
                  recorder.push_render_enable_override(RenderEnable::Always);
              }) == "list 'L', command 1: the render enable override is pushed but not popped");
    }

    TEST_CASE("more commands or patches or operands than there is room for are sentences") {
        CHECK(recording_sentence([](Recorder& recorder) {
                  for (int time = 0; time < 5; ++time) {
                      recorder.unbind_all();
                  }
              }) == "list 'L', command 4: there is room for 4 commands");
        const u64 operand = 1;
        CHECK(recording_sentence([&](Recorder& recorder) {
                  recorder.request_patch(kScaleBy, {&operand, 1});
                  recorder.request_patch(kScaleBy, {&operand, 1});
              }) == "list 'L', command 0: there is room for 1 patches");
        CHECK(recording_sentence([](Recorder& recorder) {
                  for (u64 time = 0; time < 4; ++time) {
                      draw_object(recorder, time);
                  }
              }) == "list 'L', command 3: there is room for 3 operands");
    }

    TEST_CASE("C3 a wrong command of a patch is a sentence that names the patch") {
        Recorder recorder = small_recorder();
        const u64 operand = 1;
        recorder.request_patch(kScaleBy, {&operand, 1});
        const ListPtr list = finished(recorder, "L");
        SmallEngine engine;
        engine.state.set(kScale, 1);
        Routines routines = engine.routines();
        routines.patches[kScaleBy] = [](const Call&, CommandWriter& out) -> base::Status {
            out.push_render_enable_override(RenderEnable::Always);
            return base::Done{};
        };
        Submitter submitter(small_vocabulary(), std::move(routines));
        const auto result = submitter.submit({&list, 1}, {}, engine.state);
        CHECK_FALSE(result.is_ok());
        CHECK(result.error().sentence ==
              "list 'L', patch 'scale by', command 1: the render enable override is pushed but not "
              "popped");
    }

    TEST_CASE("C4d a patch that pushes inside a push is a sentence") {
        Recorder recorder = small_recorder();
        const u64 operand = 1;
        recorder.push_render_enable_override(RenderEnable::Always);
        recorder.request_patch(kScaleBy, {&operand, 1});
        recorder.pop_render_enable_override();
        const ListPtr list = finished(recorder, "L");
        SmallEngine engine;
        engine.state.set(kScale, 1);
        Routines routines = engine.routines();
        routines.patches[kScaleBy] = [](const Call&, CommandWriter& out) -> base::Status {
            out.push_render_enable_override(RenderEnable::Never);
            out.pop_render_enable_override();
            return base::Done{};
        };
        Submitter submitter(small_vocabulary(), std::move(routines));
        const auto result = submitter.submit({&list, 1}, {}, engine.state);
        CHECK_FALSE(result.is_ok());
        CHECK(result.error().sentence ==
              "list 'L', a patch pushes the render enable override inside a push");
        CHECK_FALSE(engine.state.is_pushed());
        CHECK_FALSE(engine.state.is_valid(kRenderEnable));
    }
}

}  // namespace weft::command
