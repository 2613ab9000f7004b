// Tests of page_file.h: what is written comes back, cut where it should be.
#include <cstring>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include "engine/pages/page_checksum.h"
#include "engine/pages/page_cut.h"
#include "engine/pages/page_file.h"
#include "shaders/traverse/decoded_node.h"
#include "tests/engine/pages/sample_tree.h"

namespace weft::pages::testing {

namespace {

template <typename Row>
bool are_same(const std::vector<Row>& left, const std::vector<Row>& right) {
    return left.size() == right.size() &&
           (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(Row)) == 0);
}

bool are_same(const ResidentTree& left, const ResidentTree& right) {
    return left.root == right.root && left.page_node_rows == right.page_node_rows &&
           left.page_block_rows == right.page_block_rows && left.page_sheets == right.page_sheets &&
           are_same(left.tables, right.tables) && left.most_page_bytes == right.most_page_bytes &&
           are_same(left.nodes, right.nodes) && are_same(left.roots, right.roots) &&
           are_same(left.placements, right.placements) && are_same(left.pages, right.pages);
}

ResidentTree read_again(const std::string& path) {
    base::Result<ResidentTree> tree = read_page_file(path, kFingerprint);
    REQUIRE_MESSAGE(tree.is_ok(), tree.error().sentence);
    return std::move(tree.value());
}

// A node over references, whose boxes hold everything.
shaders::BvhNode node_over(const std::vector<u32>& children) {
    shaders::BvhNode node{};
    for (u32 k = 0; k < 8; ++k) {
        node.child[k] = k < children.size() ? children[k] : shaders::kRefEmpty;
        for (auto& axis : node.bounds) {
            axis[0][k] = -1;
            axis[1][k] = 1;
        }
    }
    shaders::order_children(node);
    return node;
}

}  // namespace

TEST_SUITE_BEGIN("engine/pages/page_file");

TEST_CASE("a tree of any size comes back block by block in its order") {
    const TestFolder folder;
    for (const u64 page_bytes : {u64{16} << 10, u64{64} << 10, u64{256} << 10}) {
        for (const u32 count : {0U, 1U, 2U, 9U, 200U, 3000U, 20000U}) {
            CAPTURE(page_bytes);
            CAPTURE(count);
            const std::string path = folder.file("tree");
            const ResidentTree written = write_file(path, make_tree(count, count), page_bytes);
            const LoadedTree loaded = load(path, read_again(path));
            CHECK(are_same(written, loaded.resident));
            CHECK(loaded.blocks_below(loaded.resident.root) == counted(count));
            CHECK(loaded.has_right_boxes());
        }
    }
}

TEST_CASE("a page fits into its bytes and no subtree that would fit stays in memory") {
    const TestFolder folder;
    constexpr u64 kPageBytes = u64{64} << 10;
    const ResidentTree tree = write_file(folder.file("tree"), make_tree(20000, 1), kPageBytes);
    u64 most = 0;
    u64 sum = 0;
    for (const PageEntry& page : tree.pages) {
        CHECK(page.size_bytes() <= kPageBytes);
        CHECK(page.file_offset % kPageAlign == 0);
        CHECK(page.first_node % kNodeStep == 0);
        CHECK(page.first_block % kBlockStep == 0);
        most = std::max(most, page.size_bytes());
        sum += page.size_bytes();
    }
    CHECK(tree.most_page_bytes == most);
    // Pages are filled well: subtrees share them.
    CHECK(sum > tree.pages.size() * kPageBytes * 2 / 3);
    CHECK(tree.nodes.size() < 1000);
    for (const shaders::BvhNode& node : tree.nodes) {
        for (const u32 child : node.child) {
            CHECK((child & shaders::kRefKind) != shaders::kRefLeaf);
        }
    }
}

TEST_CASE("subtrees of a page are no larger than asked and pages are filled as well") {
    const TestFolder folder;
    constexpr u64 kPageBytes = u64{64} << 10;
    const SampleTree tree = make_tree(20000, 1);
    u64 former_roots = ~u64{0};
    for (const u64 subtree_bytes : {u64{192}, u64{960}, u64{8128}, u64{0}}) {
        CAPTURE(subtree_bytes);
        const std::string path = folder.file("tree");
        auto writer = PageFileWriter::create({.path = path,
                                              .fingerprint = kFingerprint,
                                              .page_bytes = kPageBytes,
                                              .subtree_bytes = subtree_bytes});
        REQUIRE(writer.is_ok());
        const base::Result<u32> root = writer.value()->append(tree.view());
        REQUIRE(root.is_ok());
        base::Result<ResidentTree> resident = writer.value()->finish({}, root.value());
        REQUIRE(resident.is_ok());
        const std::vector<shaders::PageRoot> roots = resident.value().roots;
        const u64 page_count = resident.value().pages.size();
        CHECK(page_count < 120);
        // The nodes of a subtree end where those of the next begin.
        for (std::size_t k = 0; subtree_bytes != 0 && k + 1 < roots.size(); ++k) {
            if (roots[k].page == roots[k + 1].page && roots[k].page != kNone &&
                (roots[k].ref & shaders::kRefKind) == shaders::kRefNode &&
                (roots[k + 1].ref & shaders::kRefKind) == shaders::kRefNode) {
                CHECK((roots[k + 1].ref - roots[k].ref) * sizeof(shaders::BvhNode) <=
                      subtree_bytes);
            }
        }
        CHECK(roots.size() < former_roots);
        former_roots = roots.size();
        const LoadedTree loaded = load(path, std::move(resident.value()));
        CHECK(loaded.blocks_below(loaded.resident.root) == counted(20000));
        CHECK(loaded.has_right_boxes());
    }
}

TEST_CASE("small trees share a page and large ones keep what refers to them in memory") {
    const TestFolder folder;
    const std::string path = folder.file("trees");
    auto writer = PageFileWriter::create({path, kFingerprint, u64{16} << 10});
    REQUIRE(writer.is_ok());
    std::vector<u32> roots;
    std::vector<shaders::Placement> placements;
    u32 first = 0;
    for (const u32 count : {1U, 3U, 2U, 500U}) {
        const SampleTree mesh = make_tree(count, 7, first);
        roots.push_back(writer.value()->append(mesh.view()).value());
        CHECK((roots.back() & shaders::kRefKind) == shaders::kRefPage);
        shaders::Placement placement{};
        placement.root = roots.back();
        placements.push_back(placement);
        first += count;
    }
    // A world with instances, a subtree of the first kind of leaves, and an earlier tree.
    SampleTree world = make_tree(3, 7, first);
    const u32 baked = world.root;
    world.root = static_cast<u32>(world.nodes.size());
    world.nodes.push_back(node_over({shaders::kRefInstance | 0U,
                                     baked,
                                     shaders::kRefInstance | 3U,
                                     roots[1],
                                     shaders::kRefLeaf | 0U}));
    const u32 root = writer.value()->append(world.view()).value();
    const ResidentTree written = writer.value()->finish(placements, root).value();
    CHECK((written.root & shaders::kRefKind) == shaders::kRefNode);
    CHECK(written.roots[roots[0] & shaders::kRefIndex].page == 0);
    CHECK(written.roots[roots[2] & shaders::kRefIndex].page == 0);
    CHECK(written.roots[roots[3] & shaders::kRefIndex].page == kNone);
    const LoadedTree loaded = load(path, read_again(path));
    CHECK(are_same(written, loaded.resident));
    CHECK(loaded.blocks_below(roots[3]) == counted(500, 6));
    CHECK(loaded.blocks_below(written.root) ==
          std::vector<u32>{1000000, first, first + 1, first + 2, 1000003, 1, 2, 3, first});
}

TEST_CASE("the file has its name only when it is whole and belongs to its user alone") {
    const TestFolder folder;
    const std::string path = folder.file("tree");
    const SampleTree tree = make_tree(3000, 3);
    {
        auto writer = PageFileWriter::create({path, kFingerprint, u64{64} << 10});
        CHECK(writer.value()->append(tree.view()).is_ok());
        CHECK(folder.file_count() == 1);
        CHECK_FALSE(std::filesystem::exists(path));
    }
    CHECK(folder.file_count() == 0);
    write_file(path, tree, u64{64} << 10);
    CHECK(folder.file_count() == 1);

    struct stat status {};

    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("the checksum of parts is that of the whole and every bit counts") {
    std::vector<u64> words(520);
    for (u64 k = 0; k < words.size(); ++k) {
        words[k] = k * k;
    }
    const u64 whole = page_checksum(words.data(), words.size() * 8);
    PageChecksum parts;
    parts.add(words.data(), 256 * 8);
    parts.add(words.data() + 256, 264 * 8);
    CHECK(parts.value() == whole);
    CHECK(page_checksum(words.data(), 519 * 8) != whole);
    u32 unseen = 0;
    for (u64 bit = 0; bit < words.size() * 64; ++bit) {
        words[bit / 64] ^= u64{1} << (bit % 64);
        unseen += page_checksum(words.data(), words.size() * 8) == whole ? 1U : 0U;
        words[bit / 64] ^= u64{1} << (bit % 64);
    }
    CHECK(unseen == 0);
    std::swap(words[8], words[16]);
    CHECK(page_checksum(words.data(), words.size() * 8) != whole);
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
