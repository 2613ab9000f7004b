// test_standard_streams.cpp — the program with unread messages, closed descriptors and a full disk:
// it still writes the picture if it can.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

std::vector<std::string> render_to(const std::string& output) {
    return {"render", "cornell", "--width", "24", "--spp", "4", "-t", "2", "-o", output};
}

}  // namespace

TEST_SUITE("app/standard_streams") {
    TEST_CASE("messages that cannot be written do not prevent the picture") {
        for (const char* redirection : {"2>/dev/full", "2>&-", "<&- >&- 2>&-", ">&- 2>/dev/full"}) {
            for (const char* progress : {"bar", "lines", "json"}) {
                CAPTURE(std::string(redirection));
                const TestFolder folder;
                std::vector<std::string> arguments = render_to(folder.file("a.exr"));
                arguments.insert(arguments.end(), {"--progress", progress, "-v"});
                const Ended ended =
                    run_weft(ShellScript{"exec \"$@\" " + std::string(redirection)}, arguments);
                CHECK(ended.exit_code == kExitDone);
                CHECK(run_weft({"verify", folder.file("a.exr")}).exit_code == kExitDone);
                CHECK(folder.files() == std::vector<std::string>{"a.exr"});
            }
        }
    }

    TEST_CASE("a pipe without a reader does not prevent the picture") {
        const TestFolder folder;
        std::vector<std::string> arguments = render_to(folder.file("a.exr"));
        arguments.insert(arguments.end(), {"--progress", "json"});
        // The reader of the pipe ends before the program begins.
        const std::string fifo = folder.file("fifo");
        run_weft(ShellScript{"mkfifo " + fifo + "; { : < " + fifo + "; echo gone > " + fifo +
                             ".gone; } & exec 2> " + fifo + "; wait; \"$@\"; echo $? > " + fifo +
                             ".code"},
                 arguments);
        CHECK(film::bytes_of(fifo + ".gone") == "gone\n");
        CHECK(film::bytes_of(fifo + ".code") == "0\n");
        CHECK(run_weft({"verify", folder.file("a.exr")}).exit_code == kExitDone);
    }

    TEST_CASE("an error message that cannot be written keeps its exit code") {
        for (const char* redirection : {"2>/dev/full", "2>&-"}) {
            CAPTURE(std::string(redirection));
            const ShellScript script{"exec \"$@\" " + std::string(redirection)};
            CHECK(run_weft(script, {"render", "no-such-scene", "-n"}).exit_code == kExitScene);
            CHECK(run_weft(script, {"info", "no-such-scene"}).exit_code == kExitScene);
            CHECK(run_weft(script, {"compare", "a.exr", "b.exr"}).exit_code == kExitScene);
            CHECK(run_weft(script, {"verify", "a.exr"}).exit_code == kExitScene);
            CHECK(run_weft(script, {"bench", "no-such-scene"}).exit_code == kExitScene);
            CHECK(run_weft(script, {"render", "--frobnicate"}).exit_code == kExitUsage);
        }
    }

    TEST_CASE("results on a closed stdout end with 4") {
        for (const char* redirection : {">&-", ">/dev/full"}) {
            CAPTURE(std::string(redirection));
            const Ended ended = run_weft(ShellScript{"exec \"$@\" " + std::string(redirection)},
                                         {"info", "cornell"});
            CHECK(ended.exit_code == kExitOutput);
            CHECK(ended.err.starts_with("weft: standard output"));
        }
    }

    TEST_CASE("a file beyond the size limit of the process gives an error and no file") {
        const TestFolder folder;
        for (const char* name : {"a.exr", "a.png", "a.tif"}) {
            CAPTURE(std::string(name));
            std::vector<std::string> arguments = {
                "render", "cornell", "--width", "200", "--spp", "1", "-o", folder.file(name), "-q"};
            const Ended ended = run_weft(ShellScript{"ulimit -f 8; exec \"$@\""}, arguments);
            CHECK(ended.signal_number == 0);
            CHECK(ended.exit_code == kExitOutput);
            CHECK(ended.err.find(name) != std::string::npos);
            CHECK(lines_of(ended.err).size() == 1);
        }
        CHECK(folder.files().empty());
    }
}

}  // namespace weft::app::testing
