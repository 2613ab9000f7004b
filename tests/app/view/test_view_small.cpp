// test_view_small.cpp — small windows and large text: everything stays visible and whole.
#include <algorithm>
#include <map>
#include <tuple>

#include <doctest/doctest.h>

#include "tests/app/view/desk.h"

namespace weft::app::testing {

namespace {

bool is_within(const Place& place, float width, float height) {
    return place.x0 >= 0 && place.y0 >= 0 && place.x1 <= width && place.y1 <= height;
}

}  // namespace

TEST_SUITE("app/view/small") {
    TEST_CASE("in a small window with large text every tab is visible and opens its panel") {
        for (const char* const scale : {"1", "2"}) {
            const Desk desk;  // each has its own settings
            if (!desk.is_there()) {
                return;
            }
            CAPTURE(scale);
            const Ended ended = desk.view(
                "resize 800 600\nwait scene\nkey B\nclick 50% 50%\nwait frames 5\nnames @names\n"
                "click Panel/Pixel\nmouse 50% 50%\nexpect Inspector/Hold\nclick Panel/Render\n"
                "expect \"Render/Samples\"\nclick Panel/Compare\nexpect Compare/Compare\n"
                "click Panel/Scene\nexpect Outliner/Search\nquit\n",
                with(kSmall, {"--ui-scale", scale}));
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            const auto places = desk.places_of("names");
            for (const char* const name : {"Scene",
                                           "History",
                                           "Object",
                                           "Light",
                                           "View",
                                           "Render",
                                           "Pixel",
                                           "Scheduler",
                                           "Timeline",
                                           "Heat",
                                           "Compare"}) {
                CAPTURE(name);
                const auto found = places.find(std::string("Panel/") + name);
                REQUIRE(found != places.end());
                CHECK(is_within(found->second, 800, 600));
            }
        }
    }

    TEST_CASE("rows of settings and of the comparison are whole in a small window") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 800 600\nwait scene\nkey B\nclick Panel/Compare\nexpect Compare/Compare\n"
            "wait frames 3\nnames @compare\nmouse 400 530\nscroll -2\nwait frames 5\n"
            "names @looks\nscroll 30\nkey B\nclick Panel/Render\nwait frames 5\nmouse 650 400\n"
            "scroll -4\nwait frames 5\nnames @filter\nquit\n",
            with(kSmall, {"--ui-scale", "2"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto width = [](const Place& place) { return place.x1 - place.x0; };
        const auto filter = desk.places_of("filter");
        REQUIRE(filter.count("Render/Clamp indirect") == 1);
        CHECK(width(filter.at("Render/Clamp indirect")) > 140);
        REQUIRE(filter.count("Render/Pixel filter") == 1);
        CHECK(width(filter.at("Render/Pixel filter")) > 195);
        const auto compare = desk.places_of("compare");
        const Place& picture = compare.at("Picture");
        CHECK(compare.at("Panel/Compare").y1 < 450);
        const auto looks = desk.places_of("looks");
        for (const auto& places : {compare, looks}) {
            for (const auto& [name, place] : places) {
                if (name.starts_with("Compare/")) {
                    CAPTURE(name);
                    CHECK(place.x0 >= picture.x0);
                    CHECK(place.x1 <= picture.x1);
                }
            }
        }
        CHECK(looks.count("Compare/Side by side") == 1);
    }

    TEST_CASE("values, lists and buttons are whole in a small window") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 800 600\nwait done\nclick Panel/Pixel\nmouse 50% 50%\nexpect Inspector/Hold\n"
            "wait frames 20\nmouse 650 400\nscroll -2\nexpect Inspector/albedo\nwait frames 5\n"
            "names @pixel\n"
            "click Panel/View\nwait frames 5\nnames @view\nmouse 650 400\nscroll -60\n"
            "wait frames 5\nnames @section\nkey B\nclick Panel/Timeline\nwait frames 5\n"
            "names @timeline\nquit\n",
            with(kSmall, {"--ui-scale", "2"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto width = [](const Place& place) { return place.x1 - place.x0; };
        CHECK(desk.places_of("pixel").at("Inspector/albedo").x1 <= 800);
        const auto view = desk.places_of("view");
        CHECK(width(view.at("View/Layer")) > 150);
        CHECK(width(view.at("View/View transform")) > 150);
        const auto section = desk.places_of("section");
        CHECK(section.at("Section/+ across Z").x1 <= 800);
        const auto timeline = desk.places_of("timeline");
        const Place& picture = timeline.at("Picture");
        for (const char* const name : {"Record", "Pause", "1 s", "100 ms", "10 ms", "Export"}) {
            CAPTURE(name);
            const auto found = timeline.find(std::string("Timeline/") + name);
            if (found != timeline.end()) {  // else it is reached by scrolling
                CHECK(found->second.x0 >= picture.x0);
                CHECK(found->second.x1 <= picture.x1);
            }
        }
    }

    TEST_CASE("files are chosen and questions answered in a small window") {
        for (const auto& [width, height, scale] :
             {std::tuple{800, 600, "2"}, std::tuple{300, 200, "1"}}) {
            const Desk desk;
            if (!desk.is_there()) {
                return;
            }
            CAPTURE(width);
            const Ended ended = desk.view(
                "resize " + std::to_string(width) + ' ' + std::to_string(height) +
                    "\nwait done\nkey ]\nkey ctrl+P\nexpect \"Save the picture as/Path\"\n"
                    "wait frames 5\nnames @chooser\nclick \"Save the picture as/Cancel\"\n"
                    "key ctrl+Q\nexpect Leave?/Stay\nwait frames 5\nnames @leaving\n"
                    "click \"Leave?/Stay\"\nwait frames 3\nrefuse Leave?/Stay\nquit\n",
                with(kSmall, {"--ui-scale", scale}));
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            const auto chooser = desk.places_of("chooser");
            for (const char* const name : {"Path", "Choose", "Cancel", "Up"}) {
                CAPTURE(name);
                REQUIRE(chooser.count(std::string("Save the picture as/") + name) == 1);
                CHECK(is_within(chooser.at(std::string("Save the picture as/") + name),
                                static_cast<float>(width),
                                static_cast<float>(height)));
            }
            const auto leaving = desk.places_of("leaving");
            for (const char* const name : {"Save", "Do not save", "Stay"}) {
                CAPTURE(name);
                REQUIRE(leaving.count(std::string("Leave?/") + name) == 1);
                CHECK(is_within(leaving.at(std::string("Leave?/") + name),
                                static_cast<float>(width),
                                static_cast<float>(height)));
            }
        }
    }

    TEST_CASE("the help sheet fits a small window and scrolls by wheel and page keys") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 800 600\nwait scene\nkey F1\nexpect Help/Drag\nwait frames 3\nnames @top\n"
            "key pagedown\nwait frames 3\nnames @page\nkey end\nexpect Help/F1\nrefuse Help/Drag\n"
            "key home\nexpect Help/Drag\nwait frames 3\nrefuse Help/F1\nmouse 400 300\n"
            "scroll -60\nexpect Help/F1\nkey F1\nwait frames 3\nrefuse \"Help sheet\"\nquit\n",
            with(kSmall, {"--ui-scale", "2"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto top = desk.places_of("top");
        const auto page = desk.places_of("page");
        CHECK(is_within(top.at("Help sheet"), 800, 600));
        float lowest = 0;
        for (const auto& [name, place] : top) {
            if (name.starts_with("Help/")) {
                CHECK(place.x1 <= 800);
                lowest = std::max(lowest, place.y0);
            }
        }
        // One page further, some of the last lines are still visible.
        CHECK(page.count("Help/Drag") == 0);
        std::size_t seen_twice = 0;
        for (const auto& [name, place] : page) {
            seen_twice += name.starts_with("Help/") && top.count(name) > 0 ? std::size_t{1} : 0;
        }
        CHECK(seen_twice > 0);
        CHECK(lowest > 300);
    }

    TEST_CASE("curves of the scheduler are whole in a small window with large text") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "resize 800 600\nwait done\nkey B\nclick Panel/Scheduler\n"
            "expect Scheduler/Rays\nwait frames 5\nnames @names\nquit\n",
            with(kSmall, {"--ui-scale", "2"}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const auto names = desk.places_of("names");
        for (const char* const curve : {"Scheduler/Rays", "Scheduler/Lanes"}) {
            REQUIRE(names.count(curve) == 1);
            CHECK(names.at(curve).x0 >= names.at("Picture").x0);
            CHECK(names.at(curve).x1 <= names.at("Picture").x1);
        }
    }
}

}  // namespace weft::app::testing
