// test_view_window.cpp — clicks that focus, a scaled interface, and the statistics of a large
// scene, in the real program.
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {

TEST_SUITE("app/view/window") {
    TEST_CASE("a click with control focuses on the surface there and can be undone") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        // A wall at a depth of 3 m for every direction of view.
        std::ofstream(desk.file("wall.obj")) << "v -9 -9 -3\nv 9 -9 -3\nv 9 9 -3\nv -9 9 -3\n"
                                                "f 1 2 3 4\n";
        const Ended ended = desk.view(
            "wait done\nhold ctrl\nclick 20% 70%\nlet ctrl\nwait frames 3\n"
            "expect \"Status/In focus: 3 m (the lens is a pinhole)\"\n"
            "key ctrl+shift+C\nclipboard @focused\nkey ctrl+Z\nwait frames 3\n"
            "key ctrl+shift+C\nclipboard @before\nquit\n",
            {desk.file("wall.obj"),
             "--look-at",
             "0,0,0,0,0,-1",
             "--focus",
             "7",
             "--width",
             "120",
             "--height",
             "90",
             "--spp",
             "1"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto focus_of = [&](const std::string& file) {
            const std::string line = desk.line_of(file);
            const std::string key = "\"focus_m\": ";
            const std::size_t at = line.find(key);
            return at == std::string::npos ? -1.0 : std::atof(&line[at + key.size()]);
        };
        CHECK(focus_of("focused") == doctest::Approx(3).epsilon(1e-5));
        CHECK(focus_of("before") == -1);  // only --focus 7
        CHECK(desk.line_of("before").find("--focus 7") != std::string::npos);
    }

    TEST_CASE("at twice the interface scale widgets and their click areas are twice as large") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string script =
            "wait done\nwait frames 3\nnames @names\nclick Help\n"
            "click \"Help/Keys and mouse\"\nexpect \"Help sheet\"\nkey F1\n"
            "click \"Panel/Light\"\nwait frames 3\nscreenshot @shot.png\nnames @clicked\nquit\n";
        std::map<std::string, Place> before;
        for (const char* const scale : {"1", "2"}) {
            Arguments scaled = kSmall;
            scaled.insert(scaled.end(), {"--ui-scale", scale});
            const Ended ended = desk.view(script, scaled);
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            const auto clicked = desk.places_of("clicked");
            const auto places = desk.places_of("names");
            CHECK(places.count("Object/Transform") == 1);
            CHECK(clicked.count("Object/Transform") == 0);
            for (const char* const name : {"File", "Panel/Scene", "Outliner/Search"}) {
                REQUIRE(places.count(name) == 1);
                const Place now = places.at(name);
                if (before.empty()) {
                    CHECK(now.y1 - now.y0 > 8);
                    continue;
                }
                const Place then = before.at(name);
                CHECK(now.y1 - now.y0 == doctest::Approx(2 * (then.y1 - then.y0)).epsilon(0.1));
                CHECK(now.x1 - now.x0 == doctest::Approx(2 * (then.x1 - then.x0)).epsilon(0.1));
            }
            before = places;
        }
    }

    TEST_CASE("picking in the picture scrolls the outliner to the object") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 1280 800\nwait done\nwait frames 3\nexpect Outliner/floor\n"
            "refuse \"Outliner/sunset art\"\nclick 58% 30%\n"
            "expect \"Selected/nodes/sunset art\"\nexpect \"Outliner/sunset art\"\n"
            "refuse Outliner/floor\nquit\n",
            {"interior", "--width", "480", "--height", "320", "--spp", "1"});
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }

    TEST_CASE("a narrow heat panel shows every choice whole") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey B\nwait frames 5\nclick \"Panel/Heat\"\nresize 1280 800\n"
            "wait frames 5\nnames @wide\nresize 800 600\nwait frames 5\nnames @narrow\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        for (const char* const file : {"wide", "narrow"}) {
            CAPTURE(file);
            const auto places = desk.places_of(file);
            const float right = places.at("Picture").x1;
            for (const char* const name :
                 {"Count", "On the picture", "Time", "Waste", "Keys", "Meshes", "Materials"}) {
                const auto place = places.find(std::string("Heat/") + name);
                REQUIRE_MESSAGE(place != places.end(), name);
                CHECK_MESSAGE(place->second.x1 <= right, name);
                CHECK_MESSAGE(place->second.x1 - place->second.x0 > 40, name);
            }
        }
    }

    TEST_CASE(
        "the statistics of a session with many triangles include the interface's frame times") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
#ifdef __SANITIZE_THREAD__
        const u64 triangles = 50000;  // more would take minutes to build the BVH
#else
        const u64 triangles = 1000000;
#endif
        REQUIRE(desk.view("wait picture\ndrag 40% 40% 50% 50% left\nwait picture\nquit\n",
                          {"procedural:rubble:" + std::to_string(triangles),
                           "--width",
                           "64",
                           "--height",
                           "48",
                           "--spp",
                           "1",
                           "--stats",
                           desk.file("stats.json")})
                    .exit_code == 0);
        std::ifstream stream(desk.file("stats.json"));
        const auto stats = nlohmann::json::parse(stream);
        CHECK(stats["scene"]["triangles"].get<u64>() == triangles);
        CHECK(stats["interface"]["frames"].get<u64>() > 10);
        const double p50_ms = stats["interface"]["frame_ms_p50"].get<double>();
        const double p95_ms = stats["interface"]["frame_ms_p95"].get<double>();
        CHECK(p50_ms > 0);
        CHECK(p95_ms >= p50_ms);
        CHECK(stats["interface"]["frame_ms_max"].get<double>() >= p95_ms);
        CHECK(stats["first_picture"]["count"].get<u64>() >= 2);
    }
}

}  // namespace weft::app::testing
