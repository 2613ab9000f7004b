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

    TEST_CASE("alt alone opens the menus and closes them but not where anything is done with it") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey alt\nexpect \"File/Open scene ...\"\nkey right\nexpect Edit/Undo\n"
            "key alt\nwait frames 3\nrefuse Edit/Undo\nkey B\nexpect Panel/Scheduler\nkey B\n"
            // With a drag, a click, the wheel, another key, or while text is typed.
            "mouse 50% 50%\nhold alt\ndrag 40% 40% 50% 50% left\nlet alt\nwait frames 3\n"
            "refuse File/Quit\nhold alt\nclick 50% 50%\nlet alt\nwait frames 3\n"
            "refuse File/Quit\nhold alt\nscroll 1\nlet alt\nwait frames 3\nrefuse File/Quit\n"
            "key alt+H\nwait frames 3\nrefuse File/Quit\nkey shift+alt\nwait frames 3\n"
            "refuse File/Quit\nclick Outliner/Search\nkey alt\nwait frames 3\n"
            "refuse File/Quit\nkey escape\nclick 50% 50%\nkey alt\nexpect File/Quit\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }

    TEST_CASE("escape closes the menu or choice that the mouse has opened and nothing else") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "click File\nexpect File/Quit\nkey escape\nwait frames 3\nrefuse File/Quit\n"
            "expect \"Selected/nodes/short box\"\n"
            "click Panel/View\nclick View/Layer\nexpect \"View/Layer depth\"\nkey escape\n"
            "wait frames 3\nrefuse \"View/Layer depth\"\n"
            "expect \"Selected/nodes/short box\"\n"
            // The list goes with the menu that it was opened out of.
            "click File\nclick \"File/Open recent\"\nexpect \"File/Open recent/cornell\"\n"
            "key escape\nwait frames 3\nrefuse \"File/Open recent/cornell\"\n"
            "refuse File/Quit\nexpect \"Selected/nodes/short box\"\n"
            "key escape\nexpect Selected/\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }
}

}  // namespace weft::app::testing
