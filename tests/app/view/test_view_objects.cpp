// test_view_objects.cpp — objects added and deleted by keys, menu and picture, and the same film
// from `weft render`.
#include <doctest/doctest.h>

#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view/objects") {
    TEST_CASE("keys duplicate and delete an object and render gives the same film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @start\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "key ctrl+D\nexpect \"Selected/nodes/short box 2\"\nwait done\nhash @copy\n"
            "click \"Outliner/short box\"\nexpect \"Selected/nodes/short box\"\nkey delete\n"
            "expect Selected/\nrefuse \"Outliner/short box\"\nwait done\nhash @swapped\n"
            // The copy has the place of the original.
            "click 50% 90%\nexpect \"Selected/nodes/short box 2\"\n"
            "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
            "click \"Save edits as/Path\"\nkey ctrl+A\ntype @swap.json\n"
            "click \"Save edits as/Choose\"\nwait frames 5\n"
            "key ctrl+Z\nexpect \"Selected/nodes/short box\"\nkey ctrl+Z\n"
            "wait done\nrefuse \"Outliner/short box 2\"\nhash @undone\n"
            "key ctrl+shift+Z\nexpect \"Selected/nodes/short box 2\"\nwait done\nhash "
            "@again\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.line_of("start"));
        CHECK(desk.line_of("again") == desk.line_of("copy"));
        const std::string copy = R"(nodes/short box 2={"copy_of": "nodes/short box"})";
        CHECK(desk.line_of("copy") == desk.rendered_hash(with(kSmall, {"--set", copy})));
        CHECK(desk.line_of("swapped") ==
              desk.rendered_hash(with(kSmall, {"--edits", desk.file("swap.json")})));
        CHECK(desk.line_of("swapped") ==
              desk.rendered_hash(with(kSmall, {"--set", copy, "--set", "nodes/short box=null"})));
    }

    TEST_CASE("the status line describes undo and redo and clicks in the history") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\nkey H\n"
            "key delete\nexpect \"Status/Deleted short box; Ctrl+Z brings it back\"\n"
            "key ctrl+Z\nexpect \"Status/Undone: deleted short box\"\n"
            "key ctrl+Z\nexpect \"Status/Undone: hid short box\"\n"
            "key ctrl+shift+Z\nexpect \"Status/Redone: hid short box\"\n"
            "click Panel/History\nclick History/2\n"
            "expect \"Status/Redone: deleted short box\"\nclick History/0\n"
            "expect \"Status/Undone, 2 steps, the last: hid short box\"\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }

    TEST_CASE("an object gets another material and render gives the same film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @start\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "click Panel/Object\nclick Material/Material\nclick \"Material/Material red\"\n"
            "expect \"Selected/nodes/short box\"\nwait done\nhash @red\n"
            "key ctrl+Z\nexpect \"Status/Undone: gave short box the material red\"\nwait done\n"
            "hash @undone\nkey ctrl+shift+Z\nwait done\nhash @again\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.line_of("start"));
        CHECK(desk.line_of("again") == desk.line_of("red"));
        CHECK(desk.line_of("red") ==
              desk.rendered_hash(
                  with(kSmall, {"--set", "nodes/short box/material=\"materials/red\""})));
    }

    TEST_CASE("panels and status line name the new material at once") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick Panel/Pixel\nmouse 50% 90%\nkey I\n"
            "expect \"Inspector/Material white\"\n"
            "click 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "click Panel/Object\nclick Material/Material\nclick \"Material/Material red\"\n"
            "expect \"Status/short box · red\"\nexpect \"Material/Shows red\"\n"
            "click Panel/Pixel\nexpect \"Inspector/Material red\"\nwait done\n"
            "key ctrl+Z\nexpect \"Inspector/Material white\"\n"
            "click Panel/Object\nexpect \"Material/Shows white\"\nkey ctrl+shift+Z\n"
            "expect \"Material/Shows red\"\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
    }

    TEST_CASE("an object gets a copy of a shared material and render gives the same film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @start\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "click Panel/Object\nexpect \"Material/Used by 6 objects\"\n"
            "click \"Material/Make own\"\nexpect \"Material/Shows white 2\"\n"
            "expect \"Status/short box · white 2, used by nothing else\"\n"
            "expect \"Material/Used by this object alone\"\nrefuse \"Material/Make own\"\n"
            "wait done\nhash @own\nclick File\nclick \"File/Save edits as ...\"\n"
            "wait frames 5\nclick \"Save edits as/Path\"\nkey ctrl+A\ntype @own.json\n"
            "click \"Save edits as/Choose\"\nwait frames 5\n"
            "key ctrl+Z\n"
            "expect \"Status/Undone: gave short box its own material\"\n"
            "expect \"Material/Used by 6 objects\"\nrefuse \"Outliner/white 2\"\n"
            "wait done\nhash @undone\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Arguments own = with(kSmall,
                                   {"--set",
                                    R"(materials/white 2={"copy_of": "materials/white"})",
                                    "--set",
                                    "nodes/short box/material=\"materials/white 2\""});
        CHECK(desk.line_of("own") == desk.rendered_hash(own));
        CHECK(desk.line_of("own") ==
              desk.rendered_hash(with(kSmall, {"--edits", desk.file("own.json")})));
        CHECK(desk.line_of("undone") == desk.line_of("start"));
    }

    TEST_CASE("the menu duplicates and deletes an emissive object and its light goes") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick 50% 16%\nexpect Selected/nodes/light\nclick Edit\nclick "
            "Edit/Duplicate\n"
            "expect \"Selected/nodes/light 2\"\nwait done\nhash @two\n"
            "click Edit\nclick Edit/Delete\nexpect Selected/\n"
            "click 50% 16%\nexpect Selected/nodes/light\nkey delete\nwait done\nhash @none\n"
            "key delete\nexpect \"Status/Select an object or a light to delete it\"\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("none") ==
              desk.rendered_hash(with(kSmall, {"--set", "nodes/light=null"})));
        CHECK(desk.line_of("two") !=
              desk.rendered_hash(with(kSmall, {"--set", "nodes/light=null"})));
    }

    TEST_CASE("a scene is emptied object by object until nothing is left to pick") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @start\nclick 20% 50%\nexpect Selected/nodes/matte\nkey delete\n"
            "wait done\nclick 80% 50%\nexpect Selected/nodes/glass\nkey delete\nwait done\n"
            "click 60% 50%\nexpect Selected/nodes/metal\nkey delete\nwait done\n"
            "click 40% 50%\nexpect Selected/nodes/glossy\nkey delete\nwait done\nhash @none\n"
            "click 40% 50%\nexpect Selected/\nkey ctrl+Z\nexpect Selected/nodes/glossy\n"
            "key escape\nwait done\nclick 40% 50%\nexpect Selected/nodes/glossy\n"
            "key ctrl+Z\nkey ctrl+Z\nkey ctrl+Z\nexpect Selected/nodes/matte\nwait done\n"
            "hash @undone\nquit\n",
            {"furnace", "--width", "60", "--height", "40", "--spp", "4"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("none") != desk.line_of("start"));
        CHECK(desk.line_of("undone") == desk.line_of("start"));
    }

    TEST_CASE("an eye switches a light off as render does by its name") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Arguments many = with({"many_lights"}, {kSmall.begin() + 1, kSmall.end()});
        const Ended ended = desk.view(
            "wait done\nhash @lit\nclick Outliner/Objects\nclick \"Outliner/Eye point 0\"\nwait "
            "frames 3\nwait done\n"
            "hash @off\nkey ctrl+Z\nexpect \"Status/Undone: switched off point 0\"\nwait done\n"
            "hash @undone\nclick \"Outliner/point 0\"\nkey H\nwait frames 3\nwait done\n"
            "hash @hidden\nkey ctrl+shift+C\nclipboard @line\nkey alt+H\nwait frames 3\n"
            "wait done\nhash @all\nquit\n",
            many);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("lit") == desk.rendered_hash(many));
        CHECK(desk.line_of("off") != desk.line_of("lit"));
        CHECK(desk.line_of("off") == desk.rendered_hash(with(many, {"--hide", "point 0"})));
        CHECK(desk.line_of("off") ==
              desk.rendered_hash(with(many, {"--set", "lights/point 0/visible=false"})));
        CHECK(desk.line_of("lit") ==
              desk.rendered_hash(with(many, {"--hide", "point 0", "--show", "point 0"})));
        CHECK(desk.line_of("undone") == desk.line_of("lit"));
        CHECK(desk.line_of("hidden") == desk.line_of("off"));
        CHECK(desk.line_of("all") == desk.line_of("lit"));
        REQUIRE_MESSAGE(desk.run_line(desk.line_of("line")) == 0, desk.line_of("line"));
        CHECK(verified_film_hash(desk.file("picture.exr")) == desk.line_of("off"));
    }
}

}  // namespace weft::app::testing
