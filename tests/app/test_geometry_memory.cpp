// test_geometry_memory.cpp — `--geometry-memory`: the same picture whatever else happens to a
// render, and what it says of budgets, folders and disks that do not do.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/folder_watch.h"
#include "tests/app/own_mounts.h"
#include "tests/app/paged_render.h"
#include "tests/app/verified_film.h"
#include "tests/engine/scene/gltf_writer.h"

namespace weft::app::testing {

namespace {

namespace fs = std::filesystem;
using film::TestFolder;
using nlohmann::json;

bool is_private(const std::string& folder) {
    return (fs::status(folder).permissions() & fs::perms(0777)) == fs::perms(0700);
}

void check_refused(const Words& words, int exit_code, const std::string& sentence) {
    const Ended ended = run_weft(words);
    INFO(ended.err);
    CHECK(ended.exit_code == exit_code);
    CHECK(ended.err.starts_with("weft: " + sentence));
    CHECK(lines_of(ended.err).size() == 1);
}

// The hashes of a render with the whole tree in memory.
const std::string& whole_hashes() {
    static const std::string hashes = [] {
        const TestFolder folder;
        check_ends(rubble(folder.file("a.exr")), kExitDone);
        return hashes_of_file(folder.file("a.exr"));
    }();
    return hashes;
}

}  // namespace

TEST_SUITE("app/geometry_memory") {
    TEST_CASE("importing and building hold little more than the budget") {
        const TestFolder folder;
        const auto peak_of = [&](const char* scene, const Words& more) {
            const Words words = joined({"render", scene, "--width", "64", "--height", "40"},
                                       {"-t", "2", "--spp", "1", "--paths", "4096", "-q", "-o"});
            const Ended ended = run_weft(joined(joined(words, {folder.file("a.exr")}), more));
            CHECK(ended.exit_code == kExitDone);
            return ended.peak_rss_bytes;
        };
        constexpr const char* kTiny = "procedural:rubble:1k";
        constexpr const char* kLarge = "procedural:rubble:2M";  // 188 MiB, 350 while it is built
        const Words budget = {"--geometry-memory", "24M", "--cache-dir", folder.file("cache")};
        const u64 program_bytes = peak_of(kTiny, budget);
        CHECK(peak_of(kLarge, {}) > program_bytes + (u64{200} << 20));
        // Written, and opened again.
        CHECK(peak_of(kLarge, budget) < program_bytes + (u64{64} << 20));
        CHECK(peak_of(kLarge, budget) < program_bytes + (u64{64} << 20));
    }

    TEST_CASE("any budget and mode render the same picture and bound what is in memory") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string stats_file = folder.file("a.json");
        const std::string cache = folder.file("cache");
        for (const Words& more : {Words{"--geometry-memory", kLittle},
                                  Words{"--geometry-memory", kMuch},
                                  Words{"--geometry-memory", kLittle, "--scheduler", "unkeyed"}}) {
            CAPTURE(more);
            const Words words = joined(more, {"--cache-dir", cache, "--stats", stats_file});
            check_ends(rubble(picture, words), kExitDone);
            CHECK(hashes_of_file(picture) == whole_hashes());
            const json pages = json::parse(film::bytes_of(stats_file))["pages"];
            CHECK(pages["count"].get<u64>() > 20);
            CHECK(pages["surface_reads"].get<u64>() > 0);
            CHECK(pages["surface_reads"].get<u64>() < pages["reads"].get<u64>());
            CHECK(pages["hits_waited"].get<u64>() > 0);
            CHECK(pages["most_bytes"].get<u64>() <= pages["budget_bytes"].get<u64>());
            CHECK((pages["evictions"].get<u64>() == 0) == (more[1] == kMuch));
            CHECK(is_verified(picture));
            CHECK(holds_one_tree(cache));
        }
    }

    TEST_CASE("F12 F16 the emulated GPU reads pages and copies of them with the same picture") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string stats_file = folder.file("a.json");
        for (const Words& more : {Words{"--device", "egpu"},
                                  Words{"--device", "egpu", "--scheduler", "unkeyed"},
                                  Words{"--device", "cpu+egpu"}}) {
            CAPTURE(more);
            const Words words = joined(more, {"--egpu-units", "2", "--stats", stats_file});
            check_ends(paged(picture, folder.file("cache"), kLittle, words), kExitDone);
            CHECK(hashes_of_file(picture) == whole_hashes());
            const json figures = json::parse(film::bytes_of(stats_file));
            const json& pages = figures["pages"];
            CHECK(pages["reads"].get<u64>() > 0);
            CHECK(pages["evictions"].get<u64>() > 0);
            CHECK(pages["rays_waited"].get<u64>() > 0);
            CHECK(pages["hits_waited"].get<u64>() > 0);
            CHECK(pages["most_bytes"].get<u64>() <= pages["budget_bytes"].get<u64>());
            const bool is_alone = more[1] == "egpu";
            CHECK(figures["devices"].size() == (is_alone ? 1 : 2));
            // Beside the processor the device may come too late for so small a picture.
            const json& bus = figures["devices"].back()["bus"];
            CHECK((bus["transfers"].get<u64>() > 0 || !is_alone));
            CHECK((bus["bytes"].get<u64>() > 0 || !is_alone));
        }
    }

    TEST_CASE("a budget that is too small ends with 2 and the least one that then renders") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        check_refused(paged(picture, cache, "100K"),
                      kExitUsage,
                      "--geometry-memory 100K is too small for this scene: ");
        const Ended ended = check_ends(paged(picture, cache, "1M"), kExitUsage);
        CHECK(lines_of(ended.err).size() == 1);
        CHECK(says(ended,
                   "weft: --geometry-memory 1M is too small for this scene: expected at least "));
        CHECK(!fs::exists(picture));
        const std::string before = "expected at least ";
        const std::size_t at = ended.err.find(before) + before.size();
        const std::string least = ended.err.substr(at, ended.err.find(';', at) - at);
        CHECK(says(ended, "; see weft help geometry-memory"));
        check_ends(paged(picture, cache, least.c_str()), kExitDone);
        CHECK(hashes_of_file(picture) == whole_hashes());
    }

    TEST_CASE("options that need the whole tree end with 2") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        for (const auto& [more, named] :
             {std::pair<Words, std::string>{{"--scheduler", "embree"}, "--scheduler embree"},
              {{"--heat", "--stats", folder.file("a.json")}, "--heat"}}) {
            check_refused(paged(picture, folder.file("cache"), kLittle, more),
                          kExitUsage,
                          "--geometry-memory and " + named +
                              " exclude each other: a whole tree is needed; give one of them");
        }
        CHECK(folder.files().empty());
    }

    TEST_CASE("a folder for pages is made for this user alone however it is named") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string deep = folder.file("cache/of/pages");
        const std::string slash = folder.file("slash/");
        for (const std::string& cache : {deep, slash}) {
            CAPTURE(cache);
            check_ends(paged(picture, cache), kExitDone);
            CHECK(is_private(cache));
            CHECK(holds_one_tree(cache));
        }
        // A relative name; and without a home, beside temporary files.
        const ShellScript inside{"cd '" + folder.file("") + "' && exec \"$@\""};
        CHECK(run_weft(inside, paged(picture, "relative")).exit_code == kExitDone);
        CHECK(holds_one_tree(folder.file("relative")));
        const ShellScript homeless{"unset HOME XDG_CACHE_HOME; TMPDIR='" + folder.file("") +
                                   "' exec \"$@\""};
        const Ended ended = run_weft(homeless, rubble(picture, {"--geometry-memory", kLittle}));
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        const std::string own = folder.file("weft-" + std::to_string(::geteuid()));
        CHECK(is_private(own));
        CHECK(holds_one_tree(own));
        CHECK(hashes_of_file(picture) == whole_hashes());
    }

    TEST_CASE("a folder that does not do ends with 4 and one sentence") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string open = folder.file("open");
        fs::create_directory(open);
        fs::permissions(open, fs::perms(0755));
        check_refused(
            paged(picture, open), kExitOutput, open + ": others may enter it, expected mode 0700");
        const std::string file = folder.file("file");
        film::put_bytes(file, "mine");
        check_refused(paged(picture, file),
                      kExitOutput,
                      file + ": expected a folder, found something else or a link");
        check_refused(
            paged(picture, file + "/pages"), kExitOutput, file + "/pages: Not a directory");
        CHECK(names_in(open).empty());
        CHECK(film::bytes_of(file) == "mine");
        CHECK(!fs::exists(picture));
    }

    TEST_CASE("a full disk ends with 4 and no file where the budget does not hold the tree") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const auto check = [&](const ShellScript& script, const std::string& reason) {
            const Ended ended = run_weft(script, paged(picture, cache));
            INFO(ended.err);
            CHECK(ended.exit_code == kExitOutput);
            CHECK(lines_of(ended.err).size() == 1);
            CHECK(says(ended, ".pages: cannot be written (" + reason + ")"));
            CHECK(names_in(cache).empty());
            CHECK(!fs::exists(picture));
        };
        // The shell counts the limit in blocks of 512 bytes.
        const ShellScript small{"ulimit -f 4000; exec \"$@\""};
        check(small, "File too large");
        if (has_mounts()) {
            // Whether the disk is empty is seen inside the namespace.
            const auto mounted = [&](const std::string& then) {
                return ShellScript{"cd '" + cache + "/..' && exec " + unshare_command() +
                                   " sh -c 'mount -t tmpfs -o size=2m,mode=700 none cache && " +
                                   then +
                                   " { \"$@\"; code=$?; [ -z \"$(ls -A cache)\" ] && exit $code; }"
                                   "' sh \"$@\""};
            };
            check(mounted(""), "No space left on device");
            check(mounted("mount -o remount,ro cache &&"), "Read-only file system");
        }
        // A tree that fits stays in memory.
        const Words roomy = joined(paged(picture, cache, kMuch), {"--log-level", "info"});
        const Ended ended = run_weft(small, roomy);
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(says(ended, "; the whole tree stays in memory"));
        CHECK(names_in(cache).empty());
        CHECK(hashes_of_file(picture) == whole_hashes());
    }

    TEST_CASE("two renders at once share a folder") {
        const TestFolder folder;
        const std::string cache = folder.file("cache");
        WeftProcess first(paged(folder.file("a.exr"), cache));
        WeftProcess second(paged(folder.file("b.exr"), cache));
        for (WeftProcess* process : {&first, &second}) {
            const Ended ended = process->wait();
            INFO(ended.err);
            CHECK(ended.exit_code == kExitDone);
        }
        CHECK(holds_one_tree(cache));
        CHECK(hashes_of_file(folder.file("a.exr")) == whole_hashes());
        CHECK(hashes_of_file(folder.file("b.exr")) == whole_hashes());
    }

    TEST_CASE("what a render that was killed while it wrote pages left is removed by the next") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        fs::create_directory(cache);
        fs::permissions(cache, fs::perms(0700));
        {
            const FolderWatch watch(cache, IN_CREATE);
            WeftProcess process(paged(picture, cache));
            REQUIRE(watch.wait());
            process.send(SIGKILL);
            process.wait();
        }
        film::put_bytes(cache + "/tree-" + std::string(32, '0') + ".pages.part-1-0", "half");
        // The kill may have come too late.
        for (const std::string& name : names_in(cache)) {
            if (name.ends_with(".pages")) {
                fs::remove(cache + "/" + name);
            }
        }
        check_ends(paged(picture, cache), kExitDone);
        CHECK(holds_one_tree(cache));
        CHECK(hashes_of_file(picture) == whole_hashes());
    }

    TEST_CASE("a signal while pages are written ends with 5 and leaves no half file") {
        const TestFolder folder;
        const std::string cache = folder.file("cache");
        fs::create_directory(cache);
        fs::permissions(cache, fs::perms(0700));
        const FolderWatch watch(cache, IN_CREATE);
        WeftProcess process(paged(folder.file("a.exr"), cache, kLittle, {"--spp", "1000000"}));
        REQUIRE(watch.wait());
        process.send(SIGTERM);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitSignal);
        // The signal may come when the file is whole.
        CHECK((names_in(cache).empty() || holds_one_tree(cache)));
    }

    TEST_CASE("a render that began in memory is resumed with pages and the other way round") {
        for (const bool is_first_paged : {false, true}) {
            CAPTURE(is_first_paged);
            const TestFolder folder;
            const std::string picture = folder.file("a.exr");
            const Words bound = {"--geometry-memory", kLittle, "--cache-dir", folder.file("cache")};
            const Words begin = {"--spp", "2", "--checkpoint"};
            const Words rest = {"--resume", "--log-level", "info"};
            check_ends(rubble(picture, is_first_paged ? joined(begin, bound) : begin), kExitDone);
            const Ended ended =
                check_ends(rubble(picture, is_first_paged ? rest : joined(rest, bound)), kExitDone);
            CHECK(says(ended, "continues from"));
            CHECK(hashes_of_file(picture) == whole_hashes());
        }
    }

    TEST_CASE("frames of an animation have the bits of frames in memory and pages of their own") {
        const TestFolder folder;
        // A triangle that moves before the rubble.
        scene::testing::Writer writer;
        writer.add_triangle();
        const std::size_t input = writer.add(std::vector<float>{0, 1}, "SCALAR", 5126, 2);
        const std::size_t output = writer.add_vec3({0, 0, 0, 2, 0, 0});
        writer.json["animations"] = {
            {{"samplers", {{{"input", input}, {"output", output}}}},
             {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}}}}}};
        scene::testing::write_bytes(folder.file("moving.gltf"), writer.with_buffer().dump());
        const std::string cache = folder.file("cache");
        const Words frames = {folder.file("moving.gltf"), "-f", "0..24x12", "--spp", "2"};
        check_ends(joined(rubble(folder.file("whole.##.exr")), frames), kExitDone);
        check_ends(joined(paged(folder.file("paged.##.exr"), cache), frames), kExitDone);
        std::vector<std::string> hashes;
        for (const char* const number : {"00", "12", "24"}) {
            CAPTURE(number);
            hashes.push_back(hashes_of_file(folder.file("paged." + std::string(number) + ".exr")));
            CHECK(hashes.back() ==
                  hashes_of_file(folder.file("whole." + std::string(number) + ".exr")));
        }
        CHECK(hashes[0] != hashes[1]);
        CHECK(hashes[1] != hashes[2]);
        CHECK(names_in(cache).size() == 3);
        // An exposure changes the scene of one frame; its film goes on.
        const Words exposure = {folder.file("moving.gltf"),
                                "-f",
                                "12",
                                "--shutter",
                                "1",
                                "--shutter-moments",
                                "3",
                                "--spp",
                                "3"};
        check_ends(joined(rubble(folder.file("open.exr")), exposure), kExitDone);
        check_ends(joined(paged(folder.file("open.paged.exr"), cache), exposure), kExitDone);
        CHECK(hashes_of_file(folder.file("open.paged.exr")) ==
              hashes_of_file(folder.file("open.exr")));
        CHECK(names_in(cache).size() > 3);
    }
}

}  // namespace weft::app::testing
