// test_signals.cpp — signals while rendering and while writing: which exit code, and what stands on
// the disk afterwards.
//
// Nothing here sleeps: a progress line says that rendering runs, the folder's events say that a
// file is being written.
#include <array>
#include <csignal>
#include <poll.h>
#include <string>
#include <sys/inotify.h>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "app/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

constexpr int kExitSecondSignal = 130;

// More samples than any test waits for.
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

// Whether a progress line tells that samples are finished.
bool has_samples(const std::string& err) {
    const std::string key = "{\"samples\":";
    for (std::size_t at = err.find(key); at != std::string::npos; at = err.find(key, at + 1)) {
        const char digit = at + key.size() < err.size() ? err[at + key.size()] : '0';
        if (digit != '0') {
            return true;
        }
    }
    return false;
}

// Waits for bytes written to any file of one folder.
class FolderWatch {
public:
    explicit FolderWatch(const std::string& folder)
        : descriptor_(::inotify_init1(IN_CLOEXEC)),
          watch_(::inotify_add_watch(descriptor_, folder.c_str(), IN_MODIFY)) {}

    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    ~FolderWatch() { ::close(descriptor_); }

    [[nodiscard]] bool wait_for_write() const {
        pollfd events{descriptor_, POLLIN, 0};
        constexpr int kLimitMs = std::chrono::milliseconds(kSilenceLimit).count();
        return watch_ >= 0 && ::poll(&events, 1, kLimitMs) == 1;
    }

private:
    int descriptor_;
    int watch_;
};

}  // namespace

TEST_SUITE("app/signals") {
    TEST_CASE("one SIGINT or SIGTERM saves what there is and ends with 5") {
        for (const int signal_number : {SIGINT, SIGTERM}) {
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
            CHECK(run_weft({"verify", picture}).exit_code == kExitDone);
            CHECK(folder.files() == std::vector<std::string>{"a.exr", "a.json"});
        }
    }

    TEST_CASE("a second SIGINT during writing leaves at once and takes the half file away") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        film::put_bytes(picture, "yesterday");
        WeftProcess process(endless_render(picture, "1536"));
        REQUIRE(process.wait_until(has_samples));
        const FolderWatch watch(folder.file(""));
        process.send(SIGINT);
        CHECK(watch.wait_for_write());
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
        // The notes on the import come before the structure is built, which takes its time here.
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
}

}  // namespace weft::app::testing
