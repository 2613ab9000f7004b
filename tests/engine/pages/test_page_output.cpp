// test_page_output.cpp — temporary files of page files: those of killed writers are removed by the
// next writer, and nobody else's.
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/pages/page_output.h"
#include "scheduler/base/temporary_files.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

namespace {

void put(const std::string& path) {
    std::ofstream(path) << "half";
}

// Makes an output in a process that is gone afterwards and has removed nothing.
void write_and_die(const std::string& path) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const base::Result<PageOutput> output = PageOutput::create(path);
        ::_exit(output.is_ok() ? 0 : 1);
    }
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
}

}  // namespace

TEST_SUITE_BEGIN("engine/pages/page_output");

TEST_CASE("what a killed writer left is removed by the next one") {
    const TestFolder folder;
    // Whatever page file it was for.
    for (const char* const name : {"tree-1.pages", "tree-1.pages", "tree-2.pages"}) {
        write_and_die(folder.file(name));
        CHECK(folder.file_count() == 1);
    }
    {
        const auto output = PageOutput::create(folder.file("tree-1.pages"));
        REQUIRE(output.is_ok());
        CHECK(folder.file_count() == 1);
    }
    CHECK(folder.file_count() == 0);
}

TEST_CASE("a file that is being written is left alone and can be finished") {
    const TestFolder folder;
    auto first = PageOutput::create(folder.file("tree-1.pages"));
    auto same = PageOutput::create(folder.file("tree-1.pages"));
    auto other = PageOutput::create(folder.file("tree-2.pages"));
    REQUIRE(first.is_ok());
    REQUIRE(same.is_ok());
    REQUIRE(other.is_ok());
    CHECK(folder.file_count() == 3);
    // Moved, it keeps its lock.
    PageOutput moved = std::move(first.value());
    { const auto more = PageOutput::create(folder.file("tree-3.pages")); }
    CHECK(folder.file_count() == 3);
    for (PageOutput* output : {&moved, &same.value(), &other.value()}) {
        output->append("whole", 5);
        CHECK(output->commit().is_ok());
    }
    CHECK(folder.file_count() == 2);
    CHECK(std::filesystem::file_size(folder.file("tree-1.pages")) == 5);
    // A finished file is nobody's temporary one.
    { const auto more = PageOutput::create(folder.file("tree-1.pages")); }
    CHECK(folder.file_count() == 2);
}

TEST_CASE("a process that leaves at once takes its unfinished page file away and no finished one") {
    const TestFolder folder;
    auto finished = PageOutput::create(folder.file("tree-1.pages"));
    CHECK(finished.value().commit().is_ok());
    auto first = PageOutput::create(folder.file("tree-1.pages"));
    const PageOutput second = std::move(first.value());
    CHECK(folder.file_count() == 2);
    base::remove_temporary_files();
    CHECK(folder.file_count() == 1);
    CHECK(std::filesystem::exists(folder.file("tree-1.pages")));
}

TEST_CASE("files with other names and folders and links are left alone") {
    const TestFolder folder;
    const std::string path = folder.file("tree-1.pages");
    for (const char* const name : {"tree-1.pages.part-",
                                   "tree-1.pages.part-x-0",
                                   "tree-1.pages.part-1-0.old",
                                   "my-tree-1.pages.part-1-0",
                                   "tree-1.image.part-1-0",
                                   "tree.part-1-0",
                                   "part-1-0",
                                   "target"}) {
        put(folder.file(name));
    }
    std::filesystem::create_directory(path + ".part-1-0");
    std::filesystem::create_symlink(folder.file("target"), path + ".part-1-1");
    put(path + ".part-1-2");
    CHECK(folder.file_count() == 11);
    const auto output = PageOutput::create(path);
    REQUIRE(output.is_ok());
    // One was stale, one is new.
    CHECK(folder.file_count() == 11);
    CHECK_FALSE(std::filesystem::exists(path + ".part-1-2"));
    CHECK(std::filesystem::exists(folder.file("target")));
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
