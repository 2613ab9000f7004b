// test_view_soak.cpp — the viewer is opened and closed again and again, and one viewer opens scenes
// again and again: it holds no more at the end than after its first laps.
#include <csignal>
#include <string>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/soak_rounds.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

namespace {

constexpr u32 kCases = 2;

}  // namespace

TEST_SUITE("app/view_soak") {
    TEST_CASE("every viewer that is opened and closed shows the same film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string hash = desk.rendered_hash(kSmall);
        SoakRounds rounds(kCases);
        while (rounds.next()) {
            CAPTURE(rounds.count());
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
        // More laps than any test waits for.
        std::string script = "wait scene\nwait done\n";
        for (u32 lap = 1; lap <= 10'000; ++lap) {
            script += "drop furnace\nwait scene\nwait done\ndrop cornell\nwait scene\nwait done\n";
            script += "say \"lap " + std::to_string(lap) + " ends\"\nwait frames 5\n";
        }
        WeftProcess viewer(desk.with_script(script, kSmall));
        u32 lap = 0;
        const auto held_after_lap = [&] {
            const std::string line = "lap " + std::to_string(++lap) + " ends";
            const bool is_there = viewer.wait_until(
                [&](const std::string& err) { return err.find(line) != std::string::npos; });
            REQUIRE(is_there);
            return held_by(std::to_string(viewer.id()));
        };
        // The least of some laps leaves out what one of them holds for a moment.
        const auto held_in_laps = [&] {
            HeldResources held = held_after_lap();
            for (u32 k = 1; k < 3; ++k) {
                held = least_of(held, held_after_lap());
            }
            return held;
        };
        for (u32 k = 0; k < kWarmRounds; ++k) {
            held_after_lap();
        }
        const HeldResources before = held_in_laps();
        SoakRounds rounds(kCases);
        while (rounds.next()) {
            rounds.note(held_after_lap());
        }
        const HeldResources after = held_in_laps();
        viewer.send(SIGTERM);
        CHECK(viewer.wait().exit_code == kExitSignal);
        check_no_growth(before, after);
    }
}

}  // namespace weft::app::testing
