// test_viewer.cpp — the real program, driven by scripts of input events on its own display.
//
// Without Xvfb only the tests that need no display run.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view/viewer") {
    TEST_CASE("without a display the viewer ends with one sentence and exit code 1") {
        const char* const display = std::getenv("DISPLAY");
        const std::string before = display == nullptr ? "" : display;
        ::unsetenv("DISPLAY");
        ::unsetenv("WAYLAND_DISPLAY");
        const Ended ended = run_weft({"view", "cornell"});
        CHECK(ended.exit_code == 1);
        CHECK(lines_of(ended.err).size() == 1);
        CHECK(ended.err.find("no window can be opened (neither DISPLAY nor") != std::string::npos);
        if (!before.empty()) {
            ::setenv("DISPLAY", before.c_str(), 1);
        }
    }

    TEST_CASE("a wrong script ends the viewer with its line and exit code 2") {
        const Desk desk;
        const Ended ended = desk.view("wait done\nclik 1 2\n", {});
        CHECK(ended.exit_code == 2);
        CHECK(ended.err.find("script.txt:2: found 'clik 1 2'; expected") != std::string::npos);
    }

    TEST_CASE("a saved picture has the film hash that render gives") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended =
            desk.view("wait done\nhash @hash\nsave @saved.exr\nsave @saved.png\nquit\n", kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const std::string expected = desk.rendered_hash(kSmall);
        CHECK(desk.line_of("hash") == expected);
        CHECK(verified_film_hash(desk.file("saved.exr")) == expected);
        const auto picture = film::read_picture(desk.file("saved.png"));
        REQUIRE(picture.is_ok());
        CHECK(picture.value().width == 120);
    }

    TEST_CASE("C8 sections open or closed and hidden nodes are those that render gives") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        Arguments open = kSmall;
        for (const char* const word : {"--environment-color",
                                       "1,1,1",
                                       "--clip-plane",
                                       "0,-1,0,0.25",
                                       "--hide",
                                       "tall box"}) {
            open.emplace_back(word);
        }
        Arguments closed = open;
        closed.emplace_back("--clip-cap");
        std::vector<std::string> hashes;
        for (const Arguments& options : {kSmall, open, closed}) {
            const Ended ended = desk.view("wait done\nhash @hash\nclick 50% 90%\nquit\n", options);
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            hashes.push_back(desk.line_of("hash"));
            CHECK(hashes.back() == desk.rendered_hash(options));
        }
        CHECK(hashes[0] != hashes[1]);
        CHECK(hashes[1] != hashes[2]);
        // The same by the panel's switch, which is a step of undo among others.
        const Ended switched = desk.view(
            "wait done\nhash @open\nclick \"Panel/View\"\nclick \"Section/Closed\"\nwait frames 3\n"
            "wait done\nhash @closed\nclick 50% 90%\nclick \"Panel/Object\"\n"
            "key H\nwait frames 3\nwait done\nhash @edited\nsave @edited.exr\n"
            "key ctrl+shift+C\nclipboard @line.sh\nkey ctrl+Z\nwait done\nhash @undone\n"
            "key ctrl+Z\nwait frames 3\nwait done\nhash @again\n"
            "key ctrl+shift+Z\nwait frames 3\nwait done\nhash @redone\n"
            "click File\nclick \"File/Save edits as ...\"\nwait frames 5\n"
            "click \"Save edits as/Path\"\nkey ctrl+A\ntype @cut.json\n"
            "click \"Save edits as/Choose\"\nwait frames 5\nquit\n",
            open);
        CHECK(switched.err == "");
        REQUIRE(switched.exit_code == 0);
        CHECK(desk.line_of("open") == hashes[1]);
        CHECK(desk.line_of("closed") == hashes[2]);
        CHECK(desk.line_of("edited") != hashes[2]);
        CHECK(verified_film_hash(desk.file("edited.exr")) == desk.line_of("edited"));
        CHECK(desk.line_of("line.sh").find("view/clip_cap=true") != std::string::npos);
        CHECK(desk.line_of("undone") == hashes[2]);
        CHECK(desk.line_of("again") == hashes[1]);
        CHECK(desk.line_of("redone") == hashes[2]);
        CHECK(desk.rendered_hash(with(open, {"--edits", desk.file("cut.json")})) == hashes[2]);
    }

    TEST_CASE("a drag orbits and a click selects the object there") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @before\nclick 50% 90%\nexpect \"Selected/nodes/short box\"\n"
            "key escape\nexpect Selected/\n"
            "drag 50% 50% 70% 55% left\nwait done\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
        CHECK(!desk.line_of("before").empty());
        CHECK(!desk.line_of("after").empty());
        CHECK(desk.line_of("before") != desk.line_of("after"));
    }

    TEST_CASE("a dragged region is the one that render gives with its pixel bounds") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey R\ndrag 25% 20% 75% 60% left\nwait done\nhash @region\n"
            "key escape\nwait done\nhash @whole\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        Arguments bounded = kSmall;
        bounded.insert(bounded.end(), {"--pixelbounds", "30,90,18,54"});
        CHECK(desk.line_of("region") == desk.rendered_hash(bounded));
        CHECK(desk.line_of("whole") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("a snapshot stays left of the line with the picture right of it") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nwait frames 3\nkey A\nwait frames 3\nscreenshot @a.png\n"
            "key ]\nkey ]\nkey ]\nwait frames 10\nscreenshot @b.png\n"
            "drag 50% 50% 90% 50% left\nscreenshot @c.png\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto a = film::read_picture(desk.file("a.png"));
        const auto b = film::read_picture(desk.file("b.png"));
        const auto c = film::read_picture(desk.file("c.png"));
        REQUIRE((a.is_ok() && b.is_ok() && c.is_ok()));
        const u32 middle = a.value().height / 2;
        const u32 left = a.value().width * 3 / 10;
        const u32 right = a.value().width * 6 / 10;
        CHECK(a.value().at(left, middle, 0) == b.value().at(left, middle, 0));
        CHECK(a.value().at(right, middle, 0) < b.value().at(right, middle, 0));
        CHECK(a.value().at(right, middle, 0) == c.value().at(right, middle, 0));
    }

    TEST_CASE("the help sheet opens and closes by its key and by the menu") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "refuse \"Help sheet\"\nkey F1\nexpect \"Help sheet\"\nkey escape\n"
            "refuse \"Help sheet\"\nclick Help\nclick \"Help/Keys and mouse\"\n"
            "expect \"Help sheet\"\nscreenshot @help.png\nquit\n",
            {});
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
        const auto shot = film::read_picture(desk.file("help.png"));
        REQUIRE(shot.is_ok());
        CHECK(shot.value().width > 600);
    }

    TEST_CASE("without a scene every key and drag is safe and one can be opened afterwards") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        std::istringstream keys(
            "1 3 7 5 C F home V ctrl+B alt+F R escape P P ] A W W B K K M G H shift+H alt+H ctrl+E "
            "ctrl+P ctrl+S ctrl+shift+S ctrl+shift+C B");
        std::string script;
        for (std::string key; keys >> key;) {
            script += "key " + key + '\n';
        }
        script +=
            "drag 40% 40% 60% 50% left\ndrag 40% 40% 60% 50% middle\nmouse 50% 50%\nscroll 2\n"
            "key ctrl+Z\nexpect \"Status/There is nothing to undo\"\nkey ctrl+shift+Z\n"
            "drop cornell\nwait scene\nwait done\nhash @hash\nquit\n";
        const Ended ended = desk.view(script, {"--width", "120", "--height", "90", "--spp", "4"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hash") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("an unreadable scene keeps the open one and says why") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @before\ndrop /nowhere/at-all.glb\nwait scene\nwait frames 5\n"
            "expect Status/error\nwait done\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
        CHECK(!desk.line_of("before").empty());
        CHECK(desk.line_of("before") == desk.line_of("after"));
    }

    TEST_CASE("each of ten scenes in a row is shown") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        std::string script = "wait done\n";
        for (int k = 0; k < 10; ++k) {
            const char* const scene = k % 3 == 0   ? "procedural:rubble:2K"
                                      : k % 3 == 1 ? "procedural:spheres:2K"
                                                   : "cornell";
            script += std::string("drop ") + scene + "\nwait scene\nwait picture\n";
        }
        const Ended ended = desk.view(script + "wait done\nhash @last\nquit\n", kSmall);
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
        CHECK(!desk.line_of("last").empty());
    }

    TEST_CASE("windows that are resized or closed while a scene loads do not hang") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended resized = desk.view(
            "wait picture\nresize 640 400\nwait frames 5\nwait picture\nminimise\n"
            "wait frames 5\nrestore\nresize 900 600\nwait frames 5\nwait done\n"
            "screenshot @shot.png\nquit\n",
            {"cornell", "--spp", "2"});
        CHECK(resized.err == "");
        CHECK(resized.exit_code == 0);
        const auto shot = film::read_picture(desk.file("shot.png"));
        REQUIRE(shot.is_ok());
        CHECK(shot.value().width == 900);
        CHECK(shot.value().height == 600);
        const Ended closed = desk.view("quit\n", {"procedural:rubble:300K"});
        CHECK(closed.err == "");
        CHECK(closed.exit_code == 0);
    }

    TEST_CASE("the statistics of a session include frames and first pictures") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        Arguments arguments = kSmall;
        arguments.insert(arguments.end(), {"--stats", desk.file("stats.json")});
        REQUIRE(desk.view("wait done\ndrag 40% 40% 50% 50% left\nwait done\nquit\n", arguments)
                    .exit_code == 0);
        std::ifstream stream(desk.file("stats.json"));
        const auto stats = nlohmann::json::parse(stream);
        CHECK(stats["interface"]["frames"].get<int>() > 10);
        CHECK(stats["interface"]["frame_ms_p95"].get<double>() >=
              stats["interface"]["frame_ms_p50"].get<double>());
        CHECK(stats["first_picture"]["count"].get<int>() >= 2);
        CHECK(stats["render"]["samples_per_pixel"].get<int>() == 4);
    }
}

}  // namespace weft::app::testing
