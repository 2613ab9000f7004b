// test_output_errors.cpp — every command ends an error of an output with the page that helps.
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using Words = std::vector<std::string>;

Words failing_render(const std::string& output, const Words& more = {}) {
    Words words = {"render", "cornell", "--width", "8", "--spp", "1", "-q", "-o", output};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void check_ends_with_page(const Ended& ended, int exit_code, const std::string& page) {
    INFO(ended.err);
    CHECK(ended.exit_code == exit_code);
    CHECK(ended.err.ends_with("; see weft help " + page + "\n"));
    CHECK(ended.err.find("see weft") == ended.err.rfind("see weft"));
    CHECK(lines_of(ended.err).size() == 1);
}

}  // namespace

TEST_SUITE("app/output_errors") {
    TEST_CASE("an output that cannot be written ends with the page on files") {
        const TestFolder folder;
        const std::string film = folder.file("film.exr");
        REQUIRE(run_weft(failing_render(film, {"--keep-film"})).exit_code == kExitDone);
        film::put_bytes(folder.file("plain"), "a file where a folder is wanted");
        for (const std::string& place : {std::string("missing/"), std::string("plain/")}) {
            const std::string picture = folder.file(place + "a.exr");
            const std::string figures = folder.file(place + "a.json");
            for (const Words& words :
                 {failing_render(picture),
                  failing_render(folder.file("a.exr"), {"--stats", figures}),
                  failing_render(folder.file("a.exr"), {"--checkpoint=" + picture}),
                  Words{"denoise", film, "-o", picture},
                  Words{"merge", picture, film},
                  Words{"compare", film, film, "-o", picture},
                  Words{"bench",
                        "cornell",
                        "-q",
                        "--width",
                        "8",
                        "--spp",
                        "1",
                        "--repeats",
                        "1",
                        "--json",
                        figures}}) {
                check_ends_with_page(run_weft(words), kExitOutput, "files");
            }
        }
        CHECK(folder.files() == std::vector<std::string>{"film.exr", "plain"});
    }

    TEST_CASE("an output whose name no picture can have ends with the page on files") {
        const TestFolder folder;
        const std::string film = folder.file("film.exr");
        REQUIRE(run_weft(failing_render(film, {"--keep-film"})).exit_code == kExitDone);
        const std::string wrong = folder.file("a.gif");
        const std::string flat = folder.file("a.png");
        for (const Words& words : {failing_render(wrong),
                                   failing_render(flat, {"--keep-film"}),
                                   failing_render(flat, {"--slice", "1/2"}),
                                   failing_render(flat, {"--stats", flat}),
                                   Words{"denoise", film, "-o", wrong},
                                   Words{"denoise", film, "-o", film},
                                   Words{"merge", wrong, film},
                                   Words{"compare", film, film, "-o", wrong}}) {
            check_ends_with_page(run_weft(words), kExitUsage, "files");
        }
        CHECK(folder.files() == std::vector<std::string>{"film.exr"});
    }

    TEST_CASE("stdout and folders of a server have pages of their own") {
        check_ends_with_page(
            run_weft(ShellScript{"exec \"$@\" >&-"}, {"info", "cornell"}), kExitOutput, "commands");
        const TestFolder folder;
        std::filesystem::create_directory(folder.file("open"));
        std::filesystem::permissions(folder.file("open"), std::filesystem::perms::all);
        check_ends_with_page(
            run_weft({"serve", "--folder", folder.file("open")}), kExitOutput, "serve");
        for (const auto& [page, word] : {std::pair{"files", "code 4"},
                                         std::pair{"commands", "code 4"},
                                         std::pair{"serve", "--folder"}}) {
            const Ended help = run_weft({"help", page});
            CHECK(help.exit_code == kExitDone);
            CHECK(help.out.find(word) != std::string::npos);
        }
    }
}

}  // namespace weft::app::testing
