// test_view_keyboard.cpp — the viewer by the keyboard alone: fields and menus, and the picture's
// own keys before and after.
#include <doctest/doctest.h>

#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view/keyboard") {
    TEST_CASE("tab goes into the number fields and from one to the next") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "key tab\nwait frames 3\ntype 0.25\nkey tab\nwait frames 3\ntype 0.5\nkey enter\n"
            "wait frames 3\nwait done\nhash @moved\nclick File\nclick \"File/Copy render "
            "command\"\n"
            "clipboard @line\n"
            // Keys are the picture's again.
            "key H\nwait done\nhash @hidden\nkey ctrl+Z\nwait done\nhash @shown\n"
            "key N\nwait frames 3\nrefuse Panel/Object\nkey tab\nexpect Panel/Object\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("shown") == desk.line_of("moved"));
        CHECK(desk.line_of("hidden") != desk.line_of("moved"));
        const std::string line = desk.line_of("line");
        CHECK(line.find("nodes/short box/transform") != std::string::npos);
        CHECK(line.find("0.25,") != std::string::npos);
        CHECK(line.find("0.5,") != std::string::npos);
    }

    TEST_CASE("menus are opened and gone through by keys which are the picture's afterwards") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey F10\nexpect \"File/Open scene ...\"\nkey right\nexpect Edit/Undo\n"
            "key right\nexpect \"Camera/Frame all\"\nkey left\nexpect Edit/Undo\nkey left\n"
            "expect File/Quit\nkey left\nexpect \"Help/Keys and mouse\"\nkey down\nkey enter\n"
            "expect \"Help sheet\"\nkey F1\n"
            // Escape leaves; no letter chooses an action before.
            "key F10\nexpect File/Quit\nkey H\nkey escape\nwait frames 3\nrefuse File/Quit\n"
            "click 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "key escape\nexpect Selected/\nkey B\nexpect Panel/Scheduler\nquit\n",
            {"cornell", "--width", "120", "--height", "90", "--spp", "64"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }
}

}  // namespace weft::app::testing
