// test_help_search.cpp — what `weft help WORD` finds in options, tables and the user's guide.
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "app/manual/help_search.h"
#include "tests/engine/film/film_scenes.h"

namespace {

using namespace weft::app;

OptionText option(const std::string& name, const std::string& kind, const std::string& help) {
    OptionText text;
    text.names = {"-x", name};
    text.has_value = !kind.empty();
    text.kind = kind;
    text.help = help;
    return text;
}

ProgramText small_program() {
    ProgramText program;
    OptionText samples = option("--spp", "N", "samples per pixel");
    samples.usual = "64";
    program.commands = {
        {"render", "", {samples, option("--denoise", "", "takes out noise")}},
        {"view", "", {samples, option("--noise-threshold", "X", "when to end")}},
    };
    return program;
}

bool has(const std::optional<std::string>& text, const std::string& part) {
    return text && text->find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("app/help_search") {
    TEST_CASE("an option is found with and without dashes and told once for all its commands") {
        const ProgramText program = small_program();
        const std::string expected =
            "weft render, view\n    -x,--spp N\n        samples per pixel (default: 64)\n\n";
        for (const char* const word : {"spp", "--spp", "SPP", "--spp=4"}) {
            CAPTURE(word);
            CHECK(help_about(word, program, {}) == expected);
        }
    }

    TEST_CASE("a word that names no option is searched in names and texts") {
        const auto found = help_about("Noise", small_program(), {});
        CHECK(has(found, "--denoise\n"));
        CHECK(has(found, "--noise-threshold X\n"));
        CHECK_FALSE(has(found, "--spp"));
    }

    TEST_CASE("exit codes and variables are found") {
        CHECK(has(help_about("33", small_program(), {}), "exit code 33\n    out of memory"));
        CHECK(has(help_about("weft_scene_path", small_program(), {}), "variable WEFT_SCENE_PATH"));
    }

    TEST_CASE("nothing is known about a word that stands nowhere") {
        for (const char* const word : {"xyzzy", "", "--"}) {
            CAPTURE(word);
            CHECK_FALSE(help_about(word, small_program(), {}).has_value());
        }
    }

    TEST_CASE("pages of the guide are read by name and searched by heading") {
        const weft::film::TestFolder folder;
        std::ofstream(folder.file("farm.md")) << "# On a farm\n\n![a picture](x.jpg)\n\nSlices.\n"
                                                 "\n## Frames\n\nA frame has slices, too.\n";
        std::ofstream(folder.file("README.md")) << "# The guide\n\nslices\n";
        std::ofstream(folder.file("notes.txt")) << "slices\n";
        const auto guide =
            read_guide(std::filesystem::path(folder.file("farm.md")).parent_path().string());
        REQUIRE(guide.size() == 1);
        CHECK(guide[0].name == "farm");
        CHECK(guide[0].title == "On a farm");
        CHECK(guide[0].text.find("picture") == std::string::npos);
        CHECK(help_about("farm", small_program(), guide) == guide[0].text);
        CHECK(help_about("slices", small_program(), guide) ==
              "guide: weft help farm\n    On a farm; Frames\n\n");
        GuidePage samples = guide[0];
        samples.name = "spp";
        const auto both = help_about("spp", small_program(), {samples});
        CHECK(has(both, "samples per pixel (default: 64)"));
        CHECK(has(both, samples.text));
        CHECK(help_topics(guide).find("weft help farm              On a farm") !=
              std::string::npos);
    }

    TEST_CASE("a guide that is not there has no pages") {
        CHECK(read_guide("/nowhere/at/all").empty());
    }
}
