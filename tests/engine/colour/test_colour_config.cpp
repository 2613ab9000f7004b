// test_colour_config.cpp — views, looks and file rules of a config against their closed forms.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/colour/colour_config.h"
#include "tests/engine/colour/sample_config.h"
#include "tests/engine/film/film_scenes.h"

using namespace weft;
using namespace weft::colour;

namespace {

using Config = std::shared_ptr<const ColourConfig>;
using Names = std::vector<std::string>;

const std::vector<Rgb> kColours = {
    {0, 0, 0}, {1, 1, 1}, {0.18F, 0.18F, 0.18F}, {0.9F, 0.1F, 0.4F}, {0.02F, 0.7F, 0.003F}};

Config read_sample(const film::TestFolder& folder, std::string_view text = sample_config()) {
    auto config = ColourConfig::read(write_config(folder.file("colours"), text));
    INFO(config.error().sentence);
    REQUIRE(config.is_ok());
    return config.value();
}

void check_near(const Rgb& found, const Rgb& expected) {
    for (std::size_t c = 0; c < 3; ++c) {
        CHECK(found[c] == doctest::Approx(expected[c]).epsilon(2e-6).scale(1));
    }
}

void check_view(const Config& config,
                const ViewChoice& choice,
                const std::function<Rgb(const Rgb&)>& expected) {
    const auto view = config->view(choice);
    INFO(choice.view, " ", choice.look, " ", view.error().sentence);
    REQUIRE(view.is_ok());
    for (const Rgb& rgb : kColours) {
        check_near((*view.value())(rgb), expected(rgb));
    }
}

Rgb root(const Rgb& rgb) {
    return {std::sqrt(rgb[0]), std::sqrt(rgb[1]), std::sqrt(rgb[2])};
}

Rgb dim_root(const Rgb& rgb) {
    return root({rgb[0] / 2, rgb[1] / 2, rgb[2] / 2});
}

Rgb swapped(const Rgb& rgb) {
    return {rgb[2], rgb[1], rgb[0]};
}

}  // namespace

TEST_SUITE("engine/colour/colour_config") {
    TEST_CASE("a config lists its names and choices") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        CHECK(config->working_space() == "working");
        CHECK(config->displays() == Names{"screen", "projector"});
        CHECK(config->views("screen") == Names{"plain", "dimmed", "tabled", "lost", "around"});
        CHECK(config->views("nowhere").empty());
        CHECK(config->looks() == Names{"dim"});
        CHECK(config->default_display() == "screen");
        CHECK(config->default_view("projector") == "mirrored");
    }

    TEST_CASE("the role rendering comes before scene_linear") {
        const film::TestFolder folder;
        const Config config = read_sample(
            folder, with_change(sample_config(), "roles:\n", "roles:\n  rendering: halved\n"));
        CHECK(config->working_space() == "halved");
        // Half of its values are those of the reference.
        check_view(config, {"screen", "plain"}, dim_root);
    }

    TEST_CASE("views show the closed forms of their transforms") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        check_view(config, {}, root);
        check_view(config, {"screen", "plain"}, root);
        check_view(config, {"screen", "tabled"}, [](const Rgb& rgb) {
            return Rgb{1 - rgb[0], rgb[1], rgb[0] * rgb[2]};
        });
        check_view(config, {"projector", ""}, swapped);
    }

    TEST_CASE("a look replaces those of a view") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        check_view(config, {"screen", "dimmed"}, dim_root);
        check_view(config, {"screen", "dimmed", kNoLook}, root);
        check_view(config, {"screen", "dimmed", "dim"}, dim_root);
        check_view(config, {"screen", "plain", "dim"}, dim_root);
        check_view(config, {"projector", "mirrored", "dim"}, [](const Rgb& rgb) {
            return swapped({rgb[0] / 2, rgb[1] / 2, rgb[2] / 2});
        });
    }

    TEST_CASE("rows have the bits of single colours, and keep alpha") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        for (const char* const name : {"plain", "tabled"}) {
            const auto view = config->view({"screen", name}).value();
            CHECK(config->view({"", name}).value() == view);
            std::vector<float> row;
            for (const Rgb& rgb : kColours) {
                row.insert(row.end(), {rgb[0], rgb[1], rgb[2], 0.25F});
            }
            view->apply_row(row.data(), kColours.size());
            for (std::size_t i = 0; i < kColours.size(); ++i) {
                const Rgb alone = (*view)(kColours[i]);
                CHECK(alone == Rgb{row[4 * i], row[4 * i + 1], row[4 * i + 2]});
                CHECK(row[4 * i + 3] == 0.25F);
            }
        }
    }

    TEST_CASE("unknown names are told with those that exist") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        const auto told = [&](const ViewChoice& choice) {
            const auto view = config->view(choice);
            REQUIRE(!view.is_ok());
            CHECK(view.error().kind == base::ErrorKind::Usage);
            return view.error().sentence;
        };
        CHECK(told({"wall", ""}) ==
              config->path() + ": has no display \"wall\"; expected screen or projector");
        CHECK(told({"projector", "plain"}) ==
              config->path() + ": display \"projector\" has no view \"plain\"; expected mirrored");
        CHECK(told({"", "", "bright"}) ==
              config->path() + ": has no look \"bright\"; expected dim, none or as the view");
    }

    TEST_CASE("views that need what is missing, or themselves, are errors of the config") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        const auto told = [&](const char* name) {
            const auto view = config->view({"screen", name});
            REQUIRE(!view.is_ok());
            CHECK(view.error().kind == base::ErrorKind::Scene);
            return view.error().sentence;
        };
        CHECK(told("lost") ==
              config->path() +
                  ": view \"lost\" of display \"screen\": nowhere.cube: no such file in the "
                  "config's search_path; expected a look-up table");
        CHECK(told("around") ==
              config->path() +
                  ": view \"around\" of display \"screen\": colour space around is defined by "
                  "itself; expected no such circle");
        film::put_bytes(folder.file("colours/luts/nowhere.cube"), "LUT_3D_SIZE 2\nnumbers\n");
        CHECK(told("lost").find("nowhere.cube") != std::string::npos);
    }

    TEST_CASE("file rules give the colour space of a picture, but for the last rule") {
        const film::TestFolder folder;
        const Config config = read_sample(folder);
        const auto halved = config->input("/a/halved_wood.png");
        REQUIRE(halved.is_ok());
        REQUIRE(halved.value() != nullptr);
        check_near((*halved.value())({1, 0.5F, 0.25F}), {0.5F, 0.25F, 0.125F});
        CHECK(config->input("b_halved.png").value() == halved.value());
        CHECK(config->input("/a/halved_wood.jpg").value() == nullptr);
        CHECK(config->input("/a/wood.png").value() == nullptr);
        const auto lost = config->input("/a/lost.png");
        REQUIRE(!lost.is_ok());
        CHECK(lost.error().kind == base::ErrorKind::Scene);
        CHECK(lost.error().sentence ==
              "/a/lost.png: a file rule of " + config->path() +
                  " gives it the colour space \"lost\": nowhere.cube: no such file in the "
                  "config's search_path; expected a look-up table");
    }

    TEST_CASE("aces_interchange tells the primaries of the working space") {
        const film::TestFolder folder;
        CHECK(read_sample(folder)->primaries() == kRec709);
        const Config acescg =
            read_sample(folder, with_change(sample_config(), kFromRec709, kFromAcesCg));
        REQUIRE(acescg->primaries().has_value());
        // Academy S-2014-004.
        const Primaries expected = {
            0.713F, 0.293F, 0.165F, 0.83F, 0.128F, 0.044F, 0.32168F, 0.33767F};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            CHECK(std::fabs((*acescg->primaries())[i] - expected[i]) < 1e-4F);
        }
        CHECK(!read_sample(folder, with_change(sample_config(), "  aces_interchange: aces\n", ""))
                   ->primaries()
                   .has_value());
        CHECK(!read_sample(
                   folder,
                   with_change(
                       sample_config(), "aces_interchange: aces\n", "aces_interchange: gamma2\n"))
                   ->primaries()
                   .has_value());
    }
}
