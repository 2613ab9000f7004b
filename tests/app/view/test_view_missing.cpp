// test_view_missing.cpp — scenes with missing pictures: opened with placeholders, and with the
// pictures once the person names their folder.
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

namespace fs = std::filesystem;

// Writes a scene with a square that fills the picture; the file of its colour lies in the folder
// maps, not where the scene says.
std::string write_scene(const Desk& desk) {
    fs::create_directories(desk.file("maps"));
    film::Picture picture;
    picture.width = 2;
    picture.height = 2;
    picture.channels = 3;
    picture.pixels = {1, 0.2F, 0, 0, 1, 0.2F, 0.2F, 0, 1, 1, 1, 0};
    REQUIRE(film::write_picture(desk.file("maps/wood.png"), picture).is_ok());
    std::ofstream(desk.file("square.mtl")) << "newmtl paint\nKd 1 1 1\nmap_Kd textures/wood.png\n";
    std::ofstream(desk.file("square.obj"))
        << "mtllib square.mtl\nv -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nvt 0 0\nvt 1 0\n"
           "vt 1 1\nvt 0 1\nusemtl paint\nf 1/1 2/2 3/3 4/4\n";
    return desk.file("square.obj");
}

}  // namespace

TEST_SUITE("app/view/missing") {
    TEST_CASE("a scene opens without its pictures and finding them keeps the edits") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string scene = write_scene(desk);
        const Arguments own = with({scene}, {kSmall.begin() + 1, kSmall.end()});
        const Ended ended = desk.view(
            "wait done\nhash @checker\nexpect Missing/wood.png\nscreenshot @missing.png\n"
            "key ctrl+shift+C\nclipboard @before\n"
            "click 50% 20%\nkey H\nwait frames 3\nwait done\n"
            "hash @edited\nclick \"Missing/Look in a folder\"\nwait frames 3\ntype @maps\n"
            "key enter\nwait frames 3\nclick \"Folder of the missing pictures/Choose\"\n"
            "wait scene\nwait frames 3\nwait done\nhash @found\nrefuse Missing/wood.png\n"
            "expect \"Status/All missing pictures were found in " +
                desk.file("maps") +
                "\"\nkey ctrl+shift+C\nclipboard @line\n"
                "key ctrl+Z\nwait frames 3\nwait done\nhash @undone\nquit\n",
            own);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const Arguments with_maps = with(own, {"--asset-root", desk.file("maps")});
        CHECK(desk.line_of("checker") ==
              desk.rendered_hash(with(own, {"--missing-file", "checker"})));
        CHECK(desk.line_of("before").find("--missing-file checker") != std::string::npos);
        CHECK(desk.line_of("edited") != desk.line_of("checker"));
        CHECK(desk.line_of("undone") == desk.rendered_hash(with_maps));
        CHECK(desk.line_of("undone") != desk.line_of("checker"));
        CHECK(desk.line_of("found") != desk.line_of("undone"));
        const std::string line = desk.line_of("line");
        CHECK(line.find("--missing-file") == std::string::npos);
        REQUIRE_MESSAGE(desk.run_line(line) == 0, line);
        CHECK(verified_film_hash(desk.file("picture.exr")) == desk.line_of("found"));
    }

    TEST_CASE("a folder without the missing pictures keeps the list and is reported") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string scene = write_scene(desk);
        fs::remove_all(desk.file("maps"));
        const Ended ended = desk.view(
            "wait done\nclick \"Missing/Look in a folder\"\nwait frames 3\n"
            "click \"Folder of the missing pictures/Choose\"\nwait scene\n"
            "expect \"Status/None of the missing pictures is in " +
                desk.folder.string() +
                "\"\nexpect Missing/wood.png\nclick Missing/Close\nwait frames 3\n"
                "refuse Missing/wood.png\nquit\n",
            with({scene}, {kSmall.begin() + 1, kSmall.end()}));
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE("render names the option that substitutes a missing picture") {
        const Desk desk;
        const std::string scene = write_scene(desk);
        const Arguments small = {"render", scene, "--width", "8", "--height", "8", "--spp", "1"};
        const Ended refused = run_weft(with(small, {"-q", "-o", desk.file("a.exr")}));
        CHECK(refused.exit_code == 3);
        CHECK(refused.err.find("wood.png: no such picture") != std::string::npos);
        CHECK(refused.err.find("--missing-file checker") != std::string::npos);
        CHECK(!fs::exists(desk.file("a.exr")));
    }
}

}  // namespace weft::app::testing
