// Tests of page_file.h: files that cannot be written, and damaged and hostile ones that are read.
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/pages/page_file.h"
#include "engine/pages/page_file_format.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

namespace {

using Bytes = std::vector<char>;

Bytes bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

void put_bytes(const std::string& path, const Bytes& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

bool has_words(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

// The sentence of the error; empty if the file is accepted.
std::string fault_in(const std::string& path) {
    const base::Result<ResidentTree> tree = read_page_file(path, kFingerprint);
    if (tree.is_ok()) {
        return "";
    }
    CHECK(has_words(tree.error().sentence, path));
    CHECK(tree.error().kind == base::ErrorKind::Scene);
    return tree.error().sentence;
}

// Writes the file again with numbers changed and right checksums, as somebody hostile would.
std::string fault_with(const std::string& path,
                       const std::function<void(PageFileHeader&, ResidentTree&)>& change) {
    const Bytes old = bytes_of(path);
    ResidentTree tree = read_page_file(path, kFingerprint).value();
    PageFileHeader header{};
    std::memcpy(&header, old.data(), sizeof(header));
    change(header, tree);
    header.tail_checksum = tail_checksum_of(tree);
    header.header_checksum = header.own_checksum();
    Bytes bytes(old.begin(), old.begin() + static_cast<i64>(header.tail_offset % old.size()));
    bytes.resize(std::max(bytes.size(), sizeof(header)));
    std::memcpy(bytes.data(), &header, sizeof(header));
    const auto add = [&](const auto& rows) {
        const char* begin = reinterpret_cast<const char*>(rows.data());
        bytes.insert(bytes.end(), begin, begin + rows.size() * sizeof(rows[0]));
    };
    add(tree.nodes);
    add(tree.roots);
    add(tree.placements);
    add(tree.pages);
    add(tree.tables);
    bytes.resize(old.size());
    const std::string changed = path + "-changed";
    put_bytes(changed, bytes);
    return fault_in(changed);
}

// A file with records of three meshes, pages, nodes above them and a placement.
ResidentTree write_whole(const std::string& path) {
    auto writer = PageFileWriter::create({path, kFingerprint, u64{16} << 10, kPageAlign});
    for (const u32 count : {20U, 0U, 300U}) {
        writer.value()->begin_records(count == 0 ? 0 : 72);
        const std::vector<float> records(count * 18, 0.5F);
        CHECK(writer.value()->append_records(records.data(), count).is_ok());
    }
    const SampleTree mesh = make_tree(400, 1);
    SampleTree world = make_tree(400, 2);
    world.nodes[0].child[0] = shaders::kRefInstance | 0U;
    shaders::Placement placement{};
    placement.root = writer.value()->append(mesh.view()).value();
    const u32 root = writer.value()->append(world.view()).value();
    return writer.value()->finish({placement}, root).value();
}

}  // namespace

TEST_SUITE_BEGIN("engine/pages/page_file");

TEST_CASE("a folder that does not exist is an error of output that names the file") {
    const TestFolder folder;
    const auto writer = PageFileWriter::create({folder.file("no/tree"), kFingerprint});
    REQUIRE_FALSE(writer.is_ok());
    CHECK(writer.error().kind == base::ErrorKind::Output);
    CHECK(has_words(writer.error().sentence, folder.file("no/tree")));
}

TEST_CASE("a full disk is an error of output and leaves no file") {
    const TestFolder folder;
    const std::string path = folder.file("tree");

    // Files may not grow beyond 1 MiB for a while.
    struct rlimit old {};

    ::getrlimit(RLIMIT_FSIZE, &old);
    auto* const old_reaction = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{u64{1} << 20, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    bool is_refused = false;
    base::Error error;
    {
        auto writer = PageFileWriter::create({path, kFingerprint, u64{64} << 10});
        const SampleTree tree = make_tree(20000, 4);
        base::Result<u32> root = shaders::kRefEmpty;
        for (int k = 0; k < 3 && root.is_ok(); ++k) {
            root = writer.value()->append(tree.view());
        }
        const auto finished = writer.value()->finish({}, shaders::kRefEmpty);
        is_refused = !root.is_ok() && !finished.is_ok();
        error = finished.error();
    }
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, old_reaction);
    CHECK(is_refused);
    CHECK(error.kind == base::ErrorKind::Output);
    CHECK(has_words(error.sentence, path));
    CHECK(folder.file_count() == 0);
}

TEST_CASE("files that are none of ours are refused with their fault") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    CHECK(has_words(fault_in(path), "cannot be opened"));
    CHECK(has_words(fault_in(folder.file("")), "no regular file"));
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    CHECK(has_words(fault_in(folder.file("pipe")), "no regular file"));
    put_bytes(path, Bytes(100));
    CHECK(has_words(fault_in(path), "too short"));
    put_bytes(path, Bytes(10000));
    CHECK(has_words(fault_in(path), "no page file"));
    write_whole(path);
    CHECK(fault_in(path).empty());
    CHECK(has_words(read_page_file(path, "other").error().sentence, "fingerprint other"));
    CHECK_FALSE(read_page_file(path, std::string(65, 'x')).is_ok());
    // Only root may give a file away; others cannot make one that is not theirs.
    if (::geteuid() == 0 && ::chown(path.c_str(), 12345, 12345) == 0) {
        CHECK(has_words(fault_in(path), "another user"));
    }
}

TEST_CASE("a file that was cut off or has one wrong byte outside of pages is refused") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    const ResidentTree tree = write_whole(path);
    const Bytes whole = bytes_of(path);
    const u64 tail = tree.pages.back().file_offset + tree.pages.back().size_bytes();
    for (u64 size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
        put_bytes(path, Bytes(whole.begin(), whole.begin() + static_cast<i64>(size)));
        CHECK_FALSE(fault_in(path).empty());
    }
    const auto is_found = [&](u64 place) {
        Bytes bytes = whole;
        bytes[place] = static_cast<char>(bytes[place] ^ 1);
        put_bytes(path, bytes);
        return !fault_in(path).empty();
    };
    for (u64 place = 0; place < sizeof(PageFileHeader); ++place) {
        CHECK(is_found(place));
    }
    for (u64 place = tail; place < whole.size(); place += 61) {
        CHECK(is_found(place));
    }
}

TEST_CASE("hostile counts are refused before memory is taken for them") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    write_whole(path);
    CHECK(fault_with(path, [](PageFileHeader&, ResidentTree&) {}).empty());
    using Change = std::function<void(PageFileHeader&, ResidentTree&)>;
    const std::vector<Change> changes = {
        [](PageFileHeader& header, ResidentTree&) { header.node_count = u64{1} << 40; },
        [](PageFileHeader& header, ResidentTree&) { header.root_count = ~u64{0}; },
        [](PageFileHeader& header, ResidentTree&) { header.placement_count = u64{1} << 57; },
        [](PageFileHeader& header, ResidentTree&) { header.page_count = u64{1} << 59; },
        [](PageFileHeader& header, ResidentTree&) { header.page_count -= 8; },
        [](PageFileHeader& header, ResidentTree&) { header.tail_offset += 8; },
        [](PageFileHeader& header, ResidentTree&) { header.tail_offset = ~u64{0}; },
        [](PageFileHeader& header, ResidentTree&) { header.page_node_rows += kNodeStep; },
        [](PageFileHeader& header, ResidentTree&) { header.page_block_rows = kNone; },
        [](PageFileHeader& header, ResidentTree&) { header.table_count = u64{1} << 60; },
        [](PageFileHeader& header, ResidentTree&) { header.page_sheets += 1; },
        [](PageFileHeader& header, ResidentTree&) { header.page_sheets = ~u64{0}; },
    };
    for (const Change& change : changes) {
        CHECK(has_words(fault_with(path, change), "damaged"));
    }
}

TEST_CASE("references and pages that lead outside are refused") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    const ResidentTree whole = write_whole(path);
    REQUIRE(whole.nodes.size() > 2);
    const u32 last = static_cast<u32>(whole.page_node_rows + whole.nodes.size() - 1);
    using Change = std::function<void(ResidentTree&)>;
    const std::vector<Change> changes = {
        [](ResidentTree& tree) { tree.nodes[1].child[1] = 0; },
        [&](ResidentTree& tree) { tree.nodes[1].child[1] = last + 1; },
        [&](ResidentTree& tree) { tree.nodes[1].child[1] = tree.page_node_rows; },
        [](ResidentTree& tree) { tree.nodes[1].child[1] = shaders::kRefLeaf; },
        [](ResidentTree& tree) { tree.nodes[1].child[1] = shaders::kRefInstance | 1U; },
        [](ResidentTree& tree) { tree.nodes[0].child[1] = shaders::kRefInstance | 0U; },
        [](ResidentTree& tree) { tree.nodes[1].child[1] = shaders::kRefPage | 0x10000U; },
        [](ResidentTree& tree) { tree.nodes[1].order[3] = 9U << 24; },
        [](ResidentTree& tree) { tree.roots[0].page = 1; },
        [](ResidentTree& tree) { tree.roots[0].page = 100000; },
        [](ResidentTree& tree) { tree.roots[0].page = kNone; },
        [](ResidentTree& tree) { tree.roots[0].ref = shaders::kRefInstance; },
        [](ResidentTree& tree) { tree.placements[0].root = shaders::kRefInstance; },
        [](ResidentTree& tree) { tree.placements[0].root = shaders::kRefLeaf; },
        [](ResidentTree& tree) { tree.pages[1].file_offset = 0; },
        [](ResidentTree& tree) { tree.pages[1].file_offset += 8; },
        [](ResidentTree& tree) { tree.pages[1].file_offset = tree.pages[0].file_offset; },
        [](ResidentTree& tree) { tree.pages[1].file_offset = u64{0} - kPageAlign; },
        [](ResidentTree& tree) { tree.pages.back().first_node = 0; },
        [](ResidentTree& tree) { tree.pages[1].first_block += 1; },
        [](ResidentTree& tree) { tree.pages[1].node_count = kNone; },
        [](ResidentTree& tree) { tree.pages[1].block_count = kNone; },
        [](ResidentTree& tree) { tree.pages[1].first_sheet += 1; },
        [](ResidentTree& tree) { tree.pages[1].sheet_count += 1; },
        [](ResidentTree& tree) { tree.pages[1].sheet_count = kNone; },
        [](ResidentTree& tree) { tree.pages.back().sheet_count = 1; },
        [](ResidentTree& tree) { tree.tables[0].first_page = 100000; },
        [](ResidentTree& tree) { tree.tables[0].first_page = kNone - 1; },
        [](ResidentTree& tree) { tree.tables[0].record_count = kNone; },
        [](ResidentTree& tree) { tree.tables[0].record_count = 0; },
        [](ResidentTree& tree) { tree.tables[0].record_bytes = 0; },
        [](ResidentTree& tree) { tree.tables[0].record_bytes = kNone; },
        [](ResidentTree& tree) { tree.tables[0].slots_per_page = 0; },
        [](ResidentTree& tree) { tree.tables[2].slots_per_page += 1; },
        [](ResidentTree& tree) { tree.tables[2].slots_per_page /= 2; },
        [](ResidentTree& tree) { tree.tables[2].first_slot = tree.tables[2].slots_per_page; },
        [](ResidentTree& tree) { std::swap(tree.tables[0], tree.tables[2]); },
        // Into the pages of the tree.
        [](ResidentTree& tree) { tree.tables[2].record_count += tree.tables[2].slots_per_page; },
    };
    for (u64 k = 0; k < changes.size(); ++k) {
        CAPTURE(k);
        CHECK(has_words(
            fault_with(path, [&](PageFileHeader&, ResidentTree& tree) { changes[k](tree); }),
            "damaged"));
    }
    CHECK(
        has_words(fault_with(path, [](PageFileHeader& header, ResidentTree&) { header.root = 0; }),
                  "damaged"));
}

TEST_CASE("a page is refused if one reference leaves it or goes back") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    LoadedTree tree = load(path, write_file(path, make_tree(3000, 9), u64{16} << 10));
    REQUIRE(tree.resident.pages.size() > 2);
    const PageEntry page = tree.resident.pages[1];
    shaders::BvhNode* const nodes = tree.nodes.data() + page.first_node;
    REQUIRE(page.node_count > 2);
    for (const u32 wrong : {page.first_node - 1,
                            page.first_node,
                            page.first_node + 1,
                            page.first_node + page.node_count,
                            shaders::kRefLeaf | (page.first_block - 1),
                            shaders::kRefLeaf | (page.first_block + page.block_count),
                            shaders::kRefInstance | 0U,
                            shaders::kRefPage | 0U}) {
        for (const u32 row : {1U, page.node_count - 1}) {
            const u32 right = std::exchange(nodes[row].child[2], wrong);
            CHECK_FALSE(check_page(page, nodes));
            nodes[row].child[2] = right;
        }
    }
    nodes[1].order[7] = ~0U;
    CHECK_FALSE(check_page(page, nodes));
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
