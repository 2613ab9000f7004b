// test_view_figures.cpp — the panels about the renderer's work, in the real program: scheduler
// figures, heat, and the comparison of modes.
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/film/image_file.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

// The columns in which two screenshots differ, along a row across the picture.
std::vector<u32> different_columns(const std::string& one, const std::string& other) {
    const auto a = film::read_picture(one);
    const auto b = film::read_picture(other);
    REQUIRE((a.is_ok() && b.is_ok()));
    const u32 y = a.value().height * 2 / 5;
    std::vector<u32> columns;
    for (u32 x = 0; x < a.value().width; ++x) {
        if (a.value().at(x, y, 0) != b.value().at(x, y, 0) ||
            a.value().at(x, y, 2) != b.value().at(x, y, 2)) {
            columns.push_back(x);
        }
    }
    return columns;
}

}  // namespace

TEST_SUITE("app/view/figures") {
    TEST_CASE("heat lies over the picture and names objects and keeps the film") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @cold\nkey B\nwait frames 5\nclick \"Panel/Heat\"\nwait frames 3\n"
            "screenshot @cold.png\nkey K\nwait frames 5\nwait done\nwait frames 40\n"
            "expect \"Heat/Picture\"\nscreenshot @hot.png\nhash @hot\nnames @names\n"
            "click \"Heat/Materials\"\nclick \"Heat/Keys\"\nclick \"Heat/Waste\"\nwait frames 5\n"
            "expect \"Heat/Picture\"\nclick \"Heat/Count\"\nwait frames 5\nwait done\n"
            "refuse \"Heat/Picture\"\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("hot") == desk.line_of("cold"));
        CHECK(desk.line_of("after") == desk.line_of("cold"));
        const auto cold = film::read_picture(desk.file("cold.png"));
        const auto hot = film::read_picture(desk.file("hot.png"));
        REQUIRE((cold.is_ok() && hot.is_ok()));
        u32 changed = 0;
        for (u32 y = 0; y < cold.value().height / 2; ++y) {
            for (u32 x = 0; x < cold.value().width; ++x) {
                changed += cold.value().at(x, y, 0) == hot.value().at(x, y, 0) ? 0U : 1U;
            }
        }
        CHECK(changed > 10000);
    }

    TEST_CASE("W9 a unit that is detached in the panel renders nothing until it is attached") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        std::string open_panels = "key B\nwait frames 5\n";  // later viewers find them open
        const auto units_after = [&](const std::string& clicks) {
            const Ended ended = desk.view(
                "wait done\nhash @before\n" + std::exchange(open_panels, "") +
                    "click Panel/Scheduler\n" + clicks +
                    "drag 50% 50% 70% 55% left\nwait done\nhash @other\nwait frames 10\nquit\n",
                with(kSmall, {"-t", "2", "--stats", desk.file("stats.json")}));
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            CHECK(desk.line_of("before") == desk.rendered_hash(kSmall));
            std::ifstream stream(desk.file("stats.json"));
            return nlohmann::json::parse(stream).at("units").get<std::vector<u64>>();
        };
        constexpr u64 kSamples = 120 * 90 * 4;
        const std::string out =
            "click \"Scheduler/Unit 1\"\nexpect \"Status/Unit 1 is detached\"\n";
        CHECK(units_after(out) == std::vector<u64>{kSamples, 0});
        const std::string turned = desk.line_of("other");
        CHECK(units_after("click \"Scheduler/Unit 0\"\nwait frames 3\nclick \"Scheduler/Unit 1\"\n"
                          "expect \"Status/The last unit cannot be detached\"\n") ==
              std::vector<u64>{0, kSamples});
        CHECK(desk.line_of("other") == turned);
        const std::vector<u64> both = units_after(out +
                                                  "wait frames 3\nclick \"Scheduler/Unit 1\"\n"
                                                  "expect \"Status/Unit 1 renders again\"\n");
        CHECK(both.at(0) + both.at(1) == kSamples);
        CHECK(desk.line_of("other") == turned);
    }

    TEST_CASE("false colours of depth span the nearest to the farthest visible surface") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @before\nclick Panel/View\nclick View/Layer\n"
            "click \"View/Layer depth\"\nclick \"View/False colours\"\n"
            "expect \"View/Scale 3.1 to 5.1 m\"\nwait done\nhash @after\n"
            "mouse 50% 50%\nscroll 5\nwait frames 40\nrefuse \"View/Scale 3.1 to 5.1 m\"\n"
            "refuse \"View/Scale 0.125 to 4.1e+03 m\"\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("after") == desk.line_of("before"));
    }

    TEST_CASE("three modes are compared in turns and the picture resumes afterwards") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey B\nwait frames 5\nclick \"Panel/Compare\"\nwait frames 3\n"
            "click \"Compare/Compare\"\nclick \"Compare/Forget\"\n"
            "expect \"Compare/Compare\"\nclick \"Compare/Compare\"\nwait frames 3\n"
            "click \"Compare/keyed done\"\nclick \"Compare/unkeyed done\"\n"
            "click \"Compare/embree done\"\nexpect \"Compare/Same\"\n"
            "wait done\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("after") == desk.rendered_hash(kSmall));
    }

    TEST_CASE(
        "compared modes lie over the picture as strips or separated by lines that can be dragged") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey M\nrefuse \"Compared/keyed\"\nkey B\nwait frames 5\n"
            "click \"Panel/Compare\"\nwait frames 3\nclick \"Compare/Compare\"\n"
            "click \"Compare/keyed done\"\nclick \"Compare/unkeyed done\"\n"
            "click \"Compare/embree done\"\nexpect \"Compare/Same\"\n"
            "click \"Compare/Side by side\"\nexpect \"Compared/keyed\"\nmouse 50% 90%\n"
            "wait frames 3\nscreenshot @strips.png\ndrag 50% 50% 70% 50% left\nmouse 50% 90%\n"
            "wait frames 3\nscreenshot @pulled_strips.png\n"
            "key M\nexpect \"Compared/Line 1\"\nwait frames 3\nscreenshot @lines.png\n"
            "drag 33.333% 60% 60% 60% left\nmouse 50% 90%\nwait frames 3\n"
            "screenshot @pulled_lines.png\nkey escape\nwait frames 3\n"
            "refuse \"Compared/keyed\"\nwait done\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        // The mouse over the comparison did not move the camera.
        CHECK(desk.line_of("after") == desk.rendered_hash(kSmall));
        // Keyed replaced unkeyed, which has the same film: only the line changed.
        const std::vector<u32> moved =
            different_columns(desk.file("lines.png"), desk.file("pulled_lines.png"));
        REQUIRE(moved.size() >= 2);
        CHECK(moved.size() < 10);
        CHECK(moved.back() - moved.front() > 20);
        CHECK(different_columns(desk.file("strips.png"), desk.file("lines.png")).size() > 100);
        CHECK(different_columns(desk.file("strips.png"), desk.file("pulled_strips.png")).size() >
              100);
    }

    TEST_CASE("a comparison closes with its panel and the pixel panel reads the visible picture") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nkey M\nkey B\nwait frames 5\nclick \"Panel/Compare\"\nwait frames 3\n"
            "click \"Compare/Compare\"\n"
            "click \"Compare/keyed done\"\nclick \"Compare/unkeyed done\"\n"
            "click \"Compare/embree done\"\nexpect \"Status/The comparison is done\"\n"
            "click \"Compare/Side by side\"\nexpect \"Compared/keyed\"\nclick Panel/Pixel\n"
            "mouse 10% 40%\nexpect \"Inspector/Mode keyed\"\nmouse 50% 40%\n"
            "expect \"Inspector/Mode unkeyed\"\nmouse 90% 40%\nexpect \"Inspector/Mode embree\"\n"
            "key B\nwait frames 5\nrefuse \"Compared/keyed\"\nmouse 50% 41%\nwait frames 3\n"
            "refuse \"Inspector/Mode unkeyed\"\nkey M\nexpect \"Compared/keyed\"\n"
            // A changed view removes the comparison from the picture.
            "click Panel/Compare\nkey home\nwait frames 5\nrefuse \"Compared/keyed\"\n"
            "expect Compare/Outdated\nhold ctrl\nclick Compare/Samples\nlet ctrl\nkey ctrl+A\n"
            "type 4000\nkey enter\nclick \"Compare/Compare\"\n"
            "expect \"Status/Comparing keyed, unkeyed and embree: 4000 samples each\"\nkey B\n"
            "expect \"Status/The comparison has ended: its panel is closed\"\n"
            "key ctrl+Z\nwait done\nhash @after\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("after") == desk.rendered_hash(kSmall));
    }

    TEST_CASE("a recorded timeline has one row per worker after many edits and is exported") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait samples 1\nkey B\nclick \"Panel/Timeline\"\nclick \"Timeline/Record\"\n"
            "drag 40% 40% 50% 45% left\nwait picture\ndrag 50% 45% 40% 40% left\nwait picture\n"
            "drag 40% 40% 45% 45% left\nwait picture\ndrag 45% 45% 40% 40% left\nwait picture\n"
            "drag 40% 40% 45% 45% left\nwait samples 1\nclick \"Timeline/Export\"\n"
            "expect \"Save the trace as/Path\"\nwait frames 3\nkey ctrl+A\ntype @trace.json\n"
            "key enter\nwait frames 3\nwait saved\nquit\n",
            {"cornell", "--width", "120", "--height", "90", "--spp", "100000", "--threads", "2"});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        std::ifstream file(desk.file("trace.json"));
        const auto trace = nlohmann::json::parse(file);
        std::map<std::string, u32> rows;
        u32 marks = 0;
        for (const nlohmann::json& event : trace.at("traceEvents")) {
            if (event.at("name") == "thread_name") {
                ++rows[event.at("args").at("name").get<std::string>()];
            }
            marks += event.at("ph") == "X" ? 1U : 0U;
        }
        // Some renderers stay alive with their workers; each of the dozens in a drag had workers.
        CHECK(rows["worker 0"] >= 1);
        CHECK(rows["worker 0"] <= 6);
        CHECK(rows["worker 1"] <= 6);
        CHECK(marks > 100);
    }

    TEST_CASE("a comparison ends when the camera moves or another scene comes and both are shown") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string compare =
            "click \"Compare/Compare\"\nexpect \"Compare/Stop\"\nresize 900 640\n"
            "wait frames 5\nexpect \"Compare/Stop\"\n";
        const std::string ended_so =
            "expect \"Status/The comparison has ended: the view has changed\"\n";
        const Ended ended = desk.view(
            "wait done\nkey B\nwait frames 5\nclick \"Panel/Compare\"\nwait frames 3\n"
            "click \"Compare/Samples\"\n" +
                compare + "drag 50% 30% 60% 35% left\n" + ended_so +
                "wait done\nhash @moved\nkey ctrl+Z\nwait done\nhash @back\n" + compare +
                "wait frames 10\ndrop procedural:spheres:500\nwait scene\n"
                "expect \"Compare/Compare\"\nkey M\nexpect \"Status/No comparison yet: begin one "
                "in the panel Compare below the picture\"\n"
                "wait done\nhash @other\nquit\n",
            kSmall);
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("back") == desk.rendered_hash(kSmall));
        CHECK(desk.line_of("moved") != desk.line_of("back"));
        Arguments other = kSmall;
        other.front() = "procedural:spheres:500";
        CHECK(desk.line_of("other") == desk.rendered_hash(other));
    }

    TEST_CASE("figures and the timeline are shown during a render") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait samples 1\nkey B\nwait frames 5\nclick \"Panel/Scheduler\"\nwait frames 20\n"
            "expect \"Scheduler/Queue\"\nexpect \"Scheduler/Ages\"\n"
            "click \"Panel/Timeline\"\nclick \"Timeline/Record\"\nwait frames 20\n"
            "click \"Timeline/Pause\"\nclick \"Timeline/10 ms\"\nscroll 2\nwait frames 3\nquit\n",
            {"cornell", "--width", "120", "--height", "90", "--spp", "100000"});
        CHECK(ended.err == "");
        CHECK(ended.exit_code == 0);
    }
}

}  // namespace weft::app::testing
