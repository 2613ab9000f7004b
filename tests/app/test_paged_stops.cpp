// test_paged_stops.cpp — signals and time limits of renders whose rays wait for pages, on every
// device: they end at once, write what is there, and lose nothing that a resumed render needs.
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include <doctest/doctest.h>

#include "tests/app/paged_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using nlohmann::json;

// The same with progress, which a test waits for.
Words talking(Words words, const Words& more) {
    std::erase(words, "-q");
    return joined(joined(words, more), {"--progress", "json"});
}

Words on(const std::string& device) {
    return {"--device", device, "--egpu-units", "2"};
}

}  // namespace

TEST_SUITE("app/paged_stops") {
    TEST_CASE("SIGINT while pages come saves the samples and ends with 5") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const Words words = paged(picture, folder.file("cache"));
        WeftProcess process(talking(words, {"--spp", "1000000", "--paths", "16384"}));
        REQUIRE(process.wait_until(has_samples));
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        CHECK(is_verified(picture));
        CHECK(holds_one_tree(folder.file("cache")));
    }

    TEST_CASE("N3 a snapshot and SIGINT leave paths of the emulated GPU and the rest is resumed") {
        const TestFolder folder;
        const Words samples = {"--spp", "60"};
        const std::string whole = folder.file("whole.exr");
        check_ends(joined(rubble(whole), samples), kExitDone);
        for (const std::string device : {"egpu", "cpu+egpu"}) {
            CAPTURE(device);
            const std::string picture = folder.file(device + ".exr");
            const Words words = paged(picture, folder.file("cache"), kLittle, samples);
            WeftProcess process(
                talking(words, joined(on(device), {"--paths", "2048", "--checkpoint"})));
            REQUIRE(process.wait_until(has_samples));
            process.send(SIGUSR1);
            REQUIRE(process.wait_until([](const std::string& err) {
                return err.find("snapshot of") != std::string::npos;
            }));
            CHECK(is_verified(picture));
            process.send(SIGINT);
            const Ended ended = process.wait();
            INFO(ended.err);
            REQUIRE(ended.exit_code == kExitSignal);
            CHECK(is_verified(picture));
            // Most of it was not rendered any more.
            const json end = json::parse(lines_of(ended.err).back());
            CHECK(end["end"] == "signal");
            CHECK(end["samples"].get<u64>() < end["total"].get<u64>() / 2);
            // The rest, which needs no pages here, completes the picture.
            check_ends(joined(rubble(picture, {"--resume"}), samples), kExitDone);
            CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        }
    }

    TEST_CASE("N3 a frame of the emulated GPU goes on after a snapshot with the same picture") {
        const TestFolder folder;
        const Words samples = {"--spp", "6"};
        const std::string whole = folder.file("whole.exr");
        check_ends(joined(rubble(whole), samples), kExitDone);
        for (const std::string device : {"egpu", "cpu+egpu"}) {
            CAPTURE(device);
            const std::string picture = folder.file("a.exr");
            const Words words = paged(picture, folder.file("cache"), kLittle, samples);
            WeftProcess process(talking(words, joined(on(device), {"--paths", "512"})));
            if (process.wait_until(has_samples)) {
                process.send(SIGUSR1);
            }
            const Ended ended = process.wait();
            INFO(ended.err);
            REQUIRE(ended.exit_code == kExitDone);
            CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        }
    }

    TEST_CASE("a time limit ends paged frames of every device with a coarse picture") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        for (const std::string device : {"cpu", "egpu", "cpu+egpu"}) {
            CAPTURE(device);
            const Words words = paged(picture, folder.file("cache"), kLittle, {"--spp", "1000"});
            const Ended ended =
                run_weft(talking(words, joined(on(device), {"--time-limit", "0.001"})));
            INFO(ended.err);
            REQUIRE(ended.exit_code == kExitDone);
            // Less than a sample of each pixel, where a wave without a limit begins with many.
            const json end = json::parse(lines_of(ended.err).back());
            CHECK(end["end"] == "time limit");
            CHECK(end["samples"].get<u64>() > 0);
            CHECK(end["samples"].get<u64>() < u64{64} * 40);
            CHECK(is_verified(picture));
        }
    }
}

}  // namespace weft::app::testing
