// test_view_keyboard.cpp — the viewer by keyboard alone: fields and menus, and the picture's own
// keys before and after.
#include <doctest/doctest.h>

#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view/keyboard") {
    TEST_CASE("tab enters the number fields and moves to the next") {
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
            // Keys go to the picture again.
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

    TEST_CASE("keys faster than frames keep their modifiers and their order") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nrush ctrl+b\nwait frames 3\nrefuse Panel/Scheduler\n"
            "click Panel/View\nexpect \"Camera/View 1\"\nclick Panel/Object\nrush b n\nwait frames "
            "3\nexpect Panel/Scheduler\n"
            "refuse Panel/Object\nrush n b\nwait frames 3\nrefuse Panel/Scheduler\n"
            "click 50% 90%\nexpect \"Selected/nodes/short box\"\nwait done\nhash @before\n"
            // The 7 goes into the field that Tab opens; in the picture it would look from above.
            "rush tab 7 enter\nwait frames 8\nkey ctrl+Z\nwait done\nhash @undone\n"
            "rush ctrl+o c\nexpect \"Open a scene/Cancel\"\nkey escape\nwait frames 3\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.line_of("before"));
    }

    TEST_CASE("a bookmark is named by typing and enter closes the field") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments arguments = with(kSmall, {"--ui-scale", "1"});
        const std::string before = "wait done\nkey ctrl+B\nclick Panel/View\nwait frames 3\n";
        REQUIRE(desk.view(before + "names @names\nquit\n", arguments).exit_code == 0);
        const Place row = desk.places_of("names").at("Camera/View 1");
        const std::string at = std::to_string(static_cast<int>(row.x0 + row.x1) / 2) + ' ' +
                               std::to_string(static_cast<int>(row.y0 + row.y1) / 2);
        const Ended ended = desk.view("wait done\nclick Panel/View\nwait frames 3\nmouse " + at +
                                          "\npress right\nrelease right\nrush d o o r enter\n"
                                          "expect Camera/door\nrefuse \"Camera/Bookmark name\"\n"
                                          "quit\n",
                                      arguments);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }

    TEST_CASE("keys scale the interface and the next session remembers its size") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string before = "wait done\nwait frames 3\n";
        REQUIRE(desk.view(before + "names @small\nkey ctrl+=\nwait frames 3\nnames @large\nquit\n",
                          kSmall)
                    .exit_code == 0);
        REQUIRE(desk.view(before + "names @again\nkey ctrl+0\nwait frames 3\nnames @back\nquit\n",
                          kSmall)
                    .exit_code == 0);
        const auto height = [&](const std::string& name) {
            const Place place = desk.places_of(name).at("File");
            return place.y1 - place.y0;
        };
        CHECK(height("large") > height("small"));
        CHECK(height("again") == height("large"));
        CHECK(height("back") == height("small"));
    }

    TEST_CASE("keys open and navigate menus and then go to the picture again") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey F10\nexpect \"File/Open scene ...\"\nkey right\nexpect \"Edit/Undo "
            "(not now)\"\n"
            "key right\nexpect \"Camera/Frame all\"\nkey left\nexpect \"Edit/Undo (not now)\"\nkey "
            "left\n"
            "expect File/Quit\nkey left\nexpect \"Help/Keys and mouse\"\nkey down\nkey enter\n"
            "expect \"Help sheet\"\nkey F1\n"
            // Escape closes the menu; before that, no letter runs an action.
            "key F10\nexpect File/Quit\nkey H\nkey escape\nwait frames 3\nrefuse File/Quit\n"
            "click 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "key escape\nexpect Selected/\nkey B\nexpect Panel/Scheduler\nquit\n",
            {"cornell", "--width", "120", "--height", "90", "--spp", "64"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }

    TEST_CASE("alt alone opens and closes the menus but not in combination with other input") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey alt\nexpect \"File/Open scene ...\"\nkey right\nexpect \"Edit/Undo "
            "(not now)\"\n"
            "key alt\nwait frames 3\nrefuse \"Edit/Undo (not now)\"\nkey B\nexpect "
            "Panel/Scheduler\nkey B\n"
            // Combined with a drag, a click, the wheel, another key, or text input.
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

    TEST_CASE("escape closes only the menu or list that the mouse opened") {
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
            // The list closes with the menu that opened it.
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
