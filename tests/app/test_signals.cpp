// test_signals.cpp — signals during rendering and writing: the exit code, and the files on disk
// afterwards.
//
// No test sleeps: a progress line shows that rendering has begun, and a folder event shows that the
// program writes a file.
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/folder_watch.h"
#include "tests/app/verified_film.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

constexpr int kExitSecondSignal = 130;

// A render with more samples than any test waits for.
std::vector<std::string> endless_render(const std::string& output, const char* width) {
    return {"render",
            "cornell",
            "--width",
            width,
            "--spp",
            "1000000",
            "-t",
            "2",
            "-o",
            output,
            "--progress",
            "json"};
}

}  // namespace

TEST_SUITE("app/signals") {
    TEST_CASE("one SIGINT or SIGTERM or SIGHUP saves the samples and ends with 5") {
        for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
            const TestFolder folder;
            const std::string picture = folder.file("a.exr");
            std::vector<std::string> arguments = endless_render(picture, "32");
            arguments.insert(arguments.end(), {"--keep-film", "--stats", folder.file("a.json")});
            WeftProcess process(arguments);
            REQUIRE(process.wait_until(has_samples));
            process.send(signal_number);
            const Ended ended = process.wait();
            INFO(ended.err);
            CHECK(ended.exit_code == kExitSignal);
            CHECK(ended.err.find("interrupted") != std::string::npos);
            CHECK(is_verified(picture));
            CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.json"});
        }
    }

    TEST_CASE("a second SIGINT during writing ends the program and removes the unfinished file") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        film::put_bytes(picture, "yesterday");
        WeftProcess process(endless_render(picture, "1536"));
        REQUIRE(process.wait_until(has_samples));
        const FolderWatch watch(folder.file(""));
        process.send(SIGINT);
        CHECK(watch.wait());
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSecondSignal);
        CHECK(film::bytes_of(picture) == "yesterday");
        CHECK(folder.files() == std::vector<std::string>{"a.exr"});
    }

    TEST_CASE("two SIGINTs in a row never leave half a file") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        WeftProcess process(endless_render(picture, "32"));
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGINT);
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.signal_number == 0);
        CHECK((ended.exit_code == kExitSignal || ended.exit_code == kExitSecondSignal));
        for (const std::string& name : folder.files()) {
            CHECK(name == "a.png");
        }
    }

    TEST_CASE("a signal before the first sample leaves the output file as it was") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        film::put_bytes(picture, "yesterday");
        // The import's notes appear before the BVH build, which takes long for this scene.
        film::put_bytes(folder.file("twin.gltf"),
                        R"({"asset":{"version":"2.0"},"scenes":[{},{}],"scene":0})");
        WeftProcess process(
            {"render", folder.file("twin.gltf"), "procedural:rubble:1M", "-o", picture});
        REQUIRE(process.wait_until(
            [](const std::string& err) { return err.find("twin.gltf") != std::string::npos; }));
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        CHECK(ended.err.find("before the first sample") != std::string::npos);
        CHECK(film::bytes_of(picture) == "yesterday");
    }

    TEST_CASE("a signal while the pilot of guided paths is rendered ends at once with 5") {
        const TestFolder folder;
        const std::string picture = folder.file("a.png");
        film::put_bytes(picture, "yesterday");
        WeftProcess process({"render",
                             "cornell",
                             "--width",
                             "24",
                             "--spp",
                             "1",
                             "-t",
                             "1",
                             "-o",
                             picture,
                             "--guiding",
                             "auto",
                             "--max-bounces",
                             "60",
                             "-v"});
        REQUIRE(process.wait_until([](const std::string& err) {
            return err.find("a pilot learns where light comes from") != std::string::npos;
        }));
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        CHECK(ended.err.find("interrupted before the first sample, while the pilot was rendered") !=
              std::string::npos);
        CHECK(film::bytes_of(picture) == "yesterday");
        CHECK(folder.files() == std::vector<std::string>{"a.png"});
    }

    TEST_CASE("a signal during import ends render and info at once with a message") {
        for (const int signal_number : {SIGINT, SIGTERM}) {
            for (const std::string command : {"render", "info"}) {
                CAPTURE(command);
                const TestFolder folder;
                const std::string scene = folder.file("empty.gltf");
                film::put_bytes(scene, R"({"asset":{"version":"2.0"},"scenes":[{}],"scene":0})");
                // render creates its output file before it reads; info only reads.
                const FolderWatch watch(folder.file(""), command == "render" ? IN_CREATE : IN_OPEN);
                // The second scene takes far longer to generate than the signal to arrive.
                std::vector<std::string> arguments = {command, scene, "procedural:rubble:100M"};
                if (command == "render") {
                    arguments.insert(arguments.end(), {"-o", folder.file("a.png")});
                }
                WeftProcess process(arguments);
                REQUIRE(watch.wait());
                process.send(signal_number);
                const Ended ended = process.wait();
                INFO(ended.err);
                CHECK(ended.exit_code == kExitSignal);
                CHECK(ended.err.find("weft: interrupted before") == 0);
                CHECK(folder.files() == std::vector<std::string>{"empty.gltf"});
            }
        }
    }

    TEST_CASE("a signal ends compare at once") {
        const TestFolder folder;
        const std::string picture = folder.file("a.bmp");
        // Write headers of 14 and 40 bytes, then 1536×1536 pixels of 24 bits.
        const auto word = [](u32 number) {
            std::string bytes;
            for (u32 k = 0; k < 4; ++k) {
                bytes += static_cast<char>(number >> 8 * k & 255U);
            }
            return bytes;
        };
        constexpr u32 kBytes = 3 * 1536 * 1536;
        film::put_bytes(picture,
                        "BM" + word(54 + kBytes) + word(0) + word(54) + word(40) + word(1536) +
                            word(1536) + word(24U << 16 | 1U) + word(0) + word(kBytes) + word(0) +
                            word(0) + word(0) + word(0) + std::string(kBytes, 'x'));
        const FolderWatch watch(folder.file(""), IN_CREATE);
        WeftProcess process({"compare", picture, picture, "-o", folder.file("difference.exr")});
        REQUIRE(watch.wait());
        process.send(SIGTERM);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        CHECK(ended.err.find("interrupted") != std::string::npos);
        CHECK(folder.files() == std::vector<std::string>{"a.bmp"});
    }

    TEST_CASE("no compiler and no file of its own outlives an interrupted render") {
        for (const bool is_twice : {false, true}) {
            CAPTURE(is_twice);
            const TestFolder folder;
            const std::string fifo = folder.file("fifo");
            REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
            const int life = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
            film::put_bytes(folder.file("clang++-16"),
                            "#!/bin/sh\n: > \"$TMPDIR/cc0.s\"\n{ echo; exec sleep 1000; } > '" +
                                fifo + "' &\nexec sleep 1000\n");
            REQUIRE(::chmod(folder.file("clang++-16").c_str(), 0700) == 0);
            std::vector<std::string> arguments = endless_render(folder.file("a.exr"), "32");
            arguments.insert(arguments.end(), {"--jit", "auto"});
            const std::string here = folder.file("");
            WeftProcess process(ShellScript{"PATH='" + here + "':$PATH XDG_CACHE_HOME='" + here +
                                            "cache' exec \"$@\""},
                                arguments);
            REQUIRE(process.wait_until(has_samples));
            pollfd begun{life, POLLIN, 0};
            constexpr int kLimitMs = std::chrono::milliseconds(kSilenceLimit).count();
            REQUIRE(::poll(&begun, 1, kLimitMs) == 1);
            process.send(SIGINT);
            if (is_twice) {
                process.send(SIGINT);
            }
            const Ended ended = process.wait();
            INFO(ended.err);
            CHECK((ended.exit_code == kExitSignal || ended.exit_code == kExitSecondSignal));
            // The pipe holds one line and then ends, since every process has closed its write end.
            std::array<char, 8> bytes{};
            CHECK(::read(life, bytes.data(), bytes.size()) == 1);
            pollfd end{life, POLLIN, 0};
            CHECK(::poll(&end, 1, kLimitMs) == 1);
            CHECK(::read(life, bytes.data(), bytes.size()) == 0);
            ::close(life);
            CHECK(std::filesystem::is_empty(folder.file("cache/weft")));
        }
    }

    TEST_CASE("N3 SIGUSR1 evicts the rendering and writes a whole snapshot and it resumes") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        film::put_bytes(picture, "yesterday");
        std::vector<std::string> arguments = endless_render(picture, "48");
        const std::string stats = folder.file("stats.json");
        for (const std::string& more :
             {std::string("--keep-film"), std::string("--stats"), stats}) {
            arguments.push_back(more);
        }
        WeftProcess process(arguments);
        REQUIRE(process.wait_until(has_samples));
        std::string before;
        for (std::size_t snapshots = 1; snapshots <= 2; ++snapshots) {
            process.send(SIGUSR1);
            REQUIRE(process.wait_until([&](const std::string& err) {
                std::size_t count = 0;
                for (const std::string& line : lines_of(err)) {
                    count += line.find("snapshot of") != std::string::npos ? 1U : 0U;
                }
                return count == snapshots;
            }));
            const Ended verified = run_weft({"verify", picture});
            CHECK(verified.exit_code == kExitDone);
            CHECK(verified.out != before);  // it has more samples than the previous one
            before = verified.out;
            CHECK(folder.files() == std::vector<std::string>{"a.exr"});
        }
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        // Both snapshots and the end are tasks that evicted the rendering.
        CHECK(film::bytes_of(stats).find("\"holds\": 3") != std::string::npos);
        CHECK(is_verified(picture));
    }

    TEST_CASE("N3 snapshots do not change the picture") {
        const TestFolder folder;
        const auto render = [&](const std::string& name) -> std::vector<std::string> {
            return {"render",
                    "cornell",
                    "--width",
                    "64",
                    "--spp",
                    "400",
                    "-t",
                    "2",
                    "-o",
                    folder.file(name),
                    "--progress",
                    "json",
                    "--aov",
                    "depth,instance"};
        };
        WeftProcess process(render("a.exr"));
        if (process.wait_until(has_samples)) {
            process.send(SIGUSR1);
        }
        CHECK(process.wait().exit_code == kExitDone);
        REQUIRE(run_weft(render("b.exr")).exit_code == kExitDone);
        CHECK(run_weft({"verify", folder.file("a.exr")}).out ==
              run_weft({"verify", folder.file("b.exr")}).out);
    }

    TEST_CASE("SIGUSR1 to a command that writes no picture changes nothing") {
        WeftProcess process(std::vector<std::string>{
            "bench", "cornell", "--width", "32", "--no-images", "--rays", "64", "--repeats", "1"});
        REQUIRE(process.wait_until([](const std::string& err) {
            return err.find("recording rays") != std::string::npos;
        }));
        process.send(SIGUSR1);
        CHECK(process.wait().exit_code == kExitDone);
    }
}

}  // namespace weft::app::testing
