// test_page_files.cpp — what happens to the page file of a render: damaged, removed or given away,
// listed, and removed for others.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "tests/app/paged_render.h"

namespace weft::app::testing {

namespace {

namespace fs = std::filesystem;
using film::TestFolder;
using nlohmann::json;

// The only page file of a folder.
std::string page_file(const std::string& cache) {
    REQUIRE(holds_one_tree(cache));
    return cache + "/" + names_in(cache)[0];
}

// Changes a byte in each 4 KiB of the pages, and neither the header nor what is read when the file
// is opened. The tail of this scene's file takes less than half of it.
void damage_pages(const std::string& path) {
    const u64 size = fs::file_size(path);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    for (u64 at = 4096 + 100; at < size / 2; at += 4096) {
        file.seekg(static_cast<std::streamoff>(at));
        const int byte = file.get();
        file.seekp(static_cast<std::streamoff>(at));
        file.put(static_cast<char>(byte ^ 1));
    }
}

bool is_built(const std::string& stats_file) {
    return json::parse(film::bytes_of(stats_file))["trees"]["built_triangles"].get<u64>() > 0;
}

// With progress, which a test waits for.
Words talking(Words words) {
    std::erase(words, "-q");
    return joined(words, {"--progress", "json"});
}

}  // namespace

TEST_SUITE("app/page_files") {
    TEST_CASE("a damaged page ends with 3 and one sentence and the next render builds the file") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const std::string stats = folder.file("a.json");
        const Words words = paged(picture, cache, kLittle, {"--stats", stats});
        check_ends(words, kExitDone);
        CHECK(is_built(stats));
        const std::string hashes = hashes_of_file(picture);
        check_ends(words, kExitDone);
        CHECK_FALSE(is_built(stats));
        const std::string path = page_file(cache);
        damage_pages(path);
        fs::remove(picture);
        const Ended ended = run_weft(words);
        INFO(ended.err);
        CHECK(ended.exit_code == kExitScene);
        CHECK(lines_of(ended.err).size() == 1);
        CHECK(says(ended, "weft: " + path + ": page "));
        CHECK(says(ended, " is damaged: its checksum is wrong; expected the bytes that were "));
        CHECK_FALSE(fs::exists(picture));
        CHECK(names_in(cache).empty());
        check_ends(words, kExitDone);
        CHECK(is_built(stats));
        CHECK(hashes_of_file(picture) == hashes);
    }

    TEST_CASE("a file that is damaged while rendering leaves the samples in the checkpoint") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const Words samples = {"--spp", "150"};
        const std::string whole = folder.file("whole.exr");
        check_ends(joined(rubble(whole), samples), kExitDone);
        WeftProcess process(talking(
            paged(picture, cache, kLittle, joined(samples, {"--paths", "2048", "--checkpoint"}))));
        REQUIRE(process.wait_until(has_samples));
        damage_pages(page_file(cache));
        const Ended ended = process.wait();
        INFO(ended.err);
        REQUIRE(ended.exit_code == kExitScene);
        CHECK(says(ended, " is damaged: "));
        CHECK(says(ended, "; the samples until then are in " + picture));
        CHECK_FALSE(fs::exists(picture));
        // Nothing is lost: the rest, with a file that is built again, completes the picture.
        const Ended rest = check_ends(
            joined(paged(picture, cache), joined(samples, {"--resume", "--log-level", "info"})),
            kExitDone);
        CHECK(says(rest, "continues from"));
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
    }

    TEST_CASE("a render goes on when its page file is removed") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const Words samples = {"--spp", "50"};
        const std::string whole = folder.file("whole.exr");
        check_ends(joined(rubble(whole), samples), kExitDone);
        WeftProcess process(talking(paged(picture, cache, kLittle, samples)));
        REQUIRE(process.wait_until(has_samples));
        fs::remove(page_file(cache));
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == kExitDone);
        CHECK(hashes_of_file(picture) == hashes_of_file(whole));
        CHECK(names_in(cache).empty());
    }

    TEST_CASE("a page file of another user is not read but built again") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const std::string stats = folder.file("a.json");
        const Words words = paged(picture, cache, kLittle, {"--stats", stats});
        check_ends(words, kExitDone);
        const std::string hashes = hashes_of_file(picture);
        const std::string path = page_file(cache);
        // Only root may give a file away; for others no such file comes into their folder.
        if (::geteuid() != 0 || ::chown(path.c_str(), 12345, 12345) != 0) {
            MESSAGE("skipped: only root can give a file to another user");
            return;
        }
        check_ends(words, kExitDone);
        CHECK(is_built(stats));
        CHECK(hashes_of_file(picture) == hashes);

        struct stat status {};

        REQUIRE(::stat(page_file(cache).c_str(), &status) == 0);
        CHECK(status.st_uid == ::geteuid());
    }

    TEST_CASE("info lists page files and a limit of the folder removes the oldest ones") {
        const TestFolder folder;
        const std::string picture = folder.file("a.exr");
        const std::string cache = folder.file("cache");
        const Words info = {"info", "--cache", "--cache-dir", cache};
        CHECK(check_ends(info, kExitDone).out == "page files in " + cache + ": 0, 0.0 MiB\n");
        // Three scenes, of which each has a file; the first is used once more at the end.
        const auto scene = [&](u32 triangles, const Words& more = {}) {
            check_ends(joined(paged(picture, cache, kMuch, more),
                              {"procedural:rubble:" + std::to_string(triangles)}),
                       kExitDone);
        };
        scene(2000);
        const std::string first = names_in(cache)[0];
        scene(4000);
        scene(6000);
        CHECK(names_in(cache).size() == 3);
        const std::string list = check_ends(info, kExitDone).out;
        CHECK(list.starts_with("page files in " + cache + ": 3, "));
        CHECK(lines_of(list).size() == 4);
        for (const std::string& name : names_in(cache)) {
            CHECK(list.find("  " + name + "  ") != std::string::npos);
        }
        // Room for one and a half: the file in use stays, and so does nothing older.
        const u64 size = fs::file_size(cache + "/" + first);
        scene(2000, {"--cache-limit", std::to_string(size * 3 / 2)});
        REQUIRE(names_in(cache).size() == 1);
        CHECK(names_in(cache)[0] == first);
    }
}

}  // namespace weft::app::testing
