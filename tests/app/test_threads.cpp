// test_threads.cpp — requests for more threads than are useful or than the system allows.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/skipped.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

bool has_word(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Runs as a user without other processes, so that the limit counts only this program's threads.
ShellScript with_most_threads(int count) {
    return {
        "ASAN_OPTIONS=detect_leaks=0 exec setpriv --reuid=54321 --regid=54321 --clear-groups "
        "prlimit --nproc=" +
        std::to_string(count) + " \"$@\""};
}

}  // namespace

TEST_SUITE("app/threads") {
    TEST_CASE("more threads than are useful are reduced and the picture is the same") {
        const TestFolder folder;
        const auto figures = [&](const char* threads) {
            const Ended ended = run_weft({"render",
                                          "cornell",
                                          "--width",
                                          "16",
                                          "--spp",
                                          "2",
                                          "-t",
                                          threads,
                                          "-o",
                                          folder.file("a.png"),
                                          "--stats",
                                          folder.file("a.json")});
            CHECK(ended.exit_code == kExitDone);
            CHECK(has_word(ended.err, "--threads 1024") == (std::string(threads) == "1024"));
            return nlohmann::json::parse(film::bytes_of(folder.file("a.json")));
        };
        const nlohmann::json many = figures("1024");
        const nlohmann::json one = figures("1");
        CHECK(many.at("film_hash") == one.at("film_hash"));
        CHECK(one.at("devices").at(0).at("units") == 1);
        CHECK(many.at("devices").at(0).at("units") < 1024);
        CHECK(many.at("devices").at(0).at("units") >= 2);
    }

    TEST_CASE("threads that the system refuses are reduced and the picture is the same") {
        if (::geteuid() != 0 || run_weft(with_most_threads(1000), {"--version"}).exit_code != 0) {
            tests::skip_for_lack_of("right to be another user", tests::Source::Person);
            return;
        }
        const TestFolder folder;
        const std::vector<std::string> arguments = {
            "render", "cornell", "--width", "64", "--spp", "2", "-t", "4", "-o", "-"};
        const Ended whole = run_weft(with_most_threads(1000), arguments);
        REQUIRE(whole.exit_code == kExitDone);
        film::put_bytes(folder.file("whole.exr"), whole.out);
        // Libraries start threads when they are loaded; no render runs with fewer than those.
        int least = 1;
        for (Ended none = run_weft(with_most_threads(least), arguments);
             least < 100 && none.exit_code != kExitDone;
             none = run_weft(with_most_threads(++least), arguments)) {
            CAPTURE(least);
            CHECK(none.exit_code == kExitRender);
            CHECK(lines_of(none.err).size() == 1);
            CHECK(has_word(none.err, "threads"));
        }
        CHECK(least > 1);
        for (const int more : {0, 1, 2, 5}) {
            CAPTURE(more);
            const Ended few = run_weft(with_most_threads(least + more), arguments);
            INFO(few.err);
            CHECK(few.exit_code == kExitDone);
            CHECK(has_word(few.err, "ulimit -u"));
            film::put_bytes(folder.file("few.exr"), few.out);
            CHECK(run_weft({"compare",
                            folder.file("whole.exr"),
                            folder.file("few.exr"),
                            "--metric",
                            "rmse"})
                      .out == "rmse 0\n");
        }
    }
}

}  // namespace weft::app::testing
