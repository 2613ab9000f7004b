// test_view_pages.cpp — the viewer with a budget of the tree in memory: edits, questions and layers
// work while pages come and go, and the film is the one that `weft render` gives.
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/verified_film.h"
#include "tests/app/view/desk.h"

namespace weft::app::testing {
namespace {

// A tree of 7.3 MiB.
const Arguments kRubble = {
    "procedural:rubble:100k", "--width", "96", "--height", "64", "--spp", "4", "-t", "2"};

// kRubble within less.
Arguments paged(const Desk& desk, const Arguments& more = {}, const char* budget = "6M") {
    return with(with(kRubble, {"--geometry-memory", budget, "--cache-dir", desk.file("pages")}),
                more);
}

// The finished page files, and all files, of the desk.
struct PageFiles {
    std::size_t whole = 0;
    std::size_t all = 0;
};

PageFiles page_files(const Desk& desk) {
    PageFiles files;
    for (const auto& entry : std::filesystem::directory_iterator(desk.file("pages"))) {
        ++files.all;
        files.whole += entry.path().extension() == ".pages" ? 1U : 0U;
    }
    return files;
}

// The name of the selected object.
std::string selected_in(const Desk& desk, const std::string& names) {
    const std::string prefix = "Selected/nodes/";
    for (const auto& [name, place] : desk.places_of(names)) {
        if (name.starts_with(prefix)) {
            return name.substr(prefix.size());
        }
    }
    return "";
}

std::string point(float x, float y) {
    return std::to_string(x) + " " + std::to_string(y);
}

}  // namespace

TEST_SUITE("app/view/pages") {
    TEST_CASE("edits and undo and layers with a budget give the films of render") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view(
            "wait done\nhash @start\nclick 50% 60%\nwait frames 5\nnames @names\nkey H\n"
            "wait frames 3\nwait done\nhash @hidden\nkey ctrl+Z\nwait frames 3\nwait done\n"
            "hash @shown\nclick Panel/View\nclick View/Layer\nclick \"View/Layer depth\"\n"
            "wait frames 3\nwait done\nsave @layer.exr\nwait saved\nclick View/Layer\n"
            "click \"View/Layer Beauty\"\nwait frames 3\nwait done\nhash @again\nquit\n",
            paged(desk, {"--stats", desk.file("stats.json")}));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        const std::string whole = desk.rendered_hash(kRubble);
        CHECK(desk.line_of("start") == whole);
        CHECK(desk.line_of("hidden") ==
              desk.rendered_hash(with(kRubble, {"--hide", selected_in(desk, "names")})));
        CHECK(desk.line_of("shown") == whole);
        CHECK(verified_film_hash(desk.file("layer.exr")) == whole);
        CHECK(desk.line_of("again") == whole);
        // The picture kept its samples beside its layers; and two trees, each written once.
        std::ifstream stats(desk.file("stats.json"));
        CHECK(nlohmann::json::parse(stats).at("render").at("frames_begun") == 3);
        CHECK(page_files(desk).whole == 2);
        CHECK(page_files(desk).all == 2);
    }

    TEST_CASE("orbits and picks and reports of pixels are those of the tree in memory") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        std::array<std::vector<std::string>, 2> seen;
        for (const bool is_paged : {false, true}) {
            const Ended ended = desk.view(
                "wait picture\ndrag 50% 50% 53% 51% left\ndrag 53% 51% 55% 52% left\n"
                "wait done\nhash @hash\nclick 45% 60%\nwait frames 5\n"
                "names @names\nclick Panel/Pixel\nmouse 40% 40%\nwait frames 30\n"
                "drag 50% 50% 48% 50% left\nwait done\nhash @last\nquit\n",
                is_paged ? paged(desk) : kRubble);
            CHECK(ended.err == "");
            REQUIRE(ended.exit_code == 0);
            for (const std::string& line :
                 {desk.line_of("hash"), selected_in(desk, "names"), desk.line_of("last")}) {
                CHECK(!line.empty());
                seen[is_paged ? 1 : 0].push_back(line);
            }
        }
        CHECK(seen[0] == seen[1]);
    }

    TEST_CASE("the pages of a dragged object are written when the drag ends") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string select =
            "wait done\nclick 50% 60%\nwait frames 5\nclick Panel/Object\nwait frames 5\n";
        const Ended looked = desk.view(select + "names @names\nquit\n", paged(desk));
        REQUIRE(looked.exit_code == 0);
        const Place place = desk.places_of("names").at("Transform/Position (m)");
        const float x = place.x0 + 0.2F * (place.x1 - place.x0);
        const float y = (place.y0 + place.y1) / 2;
        const Ended ended = desk.view(
            select + "mouse " + point(x, y) + "\npress left\nmouse " + point(x + 20, y) +
                "\nwait frames 3\nmouse " + point(x + 40, y) +
                "\nwait frames 3\nexpect "
                "\"Status/The picture follows when the mouse is released: its pages are written "
                "anew\"\nrelease left\nwait frames 3\nwait done\nhash @moved\nkey ctrl+Z\n"
                "wait frames 3\nwait done\nhash @undone\nquit\n",
            paged(desk));
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("undone") == desk.rendered_hash(kRubble));
        CHECK(desk.line_of("moved") != desk.line_of("undone"));
        CHECK(page_files(desk).whole == 2);
    }

    TEST_CASE("what needs the whole tree is refused in a sentence and the picture stays") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const std::string refusal =
            " needs the whole tree in memory: open the scene without --geometry-memory\"\n";
        const Ended ended = desk.view(
            "wait done\nkey K\nexpect \"Status/Counting heat" + refusal +
                "click Panel/Render\nclick Render/embree\nexpect \"Status/Embree" + refusal +
                "wait done\nhash @start\nclick \"Render/emulated GPU\"\nwait frames 3\nwait done\n"
                "hash @device\nclick \"Render/emulated GPU\"\nwait frames 3\nwait done\n"
                "key B\nwait frames 5\nclick Panel/Compare\n"
                "click Compare/Compare\nclick \"Compare/keyed done\"\n"
                "click \"Compare/unkeyed done\"\nexpect Compare/Same\nquit\n",
            paged(desk, {}, "32M"));  // all pages: rays in order of arrival read too many otherwise
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        CHECK(desk.line_of("start") == desk.rendered_hash(kRubble));
        CHECK(desk.line_of("device") == desk.line_of("start"));
        const Ended refused = desk.view("quit\n", paged(desk, {"--heat", "--stats", "s.json"}));
        CHECK(refused.exit_code == 2);
        CHECK(refused.err ==
              "weft: --geometry-memory and --heat exclude each other: a whole tree "
              "is needed; give one of them; see weft help geometry-memory\n");
    }

    TEST_CASE("quitting while pages are written leaves no half file") {
        const Desk desk;
        if (!desk.is_there()) {
            return;
        }
        const Ended ended = desk.view("wait scene\nquit\n",
                                      {"procedural:rubble:1M",
                                       "-t",
                                       "2",
                                       "--geometry-memory",
                                       "64M",
                                       "--cache-dir",
                                       desk.file("pages")});
        CHECK(ended.err == "");
        REQUIRE(ended.exit_code == 0);
        std::filesystem::create_directories(desk.file("pages"));
        CHECK(page_files(desk).whole == page_files(desk).all);
    }
}

}  // namespace weft::app::testing
