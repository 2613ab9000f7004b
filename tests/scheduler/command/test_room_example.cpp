// test_room_example.cpp — the example of the room's page, compiled and checked.
#include <doctest/doctest.h>

#include "scheduler/command/recorder.h"
#include "scheduler/command/submitter.h"

namespace weft {

TEST_SUITE("scheduler/command/room_example") {
    TEST_CASE("the example of the page draws in the colour that each submission inherits") {
        std::vector<u64> drawn;
        // README example begins
        const command::SlotName colour{command::StateShape::engine_row(0), 0};
        const command::Vocabulary vocabulary(
            command::StateShape({{"colour", 1, command::SlotKind::Value}}),
            {{"disc", {colour}, 1}},
            {{"lighter", {colour}, 0}});

        command::Recorder recorder(vocabulary, {});
        const std::vector<u64> radius = {3};
        recorder.request_patch(0, {});  // lighter than what is inherited
        recorder.draw(0, radius);
        const command::ListPtr disc = recorder.finish("disc").value();

        command::Submitter submitter(
            vocabulary,
            {{[&](const command::Call& call) -> base::Status {
                 drawn.push_back(call.state().value(colour) + 100 * call.operands()[0]);
                 return base::Done{};
             }},
             {[&](const command::Call& call, command::CommandWriter& out) -> base::Status {
                 out.set(colour, call.state().value(colour) + 1);
                 return base::Done{};
             }}});
        command::RenderState state(vocabulary.shape);
        state.set(colour, 10);
        const auto figures = submitter.submit({&disc, 1}, {}, state);  // draws 311
        const auto again = submitter.submit({&disc, 1}, {}, state);    // draws 312
        // README example ends
        CHECK(figures.is_ok());
        CHECK(again.is_ok());
        CHECK(drawn == std::vector<u64>{311, 312});
    }
}

}  // namespace weft
