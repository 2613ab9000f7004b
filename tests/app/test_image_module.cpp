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
using Words = std::vector<std::string>;

constexpr const char* kModule = WEFT_BINARY_DIR "/weft-images.so";

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// The libraries that the loader starts while a program runs.
std::vector<std::string> started_libraries(const Words& arguments,
                                           const std::string& program = WEFT_BINARY_DIR "/weft") {
    const ShellScript script{"shift; LD_DEBUG=files exec '" + program + "' \"$@\""};
    const Ended ended = run_weft(script, arguments);
    CHECK(ended.exit_code == kExitDone);
    std::vector<std::string> libraries = lines_of(ended.err);
    std::erase_if(libraries, [](const std::string& line) { return !has(line, "calling init:"); });
    return libraries;
}

// None where OpenImageIO links none of the libraries.
std::vector<fs::path> stand_ins() {
    std::error_code missing;
    const fs::directory_iterator files(WEFT_BINARY_DIR "/stand_ins", missing);
    return {fs::begin(files), fs::end(files)};
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

    void add_module() const {
        fs::create_directories(folder.file("lib/weft"));
        fs::create_symlink(kModule, folder.file("lib/weft/weft-images.so"));
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

    TEST_CASE("stand-ins take the place of libraries for formats that are never asked for") {
        const Installation installed;
        installed.add_module();
        const Words compare = {"compare", installed.picture, installed.picture};
        const std::vector<std::string> real = started_libraries(compare, installed.program);
        const std::vector<std::string> few = started_libraries(compare);
        CHECK(few.size() <= real.size());
        for (const auto& entry : stand_ins()) {
            const std::string name = entry.filename().string();
            CAPTURE(name);
            const auto is_stand_in = [&](const std::string& line) {
                return has(line, "/stand_ins/" + name);
            };
            const auto is_real = [&](const std::string& line) {
                return has(line, "/" + name) && !is_stand_in(line);
            };
            CHECK(std::count_if(real.begin(), real.end(), is_real) == 1);
            CHECK(std::count_if(few.begin(), few.end(), is_real) == 0);
            CHECK(std::count_if(few.begin(), few.end(), is_stand_in) == 1);
        }
    }

    TEST_CASE("where stand-ins lack what the module wants the real libraries are loaded") {
        const Installation installed;
        installed.add_module();
        fs::create_directory(installed.folder.file("lib/weft/stand_ins"));
        for (const auto& entry : stand_ins()) {
            // Names of symbols of two of them.
            std::string bytes = film::bytes_of(entry.string());
            for (const char* const word : {"heif_context_alloc", "avcodec_alloc_context3"}) {
                if (const std::size_t at = bytes.find(word); at != std::string::npos) {
                    bytes[at] = 'X';
                }
            }
            film::put_bytes(
                installed.folder.file("lib/weft/stand_ins/" + entry.filename().string()), bytes);
        }
        const Ended ended = installed.run({"compare", installed.picture, installed.picture});
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.out.starts_with("rmse 0\n"));
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
        installed.add_module();
        const Ended ended = installed.run({"compare", installed.picture, installed.picture});
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.out.starts_with("rmse 0\n"));
    }
}

}  // namespace weft::app::testing
