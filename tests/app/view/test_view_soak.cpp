// test_view_soak.cpp — the viewer is opened and closed again and again, and one viewer opens scenes
// again and again: it holds no more at the end than after its first laps.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "tests/app/held_resources.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view_soak") {
    TEST_CASE("every viewer that is opened and closed shows the same film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string hash = desk.rendered_hash(kSmall);
        for (u32 k = 0; k < soak_rounds(); ++k) {
            CAPTURE(k);
            const Ended ended = desk.view("wait scene\nwait done\nhash @hash\nclose\n", kSmall);
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            CHECK(desk.line_of("hash") == hash);
        }
    }

    TEST_CASE("a viewer that opens scene after scene holds no more at the end") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        // The least of some laps leaves out what one of them holds for a moment.
        constexpr u32 kLaps = 3;
        const u32 laps = kWarmRounds + kLaps + std::max(kLaps, soak_rounds());
        std::string script = "wait scene\nwait done\n";
        for (u32 lap = 1; lap <= laps; ++lap) {
            script += "drop furnace\nwait scene\nwait done\ndrop cornell\nwait scene\nwait done\n";
            script += "say \"lap " + std::to_string(lap) + " ends\"\nwait frames 5\n";
        }
        WeftProcess viewer(desk.with_script(script + "quit\n", kSmall));
        const auto held_in_laps = [&](u32 begin) {
            HeldResources held;
            for (u32 lap = begin; lap < begin + kLaps; ++lap) {
                const std::string line = "lap " + std::to_string(lap) + " ends";
                const bool is_there = viewer.wait_until(
                    [&](const std::string& err) { return err.find(line) != std::string::npos; });
                REQUIRE(is_there);
                const HeldResources now = held_by(std::to_string(viewer.id()));
                held = lap == begin ? now : least_of(held, now);
            }
            return held;
        };
        const HeldResources before = held_in_laps(kWarmRounds + 1);
        const HeldResources after = held_in_laps(laps - kLaps + 1);
        CHECK(viewer.wait().exit_code == 0);
        check_no_growth(before, after);
    }
}

}  // namespace weft::app::testing
