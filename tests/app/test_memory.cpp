// test_memory.cpp — the program's memory stays below --memory-limit, and the program refuses what
// cannot fit before it allocates.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/command/exit_code.h"
#include "tests/app/weft_process.h"
#include "tests/engine/film/film_scenes.h"
#include "tests/engine/scene/hostile_pictures.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;
using scene::testing::plain_png;

constexpr u64 kMebibyte = u64{1} << 20;

// Memory outside the program's accounting: strips of a picture during decoding, thread stacks, heap
// fragmentation.
constexpr u64 kSlack = 64 * kMebibyte;

struct Limited {
    std::string scene;
    u64 limit_mebibytes;
    std::vector<std::string> more;
    int exit_code;
};

std::string shown(const Limited& limited) {
    return limited.scene + " " + std::to_string(limited.limit_mebibytes) + "M";
}

void check(const Limited& limited) {
    const std::string name = shown(limited);
    CAPTURE(name);
    const TestFolder folder;
    std::vector<std::string> arguments = {"render",
                                          limited.scene,
                                          "--spp",
                                          "1",
                                          "-t",
                                          "2",
                                          "-o",
                                          folder.file("a.exr"),
                                          "--memory-limit",
                                          std::to_string(limited.limit_mebibytes) + "M"};
    arguments.insert(arguments.end(), limited.more.begin(), limited.more.end());
    if (limited.more.empty() || limited.more.front() != "--width") {
        arguments.insert(arguments.end(), {"--width", "24"});
    }
    const Ended ended = run_weft(arguments);
    CAPTURE(ended.err);
    CHECK(ended.exit_code == limited.exit_code);
    CHECK(ended.peak_rss_bytes < limited.limit_mebibytes * kMebibyte + kSlack);
    if (limited.exit_code == kExitScene) {
        CHECK(lines_of(ended.err).size() == 1);
        CHECK(ended.err.find("that --memory-limit allows") != std::string::npos);
        CHECK(folder.files().empty());
    }
}

// A render 24 pixels wide, of one sample per pixel on two threads.
std::vector<std::string> measured_render(const std::string& scene, const std::string& output) {
    return {"render", scene, "--width", "24", "--spp", "1", "-t", "2", "-o", output};
}

// Writes a triangle with the picture as its base colour texture.
std::string textured_triangle(const TestFolder& folder, const std::string& picture) {
    film::put_bytes(folder.file("a.png"), picture);
    film::put_bytes(folder.file("a.gltf"), scene::testing::gltf_with_picture("a.png"));
    return folder.file("a.gltf");
}

}  // namespace

TEST_SUITE("app/memory") {
    TEST_CASE("a scene that fits into the limit renders within it") {
        if (!is_memory_measured()) {
            return;
        }
        check({"cornell", 300, {}, kExitDone});
        check({"procedural:rubble:500K", 400, {}, kExitDone});
        check({"procedural:terrain:300K", 400, {"--scheduler", "embree"}, kExitDone});
        check({"procedural:spheres:200K", 500, {"--device", "egpu"}, kExitDone});
    }

    TEST_CASE("a scene that cannot fit ends with 3 and one sentence and stays below the limit") {
        if (!is_memory_measured()) {
            return;
        }
        check({"procedural:rubble:100M", 500, {}, kExitScene});
        check({"procedural:rubble:2M", 250, {}, kExitScene});
        check({"procedural:terrain:1500K", 400, {"--scheduler", "embree"}, kExitScene});
        check({"cornell", 300, {"--width", "4096", "--height", "4096"}, kExitScene});
        const TestFolder folder;
        check({textured_triangle(folder, plain_png(8192, 8192, 1)), 200, {}, kExitScene});
    }

    TEST_CASE("a checkpoint's copy of the film counts before the first sample") {
        if (!is_memory_measured()) {
            return;
        }
        const std::vector<std::string> film = {"--width", "1000", "--height", "1000"};
        std::vector<std::string> copied = film;
        copied.emplace_back("--checkpoint");
        check({"cornell", 240, film, kExitDone});
        check({"cornell", 240, copied, kExitScene});
        check({"cornell", 400, copied, kExitDone});
        std::vector<std::string> planned = copied;
        planned.emplace_back("--dry-run");
        check({"cornell", 240, planned, kExitScene});
    }

    TEST_CASE("what writes the picture counts before the first sample") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        const auto render = [&](u64 mebibytes) {
            return run_weft({"render",
                             "cornell",
                             "-q",
                             "-t",
                             "2",
                             "--spp",
                             "1",
                             "--max-bounces",
                             "0",
                             "--width",
                             "3000",
                             "--height",
                             "100",
                             "--keep-film",
                             "--aov",
                             "albedo,normal,position,depth,instance",
                             "-o",
                             folder.file("a.exr"),
                             "--memory-limit",
                             std::to_string(mebibytes) + "M"});
        };
        // The least limit that lets it begin.
        u64 too_small = 64;
        u64 enough = 1024;
        Ended ended = render(enough);
        while (enough - too_small > 4) {
            const u64 middle = (too_small + enough) / 2;
            const Ended tried = render(middle);
            REQUIRE((tried.exit_code == kExitDone || tried.exit_code == kExitScene));
            (tried.exit_code == kExitDone ? enough : too_small) = middle;
            ended = tried.exit_code == kExitDone ? tried : ended;
        }
        CAPTURE(enough);
        CHECK(ended.exit_code == kExitDone);
        constexpr u64 kUncounted = 8 * kMebibyte;
        CHECK(ended.peak_rss_bytes < enough * kMebibyte + kUncounted);
    }

    TEST_CASE("what a pilot's paths tell counts before the first sample") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        const auto render = [&](u64 mebibytes, const std::vector<std::string>& more) {
            std::vector<std::string> words = measured_render("cornell", folder.file("a.exr"));
            words.insert(words.end(), {"--guiding", "on", "--max-bounces", "20"});
            words.insert(words.end(),
                         {"--memory-limit", std::to_string(mebibytes) + "M", "--progress", "none"});
            words.insert(words.end(), more.begin(), more.end());
            return run_weft(words);
        };
        // The least limit of which a dry run says that it suffices.
        u64 too_small = 64;
        u64 enough = 1024;
        Ended refused;
        while (enough - too_small > 4) {
            const u64 middle = (too_small + enough) / 2;
            Ended tried = render(middle, {"--dry-run"});
            CHECK(tried.err.find("guided by") == std::string::npos);
            (tried.exit_code == kExitDone ? enough : too_small) = middle;
            if (tried.exit_code != kExitDone) {
                refused = std::move(tried);
            }
        }
        CAPTURE(enough);
        CAPTURE(refused.err);
        CHECK(refused.exit_code == kExitMemory);
        CHECK(lines_of(refused.err).size() == 1);
        CHECK(refused.err.find("the pilot of --guiding: a small picture with what its paths tell "
                               "needs ") != std::string::npos);
        CHECK(refused.err.find("that --memory-limit allows") != std::string::npos);
        // Two processes differ by some MiB in what they hold.
        CHECK(render(too_small - 16, {}).exit_code == kExitMemory);
        CHECK(folder.files().empty());
        const Ended ended = render(enough + 8, {});
        CAPTURE(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(ended.peak_rss_bytes < (enough + 8) * kMebibyte);
    }

    TEST_CASE("a merge stays below the limit or ends with 3 and one sentence") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        std::vector<std::string> words = {"merge", folder.file("merged.exr")};
        for (const char* slice : {"1/2", "2/2"}) {
            const std::string part = folder.file(std::string("part") + slice[0] + ".exr");
            std::vector<std::string> render = measured_render("cornell", part);
            render.insert(
                render.end(),
                {"--width", "1000", "--height", "1000", "--spp", "2", "--max-bounces", "0"});
            render.insert(render.end(), {"--slice", slice});
            REQUIRE(run_weft(render).exit_code == kExitDone);
            words.push_back(part);
        }
        words.insert(words.end(), {"--memory-limit", "250M"});
        const Ended refused = run_weft(words);
        CHECK(refused.exit_code == kExitScene);
        CHECK(lines_of(refused.err).size() == 1);
        CHECK(refused.err.find("that --memory-limit allows") != std::string::npos);
        CHECK(refused.peak_rss_bytes < 250 * kMebibyte);
        CHECK(folder.files() == std::vector<std::string>{"part1.exr", "part2.exr"});
        words.back() = "450M";
        const Ended merged = run_weft(words);
        CAPTURE(merged.err);
        CHECK(merged.exit_code == kExitDone);
        CHECK(merged.peak_rss_bytes < 450 * kMebibyte);
    }

    TEST_CASE("a texture of one bit per pixel stays small in memory") {
        const TestFolder folder;
        const std::string scene = textured_triangle(folder, plain_png(4096, 4096, 1));
        const Ended ended = run_weft(measured_render(scene, folder.file("a.png")));
        CAPTURE(ended.err);
        CHECK(ended.exit_code == kExitDone);
        if (is_memory_measured()) {
            CHECK(ended.peak_rss_bytes < 250 * kMebibyte);
        }
    }

    TEST_CASE("a limited address space ends with a sentence about memory, whatever the limit is") {
        if (!is_memory_measured()) {
            return;
        }
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        REQUIRE(run_weft(measured_render("cornell", picture)).exit_code == kExitDone);
        for (u64 mebibytes = 300; mebibytes <= 620; mebibytes += 16) {
            CAPTURE(mebibytes);
            const ShellScript limited{"ulimit -c 0; ulimit -v " + std::to_string(mebibytes * 1024) +
                                      "; exec \"$@\""};
            const Ended ended = run_weft(limited, {"compare", picture, picture});
            CAPTURE(ended.err);
            CHECK(ended.signal_number == 0);
            const bool is_told =
                ended.exit_code == kExitMemory && ended.err.find("memory") != std::string::npos;
            const bool is_done_or_told = ended.exit_code == kExitDone || is_told;
            CHECK(is_done_or_told);
        }
    }

    TEST_CASE("an emulated device leaves address space to the rest of the program") {
        if (!is_memory_measured()) {
            return;
        }
        for (const char* threads : {"2", "16"}) {
            CAPTURE(threads);
            for (const std::string kibibytes : {"2500000", "4000000", "6000000", "9500000"}) {
                CAPTURE(kibibytes);
                const TestFolder folder;
                std::vector<std::string> arguments =
                    measured_render("cornell", folder.file("a.exr"));
                arguments.insert(arguments.end(), {"--device", "egpu", "-t", threads});
                const Ended ended =
                    run_weft(ShellScript{"ulimit -v " + kibibytes + "; exec \"$@\""}, arguments);
                CAPTURE(ended.err);
                CHECK(ended.exit_code == kExitDone);
            }
        }
    }
}

}  // namespace weft::app::testing
