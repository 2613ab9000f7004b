// test_image_module.cpp — the module of the image library: what loads it, and what happens without
// it.
//
// The cases run hard links of the program, because the program looks for the module in its own
// folder.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

namespace fs = std::filesystem;
using film::TestFolder;

constexpr const char* kModule = WEFT_BINARY_DIR "/weft-images.so";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The libraries that the loader starts while the program runs.
std::vector<std::string> started_libraries(const std::vector<std::string>& arguments) {
    const Ended ended = run_weft(ShellScript{"LD_DEBUG=files exec \"$@\""}, arguments);
    CHECK(ended.exit_code == kExitDone);
    std::vector<std::string> libraries = lines_of(ended.err);
    std::erase_if(libraries, [](const std::string& line) { return !has(line, "calling init:"); });
    return libraries;
}

bool is_image_library(const std::string& line) {
    return has(line, "OpenImageIO") || has(line, "weft-images");
}

// An installation: bin/weft with no module, and a picture to read.
struct Installation {
    TestFolder folder;
    std::string program = folder.file("bin/weft");
    std::string picture = folder.file("a.png");

    Installation() {
        fs::create_directory(folder.file("bin"));
        fs::create_hard_link(WEFT_BINARY_DIR "/weft", program);
        REQUIRE(run_weft({"render", "cornell", "--width", "8", "--spp", "1", "-q", "-o", picture})
                    .exit_code == kExitDone);
    }

    // Runs the linked program in a folder that holds a good module.
    [[nodiscard]] Ended run(const std::vector<std::string>& arguments) const {
        const std::string elsewhere = WEFT_BINARY_DIR;
        return run_weft(ShellScript{"cd '" + elsewhere + "' && export LD_LIBRARY_PATH='" +
                                    elsewhere + "' && shift && exec '" + program + "' \"$@\""},
                        arguments);
    }

    void check_refusal(const std::vector<std::string>& arguments) const {
        const Ended ended = run(arguments);
        INFO(ended.err);
        CHECK(ended.exit_code == kExitRender);
        CHECK(ended.out.empty());
        CHECK(lines_of(ended.err).size() == 1);
        CHECK(has(ended.err, "reads and writes image files, cannot be loaded"));
        CHECK(has(ended.err, "expected it at " + folder.file("bin/weft-images.so")));
    }
};

}  // namespace

TEST_SUITE("app/image_module") {
    TEST_CASE("a command that touches no image loads no image library") {
        for (const std::vector<std::string>& arguments :
             {std::vector<std::string>{"--version"}, {"--help"}, {"info", "cornell"}}) {
            CAPTURE(arguments.back());
            const std::vector<std::string> libraries = started_libraries(arguments);
            CHECK(libraries.size() > 3);
            CHECK(libraries.size() < 60);
            CHECK(std::none_of(libraries.begin(), libraries.end(), is_image_library));
        }
    }

    TEST_CASE("a command that touches an image loads the module") {
        const Installation installed;
        const std::vector<std::string> libraries =
            started_libraries({"compare", installed.picture, installed.picture});
        CHECK(std::any_of(libraries.begin(), libraries.end(), is_image_library));
    }

    TEST_CASE("without the module a command says so and writes nothing") {
        const Installation installed;
        const std::string output = installed.folder.file("b.exr");
        for (const bool is_broken : {false, true}) {
            CAPTURE(is_broken);
            if (is_broken) {
                film::put_bytes(installed.folder.file("bin/weft-images.so"), "no library");
            }
            installed.check_refusal({"compare", installed.picture, installed.picture});
            installed.check_refusal({"render", "cornell", "--width", "8", "-o", output});
            CHECK(!fs::exists(output));
            CHECK(installed.run({"--version"}).exit_code == kExitDone);
        }
    }

    TEST_CASE("an installed program finds the module in ../lib/weft") {
        const Installation installed;
        fs::create_directories(installed.folder.file("lib/weft"));
        fs::create_symlink(kModule, installed.folder.file("lib/weft/weft-images.so"));
        const Ended ended = installed.run({"compare", installed.picture, installed.picture});
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.out.starts_with("rmse 0\n"));
    }
}

}  // namespace weft::app::testing
