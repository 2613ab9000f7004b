// Tests of record_table.h and page_file.h: the records of meshes come back bit by bit, in pages of
// their own beside those of a tree, within one budget.
#include <cstring>
#include <fstream>
#include <random>
#include <thread>

#include <doctest/doctest.h>

#include "engine/pages/page_store.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

namespace {

constexpr u64 kTreePage = u64{16} << 10;

struct MeshSize {
    u32 record_bytes;
    u32 count;
};

// Word k of a record: different everywhere.
u32 word_of(u64 mesh, u32 record, u32 k) {
    return static_cast<u32>((mesh * 0x9e3779b9U) ^ (record * 0x85ebca6bU) ^ (k * 0xc2b2ae35U));
}

std::vector<u32> words_of(u64 mesh, u32 record, u32 record_bytes) {
    std::vector<u32> words(record_bytes / sizeof(u32));
    for (u32 k = 0; k < words.size(); ++k) {
        words[k] = word_of(mesh, record, k);
    }
    return words;
}

void append_mesh(PageFileWriter& writer, u64 mesh, MeshSize size, u32 at_once) {
    writer.begin_records(size.record_bytes);
    for (u32 begin = 0; begin < size.count; begin += at_once) {
        const u32 count = std::min(at_once, size.count - begin);
        std::vector<u32> words;
        for (u32 k = 0; k < count; ++k) {
            const std::vector<u32> record = words_of(mesh, begin + k, size.record_bytes);
            words.insert(words.end(), record.begin(), record.end());
        }
        REQUIRE(writer.append_records(words.data(), count).is_ok());
    }
}

// A file with the records of some meshes, a tree of `block_count` blocks, and a store over it.
struct RecordCase {
    TestFolder folder;
    std::string path = folder.file("tree");
    std::vector<MeshSize> sizes;
    ResidentTree tree;
    std::unique_ptr<PageStore> store;

    RecordCase(std::vector<MeshSize> meshes, u64 sheet_bytes, u32 block_count, u32 at_once = 100)
        : sizes(std::move(meshes)) {
        auto writer = PageFileWriter::create({path, kFingerprint, kTreePage, sheet_bytes});
        REQUIRE(writer.is_ok());
        for (u64 mesh = 0; mesh < sizes.size(); ++mesh) {
            append_mesh(*writer.value(), mesh, sizes[mesh], at_once);
        }
        const SampleTree sample = make_tree(block_count, 3);
        const base::Result<u32> root = writer.value()->append(sample.view());
        REQUIRE(root.is_ok());
        REQUIRE(writer.value()->finish({}, root.value()).is_ok());
        base::Result<ResidentTree> read = read_page_file(path, kFingerprint);
        REQUIRE_MESSAGE(read.is_ok(), read.error().sentence);
        tree = std::move(read.value());
    }

    void open(u64 budget_bytes, u32 reader_count = 1) {
        auto opened = PageStore::open(
            tree, {.path = path, .budget_bytes = budget_bytes, .reader_count = reader_count});
        REQUIRE_MESSAGE(opened.is_ok(), opened.error().sentence);
        store = std::move(opened.value());
    }

    [[nodiscard]] bool use(u32 page) const {
        return shaders::enter_page(store->view().page_states[page]);
    }

    // Fetches a page until it has been entered, and calls `look` inside.
    template <typename Look>
    void visit(u32 reader, u32 page, const Look& look) const {
        for (bool is_seen = false; !is_seen && !store->has_failed();) {
            const u64 arrivals = store->arrivals();
            if (store->fetch(reader, page) != Fetch::Near) {
                store->wait_beyond(arrivals);
                continue;
            }
            store->enter(reader);
            is_seen = use(page);
            if (is_seen) {
                look();
            }
            store->leave(reader);
        }
        store->end_walk(reader, page);
    }

    // Whether a record is what was written.
    [[nodiscard]] bool is_right(u32 reader, u32 mesh, u32 record) const {
        const RecordView records = store->records();
        const std::vector<u32> words = words_of(mesh, record, sizes[mesh].record_bytes);
        bool is_same = false;
        visit(reader, records.page_of(mesh, record), [&] {
            is_same =
                std::memcmp(
                    records.record_of(mesh, record), words.data(), words.size() * sizeof(u32)) == 0;
        });
        return is_same;
    }

    // Of all records.
    [[nodiscard]] u64 wrong_count(u32 reader) const {
        u64 wrong = 0;
        for (u32 mesh = 0; mesh < sizes.size(); ++mesh) {
            for (u32 record = 0; record < sizes[mesh].count; ++record) {
                wrong += is_right(reader, mesh, record) ? 0U : 1U;
            }
        }
        return wrong;
    }
};

std::vector<MeshSize> mixed_sizes() {
    return {{36, 700}, {0, 0}, {72, 1}, {216, 300}, {60, 3}, {36, 1}, {84, 2500}, {216, 1}};
}

}  // namespace

TEST_SUITE_BEGIN("engine/pages/record_table");

TEST_CASE("records of any size and number come back bit by bit") {
    for (const u64 sheet_bytes : {u64{4096}, u64{12288}, u64{64} << 10}) {
        for (const u32 at_once : {1U, 7U, 10000U}) {
            CAPTURE(sheet_bytes);
            CAPTURE(at_once);
            RecordCase test(mixed_sizes(), sheet_bytes, 500, at_once);
            test.open(u64{1} << 30);
            const u32 reader = test.store->join();
            CHECK(test.wrong_count(reader) == 0);
            CHECK(test.store->records().page_of(1, 0) == kNone);
            const PageFigures figures = test.store->figures();
            CHECK(figures.record_reads == figures.record_count);
            CHECK(figures.record_reads == figures.reads);
            CHECK(figures.record_count < figures.count);
            test.store->part(reader);
        }
    }
}

TEST_CASE("a record page holds at most its bytes and small meshes share one") {
    const RecordCase test(mixed_sizes(), 4096, 100);
    u64 used = 0;
    for (const MeshSize& size : test.sizes) {
        used += u64{size.record_bytes} * size.count;
    }
    u64 bytes = 0;
    for (const PageEntry& page : test.tree.pages) {
        CHECK(page.sheet_bytes() <= 4096);
        CHECK((page.sheet_count == 0 || page.node_count + page.block_count == 0));
        bytes += page.sheet_bytes();
    }
    // A page loses less than a record at its end, and a mesh less than one at its begin.
    CHECK(bytes < used * 4096 / (4096 - 216) + 8 * 216 + 4096);
    const RecordCase small(std::vector<MeshSize>(20, {72, 2}), 4096, 1);
    CHECK(small.tree.page_sheets == 1);
    for (const RecordTable& table : small.tree.tables) {
        CHECK(table.first_page == 0);
    }
}

TEST_CASE("pages of records and of subtrees never exceed one budget") {
    RecordCase test(mixed_sizes(), 8192, 4000);
    const u64 least = PageStore::least_budget(test.tree, 1);
    const auto page_count = static_cast<u32>(test.tree.pages.size());
    for (const u64 budget : {least, 3 * least}) {
        CAPTURE(budget);
        test.open(budget);
        const u32 reader = test.store->join();
        std::mt19937 random(7);
        u32 wrong = 0;
        for (int k = 0; k < 400; ++k) {
            test.visit(reader, static_cast<u32>(random() % page_count), [] {});
            const auto mesh = static_cast<u32>(random() % test.sizes.size());
            if (test.sizes[mesh].count > 0) {
                const auto record = static_cast<u32>(random() % test.sizes[mesh].count);
                wrong += test.is_right(reader, mesh, record) ? 0U : 1U;
            }
        }
        CHECK(wrong == 0);
        const PageFigures figures = test.store->figures();
        CHECK(figures.most_bytes <= budget);
        CHECK(figures.evictions > 0);
        CHECK(figures.record_reads > 0);
        CHECK(figures.record_reads < figures.reads);
    }
}

TEST_CASE("readers with the least budget find all records right") {
    RecordCase test(mixed_sizes(), 4096, 4000);
    for (const u32 reader_count : {1U, 2U, 4U}) {
        CAPTURE(reader_count);
        const u64 least = PageStore::least_budget(test.tree, reader_count);
        test.open(least, reader_count);
        std::vector<std::thread> threads;
        std::atomic<u64> wrong = 0;
        for (u32 k = 0; k < reader_count; ++k) {
            threads.emplace_back([&] {
                const u32 reader = test.store->join();
                wrong += test.wrong_count(reader);
                test.store->part(reader);
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        CHECK(wrong == 0);
        CHECK(test.store->figures().most_bytes <= least);
    }
}

TEST_CASE("one wrong byte in a page of records fails the store with the number of the page") {
    RecordCase test(mixed_sizes(), 4096, 100);
    const PageEntry& page = test.tree.pages[2];
    REQUIRE(page.sheet_count > 0);
    std::fstream file(test.path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekg(static_cast<std::streamoff>(page.file_offset + 50));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(page.file_offset + 50));
    file.put(static_cast<char>(byte ^ 4));
    file.close();
    test.open(u64{1} << 30);
    const u32 reader = test.store->join();
    bool has_seen = false;
    test.visit(reader, 1, [&] { has_seen = true; });
    CHECK(has_seen);
    has_seen = false;
    test.visit(reader, 2, [&] { has_seen = true; });
    CHECK_FALSE(has_seen);
    CHECK(test.store->has_failed());
    CHECK(test.store->failure().sentence.find("page 2 is damaged") != std::string::npos);
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
