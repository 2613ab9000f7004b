// test_texels.cpp — texels are the same words in memory and in a file, and scenes share them.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sys/resource.h>
#include <vector>

#include <doctest/doctest.h>

#include "engine/scene/model/texels.h"
#include "tests/engine/scene/hostile_pictures.h"
#include "tests/engine/scene/scene_files.h"

namespace weft::scene::testing {

namespace {

constexpr std::size_t kMegaword = std::size_t{1} << 20;

std::vector<u32> some_words(u32 seed) {
    std::vector<u32> words(kMegaword);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<u32>((i + seed) * 0x9e3779b1U);
    }
    return words;
}

// Texels of so many megawords, with the least budget, which is four.
Texels filled(const std::string& folder, u32 megawords) {
    Texels texels(TextureMemory{kLeastBudgetBytes, folder});
    for (u32 k = 0; k < megawords; ++k) {
        REQUIRE(texels.append(some_words(k)).is_ok());
    }
    return texels;
}

std::vector<u32> expected(std::initializer_list<u32> seeds) {
    std::vector<u32> all;
    for (const u32 seed : seeds) {
        const std::vector<u32> words = some_words(seed);
        all.insert(all.end(), words.begin(), words.end());
    }
    return all;
}

// A limit on the size of files, which stands for a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(u64 bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &former_);
        struct rlimit limit = former_;
        limit.rlim_cur = bytes;
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }

    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &former_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    struct rlimit former_ {};

    void (*handler_)(int);
};

// A triangle with a picture of 21 MiB with its levels.
std::string large_texture(const Folder& folder) {
    folder.write("a.png", plain_png(2048, 2048, 8, 6));
    return folder.write("a.gltf", gltf_with_picture("a.png"));
}

}  // namespace

TEST_SUITE("engine/scene/texels") {
    TEST_CASE("texels within the budget stay in memory and those beyond it go to a file") {
        const Folder folder("texels");
        const Texels within = filled(folder.file("cache"), 4);
        CHECK(within.maybe_file() == nullptr);
        CHECK(within.figures().resident_bytes == kLeastBudgetBytes);
        CHECK(within.left_of_budget() == 0);
        const Texels beyond = filled(folder.file("cache"), 6);
        REQUIRE(beyond.maybe_file() != nullptr);
        CHECK(beyond == Texels(expected({0, 1, 2, 3, 4, 5})));
        const TexelFigures figures = beyond.figures();
        CHECK(figures.bytes == 6 * kMegaword * sizeof(u32));
        CHECK(figures.budget_bytes == kLeastBudgetBytes);
        CHECK(figures.resident_bytes <= kLeastBudgetBytes);
        CHECK(figures.let_go > 0);
        // The file has no name.
        CHECK(std::filesystem::is_empty(folder.file("cache")));
    }

    TEST_CASE("copies share the file until they differ and never see what others append") {
        const Folder folder("texels");
        const Texels first = filled(folder.file("cache"), 5);
        Texels second = first;
        CHECK(second.shares_with(first));
        REQUIRE(second.append(some_words(7)).is_ok());
        CHECK(first.size() == 5 * kMegaword);
        CHECK(second.data() == first.data());
        // The same words once more take no more room.
        Texels third = first;
        REQUIRE(third.append(some_words(7)).is_ok());
        CHECK(third.shares_with(second));
        // Other words go to another file.
        Texels fourth = first;
        REQUIRE(fourth.append(some_words(8)).is_ok());
        CHECK(fourth.data() != first.data());
        CHECK(fourth == Texels(expected({0, 1, 2, 3, 4, 8})));
        CHECK(second == Texels(expected({0, 1, 2, 3, 4, 7})));
    }

    TEST_CASE("texels of a scene that is read again are those of the former file") {
        const Folder folder("texels");
        const Texels former = filled(folder.file("cache"), 6);
        Texels again = Texels::like(former);
        CHECK(again.empty());
        REQUIRE(again.append_from(former, 0, 2 * kMegaword).is_ok());
        REQUIRE(again.append(some_words(2)).is_ok());
        REQUIRE(again.append_from(former, 3 * kMegaword, 3 * kMegaword).is_ok());
        CHECK(again.shares_with(former));
        // Words in another order are copied.
        Texels other = Texels::like(former);
        REQUIRE(other.append_from(former, 4 * kMegaword, 2 * kMegaword).is_ok());
        REQUIRE(other.append_from(former, 0, 3 * kMegaword).is_ok());
        CHECK(other == Texels(expected({4, 5, 0, 1, 2})));
    }

    TEST_CASE("a full disk is an error that names the folder and changes nothing") {
        const Folder folder("texels");
        Texels texels = filled(folder.file("cache"), 5);
        const FileSizeLimit limit(22 * kMegaword);
        REQUIRE(texels.append(std::vector<u32>(kMegaword / 4, 3)).is_ok());
        const base::Status full = texels.append(some_words(9));
        REQUIRE(!full.is_ok());
        CHECK(full.error().kind == base::ErrorKind::Output);
        CHECK(full.error().sentence.find(folder.file("cache") + ": no room for 25 MiB") == 0);
        CHECK(full.error().sentence.find("--cache-dir") != std::string::npos);
        CHECK(texels.size() == 5 * kMegaword + kMegaword / 4);
        CHECK(texels[5 * kMegaword] == 3);
    }

    TEST_CASE("a folder that takes no file is an error that names it") {
        Texels texels(TextureMemory{kLeastBudgetBytes, "/proc/self/none"});
        const base::Status status = texels.append(std::vector<u32>(5 * kMegaword));
        REQUIRE(!status.is_ok());
        CHECK(status.error().kind == base::ErrorKind::Output);
        CHECK(status.error().sentence.find("/proc/self/none: takes no file") == 0);
        CHECK(texels.empty());
    }

    TEST_CASE(
        "an import with a budget has the texels of one without and a later pose shares them") {
        const Folder folder("texels");
        const std::string path = large_texture(folder);
        ImportConfig config;
        config.texture_memory = {kLeastBudgetBytes, folder.file("cache")};
        const Scene bounded = read({path}, config);
        REQUIRE(bounded.texels.maybe_file() != nullptr);
        CHECK(bounded.texels == read({path}).texels);
        config.former = &bounded;
        CHECK(read({path}, config).texels.shares_with(bounded.texels));
    }
}

}  // namespace weft::scene::testing
