// test_page_folder.cpp — which page files a folder has, and which of them are removed.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "engine/pages/page_folder.h"
#include "tests/engine/pages/sample_tree.h"

namespace {

using namespace weft;
using namespace weft::pages;
namespace fs = std::filesystem;

// A file of so many bytes, used so many seconds after some moment.
void put_file(const fs::path& path, u64 size_bytes, std::time_t used_at) {
    std::ofstream(path, std::ios::binary) << std::string(size_bytes, 'x');
    const timespec times[2] = {{1000000 + used_at, 0}, {1000000 + used_at, 0}};
    REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
}

}  // namespace

TEST_SUITE("engine/pages/page_folder") {
    TEST_CASE("files are listed by their last use and others are none of them") {
        const testing::TestFolder folder;
        const std::string where = fs::path(folder.file("x")).parent_path().string();
        CHECK(page_files(where).empty());
        CHECK(page_files(where + "/missing").empty());
        put_file(page_file_path(where, "aa"), 100, 30);
        put_file(page_file_path(where, "bb"), 200, 10);
        put_file(page_file_path(where, "cc"), 300, 20);
        put_file(folder.file("shade-avx2.so"), 400, 5);
        fs::create_directory(page_file_path(where, "folder"));
        fs::create_symlink(page_file_path(where, "aa"), page_file_path(where, "link"));
        const auto files = page_files(where);
        REQUIRE(files.size() == 3);
        CHECK(files[0].name == "tree-bb.pages");
        CHECK(files[1].name == "tree-cc.pages");
        CHECK(files[2].name == "tree-aa.pages");
        CHECK(files[0].size_bytes == 200);
        // A use makes it the youngest.
        note_use(page_file_path(where, "bb"));
        CHECK(page_files(where).back().name == "tree-bb.pages");
    }

    TEST_CASE("files used longest ago are removed until the rest fits") {
        const testing::TestFolder folder;
        const std::string where = fs::path(folder.file("x")).parent_path().string();
        const auto path = [&](const char* name) { return page_file_path(where, name); };
        for (const u64 limit : {u64{600}, u64{599}, u64{300}, u64{299}, u64{0}}) {
            put_file(path("a"), 100, 1);
            put_file(path("b"), 200, 2);
            put_file(path("c"), 300, 3);
            put_file(folder.file("other"), 50, 0);
            const u64 removed = keep_within(where, limit, path("b"));
            CAPTURE(limit);
            // b is kept whatever its age.
            CHECK(fs::exists(path("b")));
            CHECK(fs::exists(folder.file("other")));
            CHECK(fs::exists(path("a")) == (limit == 600));
            CHECK(fs::exists(path("c")) == (limit >= 500));
            CHECK(removed == (limit == 600 ? 0u : limit >= 500 ? 100u : 400u));
        }
    }
}
