// test_view_open.cpp — the empty window, the file chooser, dropped pictures, and status lines that
// expire.
#include <filesystem>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

namespace fs = std::filesystem;

const Arguments kNoScene = {kSmall.begin() + 1, kSmall.end()};

// Writes a picture of one colour.
void write_picture(const std::string& path, float red, float green, float blue) {
    film::Picture picture;
    picture.width = 8;
    picture.height = 4;
    picture.channels = 3;
    for (u32 k = 0; k < 32; ++k) {
        picture.pixels.insert(picture.pixels.end(), {red, green, blue});
    }
    REQUIRE(film::write_picture(path, picture).is_ok());
}

}  // namespace

TEST_SUITE("app/view/open") {
    TEST_CASE("an empty window offers examples and a click opens one") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "expect Welcome/Open\nexpect Welcome/procedural:spheres:100K\n"
            "screenshot @empty.png\nclick Welcome/cornell\nwait scene\nwait done\n"
            "hash @hash\nrefuse Welcome/Open\nquit\n",
            kNoScene);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("menu items that need a scene are grey without one") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "click File\nexpect \"File/Save edits (not now)\"\nexpect \"File/Open scene ...\"\n"
            "key escape\nkey R\nexpect \"Status/No scene is open\"\ndrop cornell\nwait scene\n"
            "wait done\nrefuse \"Status/No scene is open\"\nclick File\n"
            "expect \"File/Save edits\"\nclick Edit\nexpect \"Edit/Undo (not now)\"\nquit\n",
            kNoScene);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE("a wrong name keeps the chooser open and an example is chosen in it") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string wrong = (fs::current_path() / "nowhere.glb").string();
        const Ended ended = desk.view(
            "key ctrl+O\nexpect \"Open a scene/cornell\"\nwait frames 3\ntype nowhere.glb\n"
            "key enter\nexpect \"Open a scene/Error " +
                wrong +
                ": there is no such file\"\nscreenshot @wrong.png\n"
                "click \"Open a scene/cornell\"\nclick \"Open a scene/Choose\"\nwait scene\n"
                "wait done\nhash @hash\nrefuse \"Open a scene/Path\"\n"
                "key ctrl+P\nwait frames 3\nkey ctrl+A\ntype @picture.xyz\nkey enter\n"
                "wait frames 5\nclick \"Save the picture as/Path\"\nkey ctrl+A\n"
                "type @picture\nkey enter\nwait saved\nquit\n",
            kNoScene);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(kSmall));
        CHECK(fs::exists(desk.file("picture.exr")));
    }

    TEST_CASE("the chooser starts in the last folder of each kind of file across sessions") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        fs::create_directories(desk.file("maps"));
        write_picture(desk.file("maps/sky.hdr"), 2, 2, 2);
        const std::string maps = "expect \"Light with a map/In " + desk.file("maps") + "\"\n";
        const Ended first = desk.view(
            "wait done\nkey ctrl+E\nwait frames 3\ntype @maps/sky.hdr\nkey enter\nwait map\n"
            "key ctrl+O\nwait frames 3\nrefuse \"Open a scene/In " +
                desk.file("maps") + "\"\nkey escape\nkey ctrl+E\n" + maps +
                "key escape\nkey ctrl+Z\nquit\n",
            kSmall);
        CHECK(first.err == "");
        REQUIRE(first.exit_code == 0);
        const Ended next = desk.view("wait done\nkey ctrl+E\n" + maps + "quit\n", kSmall);
        CHECK(next.err == "");
        CHECK(next.exit_code == 0);
    }

    TEST_CASE(
        "a picture dropped on an object becomes its map and on the background the environment") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        write_picture(desk.file("red.png"), 1, 0.2F, 0);
        write_picture(desk.file("sky.hdr"), 2, 2, 2);
        const Ended ended = desk.view(
            "wait done\nhash @plain\nmouse 50% 90%\ndrop @red.png\n"
            "expect \"Drop/Base colour map\"\nscreenshot @drop.png\n"
            "click \"Drop/Base colour map\"\nwait map\nwait frames 5\nwait done\nhash @painted\n"
            "mouse 1% 50%\ndrop @sky.hdr\nwait map\nwait frames 5\nwait done\nhash @lit\n"
            "mouse 50% 90%\ndrop @sky.hdr\nclick Drop/Cancel\nwait frames 3\n"
            "refuse Drop/Cancel\nwait done\nhash @same\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Arguments painted =
            with(kSmall, {"--set", "materials/white/base_color_texture=" + desk.file("red.png")});
        CHECK(desk.line_of("painted") == desk.rendered_hash(painted));
        CHECK(desk.line_of("painted") != desk.line_of("plain"));
        CHECK(desk.line_of("lit") ==
              desk.rendered_hash(with(painted, {"--environment", desk.file("sky.hdr")})));
        CHECK(desk.line_of("same") == desk.line_of("lit"));
    }

    TEST_CASE("a status line disappears when it is no longer true") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey R\n"
            "expect \"Status/Drag a rectangle: only that part will be rendered; Esc cancels\"\n"
            "key escape\nwait frames 3\nexpect Status/\n"
            "key alt+F\nexpect \"Status/Click a point to focus on it; Esc cancels\"\n"
            "key escape\nwait frames 3\nexpect Status/\n"
            "key ]\nkey ctrl+Z\nexpect \"Status/Undone: set the exposure to 0.3333 stops\"\n"
            "key ]\nwait frames 3\nexpect Status/\n"
            "click 50% 90%\nwait frames 3\nrefuse Status/\ndrag 40% 40% 60% 50% left\n"
            "wait frames 3\nexpect Status/\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }
}

}  // namespace weft::app::testing
