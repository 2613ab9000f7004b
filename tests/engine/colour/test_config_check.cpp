// test_config_check.cpp — broken configs, and those that contain themselves, are one sentence.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/colour/colour_config.h"
#include "engine/colour/config_check.h"
#include "tests/engine/colour/sample_config.h"
#include "tests/engine/film/film_scenes.h"

using namespace weft;
using namespace weft::colour;

namespace {

// The sentence about a config with this text, without its path.
std::string told(std::string_view text) {
    const film::TestFolder folder;
    const std::string path = write_config(folder.file("colours"), text);
    const auto config = ColourConfig::read(path);
    REQUIRE(!config.is_ok());
    CHECK(config.error().kind == base::ErrorKind::Scene);
    CHECK(config.error().sentence.find('\n') == std::string::npos);
    REQUIRE(config.error().sentence.starts_with(path + ": "));
    return config.error().sentence.substr(path.size() + 2);
}

bool is_refused(std::string_view text) {
    return !check_text(text).is_ok();
}

// A chain of colour spaces, each of which goes twice through the one before.
std::string doubling_chain(u32 length) {
    std::string spaces;
    for (u32 i = 0; i < length; ++i) {
        const std::string before = i == 0 ? "working" : "step" + std::to_string(i - 1);
        const std::string step = "!<ColorSpaceTransform> {src: working, dst: " + before + "}";
        spaces += "  - !<ColorSpace>\n    name: step" + std::to_string(i) +
                  "\n    from_scene_reference: !<GroupTransform>\n      children:\n        - " +
                  step + "\n        - " + step + "\n";
    }
    return with_change(sample_config(),
                       "colorspace: tabled}",
                       "colorspace: step" + std::to_string(length - 1) + "}") +
           spaces;
}

}  // namespace

TEST_SUITE("engine/colour/config_check") {
    TEST_CASE("a config that is missing, empty or broken is one sentence") {
        const auto missing = ColourConfig::read("/nowhere/config.ocio");
        REQUIRE(!missing.is_ok());
        CHECK(missing.error().kind == base::ErrorKind::Scene);
        CHECK(missing.error().sentence.starts_with("/nowhere/config.ocio: "));
        CHECK(!ColourConfig::read("/tmp").is_ok());
        CHECK(told("").find("expected an OpenColorIO config") != std::string::npos);
        CHECK(told("{").find("expected an OpenColorIO config") != std::string::npos);
        // The place of the fault.
        CHECK(told(with_change(sample_config(), "roles:\n", "roles: [\n")).find("line") !=
              std::string::npos);
        CHECK(told(with_change(sample_config(), "scene_linear: working", "other: working")) ==
              "has no colour space of the role scene_linear or rendering; expected one, in which "
              "light is added");
    }

    TEST_CASE("an alias inside of its anchor is refused, at any depth and indentation") {
        CHECK(told(with_change(sample_config(),
                               "!<ColorSpaceTransform> {src: working, dst: around}",
                               "&loop !<GroupTransform>\n      children:\n        - *loop")) ==
              "line 57: *loop stands inside of &loop of line 55; expected no part that contains "
              "itself");
        CHECK(is_refused("a: &x {children: [*x]}\n"));
        CHECK(is_refused("a: &x !<GroupTransform> {children: [\n*x\n]}\n"));
        CHECK(is_refused("- &x !<GroupTransform>\n  children:\n    - *x\n"));
        CHECK(is_refused("- key: &x\n    b: *x\n"));
        CHECK(is_refused("a: &x !<GroupTransform>\n\n  # note\n  children: [1, *x]\n"));
    }

    TEST_CASE("other aliases are allowed") {
        CHECK(!is_refused("a: &x [1, 2]\nb: *x\n"));
        CHECK(!is_refused("- &x {a: 1}\n- *x\n- c: *x\n"));
        CHECK(!is_refused("- a: &x 1\n  b: *x\n"));
        CHECK(!is_refused("a: &x\n  b: 1\nc: *x\n"));
        CHECK(!is_refused("pattern: \"*x &x *x\"\nother: '*x'\n"));
        CHECK(!is_refused("a: &x 1  # *x\n"));
        const film::TestFolder folder;
        CHECK(ColourConfig::read(
                  write_config(folder.file("colours"),
                               with_change(with_change(sample_config(),
                                                       "!<FileTransform> {src: nowhere.cube}",
                                                       "&move !<FileTransform> {src: a.cube}"),
                                           "!<ColorSpaceTransform> {src: working, dst: around}",
                                           "*move")))
                  .is_ok());
    }

    TEST_CASE("a view that leads through too many transforms is refused, not waited for") {
        const film::TestFolder folder;
        const auto view_of = [&](u32 length) {
            const auto config =
                ColourConfig::read(write_config(folder.file("colours"), doubling_chain(length)));
            INFO(config.error().sentence);
            REQUIRE(config.is_ok());
            return config.value()->view({"screen", "tabled"});
        };
        const auto few = view_of(5);
        INFO(few.error().sentence);
        CHECK(few.is_ok());
        const auto many = view_of(60);
        REQUIRE(!many.is_ok());
        CHECK(many.error().sentence.find("leads through more than 1000 transforms") !=
              std::string::npos);
    }
}
