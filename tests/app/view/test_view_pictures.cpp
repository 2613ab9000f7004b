// test_view_pictures.cpp — environment maps and material pictures loaded in the window.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

// Writes a map of constant radiance.
void write_map(const std::string& path) {
    film::Picture map;
    map.width = 8;
    map.height = 4;
    map.channels = 3;
    map.pixels.assign(96, 2.0F);
    REQUIRE(film::write_picture(path, map).is_ok());
}

}  // namespace

TEST_SUITE("app/view/pictures") {
    TEST_CASE("a dropped map lights the scene and undo removes it") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        write_map(desk.file("sky.hdr"));
        const Ended ended = desk.view(
            "wait done\nhash @dark\nmouse 1% 50%\ndrop @sky.hdr\nwait map\nwait frames 3\nwait "
            "done\nhash @lit\n"
            "key ctrl+Z\nwait done\nhash @back\n"
            "drop @none.hdr\nwait map\nwait frames 3\nexpect Status/error\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("lit") ==
              desk.rendered_hash(with(kSmall, {"--environment", desk.file("sky.hdr")})));
        CHECK(desk.line_of("lit") != desk.line_of("dark"));
        CHECK(desk.line_of("back") == desk.line_of("dark"));
    }

    TEST_CASE("a scene and a map dropped together are opened and lit") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        write_map(desk.file("sky.hdr"));
        const Arguments after = with({"furnace"}, {kSmall.begin() + 1, kSmall.end()});
        const Ended ended = desk.view(
            "wait done\ndrop @sky.hdr furnace\nwait scene\nwait done\nhash @lit\n"
            "key ctrl+shift+C\nclipboard @line\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("lit") ==
              desk.rendered_hash(with(after, {"--environment", desk.file("sky.hdr")})));
        CHECK(desk.line_of("lit") != desk.rendered_hash(after));
        CHECK(desk.line_of("line").find("--environment") != std::string::npos);
    }

    TEST_CASE("a material picture is replaced by a file and removed again") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        film::Picture picture;
        picture.width = 4;
        picture.height = 4;
        picture.channels = 3;
        for (u32 k = 0; k < 16; ++k) {
            picture.pixels.insert(picture.pixels.end(), {1.0F, 0.2F, 0.0F});
        }
        REQUIRE(film::write_picture(desk.file("red.png"), picture).is_ok());
        const Ended ended = desk.view(
            "wait done\nhash @plain\nclick 50% 90%\nclick \"Panel/Object\"\n"
            "click \"Material/Base colour map\"\nwait frames 5\n"
            "click \"Choose a picture/Path\"\ntype @red.png\n"
            "click \"Choose a picture/Choose\"\nwait map\nwait frames 5\nwait done\n"
            "hash @swapped\nscreenshot @swapped.png\n"
            "click \"Material/Clear Base colour map\"\nwait frames 5\nwait done\nhash @without\n"
            "key ctrl+Z\nwait frames 5\nwait done\nhash @back\n"
            "key ctrl+Z\nwait frames 5\nwait done\nhash @undone\n"
            "click \"Material/Base colour map\"\nwait frames 5\n"
            "click \"Choose a picture/Path\"\ntype @none.png\n"
            "click \"Choose a picture/Choose\"\n"
            "expect \"Choose a picture/Error @none.png: there is no such file\"\nkey escape\n"
            "wait frames 3\nwait done\nhash @wrong\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const std::string set = "materials/white/base_color_texture=" + desk.file("red.png");
        CHECK(desk.line_of("swapped") == desk.rendered_hash(with(kSmall, {"--set", set})));
        CHECK(desk.line_of("swapped") != desk.line_of("plain"));
        CHECK(desk.line_of("without") == desk.line_of("plain"));
        CHECK(desk.line_of("back") == desk.line_of("swapped"));
        CHECK(desk.line_of("undone") == desk.line_of("plain"));
        CHECK(desk.line_of("wrong") == desk.line_of("plain"));
    }

    TEST_CASE("an embedded picture has its name in the scene and its number") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nclick Outliner/fence\nclick Panel/Object\n"
            "expect \"Material/Base colour map lattice · 1\"\nquit\n",
            with({"alpha_cutout"}, {kSmall.begin() + 1, kSmall.end()}));
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE("a pipe instead of a map is refused at once and the next map is read") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        write_map(desk.file("sky.hdr"));
        // Opening it to read would block for as long as this test holds it open.
        REQUIRE(::mkfifo(desk.file("pipe.hdr").c_str(), 0600) == 0);
        const int held = ::open(desk.file("pipe.hdr").c_str(), O_RDWR | O_CLOEXEC);
        REQUIRE(held >= 0);
        const Ended ended = desk.view(
            "wait done\nhash @dark\nmouse 1% 50%\ndrop @pipe.hdr\nwait map\nwait frames 3\n"
            "expect Status/error\nwait done\nhash @still\ndrop @sky.hdr\nwait map\n"
            "wait frames 3\nwait done\nhash @lit\nquit\n",
            kSmall);
        ::close(held);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("still") == desk.line_of("dark"));
        CHECK(desk.line_of("lit") ==
              desk.rendered_hash(with(kSmall, {"--environment", desk.file("sky.hdr")})));
        CHECK(desk.line_of("lit") != desk.line_of("dark"));
    }
}

}  // namespace weft::app::testing
